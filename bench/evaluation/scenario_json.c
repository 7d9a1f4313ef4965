/* What a bench of scenarios found as one JSON document. */
#include "cli/report.h"
#include "evaluation/scenario_text.h"

static json_t *count_or_null(bool there, int64_t value)
{
    return there ? json_integer(value) : json_null();
}

static json_t *row_json(const ashi_scenario_row *r)
{
    const bool on = r->applicable;
    json_t *grid = on ? json_pack("[I, I, I]", (json_int_t)r->grid[0], (json_int_t)r->grid[1], (json_int_t)r->grid[2])
                      : json_null();
    return json_pack("{s:s, s:s, s:{s:I, s:I, s:I, s:s, s:I, s:I}, s:o, s:s, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o}",
                     "shape", ashi_shape_name(r->shape), "scaling", ashi_scaling_name(r->scaling), "problem", "m",
                     (json_int_t)r->size[0], "n", (json_int_t)r->size[1], "k", (json_int_t)r->size[2], "type", "d",
                     "ranks", (json_int_t)r->ranks, "memory_words", (json_int_t)r->memory_words, "bound_words",
                     ashi_json_real(r->bound), "name", ashi_scenario_way(r->way), "strategy",
                     on ? json_string(r->strategy) : json_null(), "applicable", on, "reason",
                     r->reason, "grid", grid, "ranks_used", count_or_null(on, r->ranks_used), "rounds",
                     count_or_null(on, r->rounds), "ranks_walked", count_or_null(on, r->ranks_walked), "words_max",
                     count_or_null(on, r->words_max), "words_mean", on ? ashi_json_real(r->words_mean) : json_null(),
                     "words_total", count_or_null(on, r->words_total), "messages_walked_max",
                     count_or_null(on, r->messages), "memory_walked_words", count_or_null(on, r->memory));
}

static json_t *landmark_json(const ashi_landmark *l)
{
    return json_pack("{s:s, s:s, s:[I, I, I], s:I, s:o, s:o, s:o, s:[I, I, I], s:I}", "case", l->source, "name",
                     l->name, "size", (json_int_t)l->size[0], (json_int_t)l->size[1], (json_int_t)l->size[2], "ranks",
                     (json_int_t)l->ranks, "printed", ashi_json_real(l->printed), "touched",
                     ashi_json_real(l->touched), "arriving", ashi_json_real(l->arriving), "grid",
                     (json_int_t)l->grid[0], (json_int_t)l->grid[1], (json_int_t)l->grid[2], "counted",
                     (json_int_t)l->counted);
}

json_t *ashi_scenario_json(const ashi_scenario_rows *rows, const ashi_landmark marks[ASHI_LANDMARKS])
{
    json_t *list = json_array(), *cases = json_array();
    bool whole = list && cases;
    for (int64_t i = 0; whole && i < rows->count; i++)
        whole = json_array_append_new(list, row_json(&rows->row[i])) == 0;
    for (int i = 0; whole && i < ASHI_LANDMARKS; i++)
        whole = json_array_append_new(cases, landmark_json(&marks[i])) == 0;
    if (whole)
        return json_pack("{s:i, s:o, s:o}", "schema", 1, "rows", list, "landmarks", cases);
    json_decref(list);
    json_decref(cases);
    return NULL;
}
