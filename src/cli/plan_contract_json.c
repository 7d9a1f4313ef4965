/* plan-contract as JSON. */
#include "base/type.h"
#include "cli/command.h"
#include "cli/plan_contract.h"
#include "cli/report.h"

static json_t *indices_json(const ashi_contract_report *r, ashi_index_class c)
{
    const ashi_index_group *g = &r->matching->group[c];
    char text[ASHI_INDICES_MOST + 1] = "";
    for (int i = 0; i < g->count; i++)
        text[i] = r->expression->name[g->index[i]];
    return json_pack("{s:s, s:I}", "indices", text, "extent", (json_int_t)g->extent);
}

static json_t *matching_json(const ashi_contract_report *r)
{
    const bool *lies = r->matching->in_place;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:[b, b, b]}", "batch", indices_json(r, ASHI_BATCH), "m",
                     indices_json(r, ASHI_FREE_A), "n", indices_json(r, ASHI_FREE_B), "k",
                     indices_json(r, ASHI_SUMMED), "alone_a", indices_json(r, ASHI_ALONE_A), "alone_b",
                     indices_json(r, ASHI_ALONE_B), "in_place", lies[0], lies[1], lies[2]);
}

static json_t *problem_json(const ashi_contract_report *r)
{
    const ashi_paper_problem *q = r->problem;
    const double bytes = (double)ashi_type_of(r->type)->bytes;
    const char letter[2] = {ashi_type_of(r->type)->letter, '\0'};
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:s}", "expression", r->text,
                     "type", letter, "m", (json_int_t)q->extent[0], "n", (json_int_t)q->extent[1], "k",
                     (json_int_t)q->extent[2], "batch", (json_int_t)q->batch, "ranks", (json_int_t)q->ranks,
                     "memory_words", (json_int_t)r->memory_words, "tile_words", (json_int_t)q->tile_words,
                     "disk_bandwidth", q->disk * bytes, "network_bandwidth", q->network * bytes, "replicate_factor",
                     q->replicate, "reduce_factor", q->reduce, "tiles", q->real ? "real" : "integer");
}

static json_t *tiles_json(const ashi_paper_tiles *t)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "It1", t->count[0][0], "It2", t->count[0][1], "Jt1",
                     t->count[1][0], "Jt2", t->count[1][1], "Kt1", t->count[2][0], "Kt2", t->count[2][1]);
}

static json_t *moved_json(const ashi_contract_report *r, int i)
{
    const ashi_redistribution *m = &r->moved[i];
    char text[4] = "";
    if (!r->constrained)
        return json_null();
    for (int d = 0, used = 0; d < 3; d++)
        if (m->index[d] >= 0)
            text[used++] = r->expression->name[m->index[d]];
    return json_pack("{s:s, s:[f, f, f], s:f, s:f}", "indices", text, "words_max", m->received[0], m->received[1],
                     m->received[2], "disk_words", m->disk, "seconds", m->seconds);
}

static json_t *schedule_json(const ashi_contract_report *r, int i)
{
    const ashi_paper_schedule *o = &r->schedule[i];
    const char *method = ashi_paper_name(o->inside, o->method), *order = ashi_paper_order_name(o->order);
    if (!o->applicable)
        return json_pack("{s:s, s:s, s:b, s:s}", "method", method, "order", order, "applicable", 0, "reason",
                         o->reason);
    json_t *grid = o->method == ASHI_PAPER_ROTATION
                       ? json_pack("[I, I]", (json_int_t)o->grid[0], (json_int_t)o->grid[1]) : json_null();
    return json_pack("{s:s, s:s, s:b, s:s, s:o, s:[b, b, b], s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}",
                     "method", method, "order", order, "applicable", 1, "reason", "", "grid", grid, "resident",
                     o->resident[0], o->resident[1], o->resident[2], "tiles", tiles_json(&o->tiles), "disk_reads",
                     o->rank.reads, "disk_writes", o->rank.writes, "disk_words", o->rank.reads + o->rank.writes,
                     "disk_words_busiest", o->busiest.reads + o->busiest.writes, "disk_words_total", o->total_disk,
                     "words_max", o->rank.network, "words_total", o->total_network, "seconds", o->seconds,
                     "redistribution", moved_json(r, i));
}

static json_t *tiling_json(const ashi_contract_report *r)
{
    const ashi_contract_tiling *t = &r->tiling;
    const char name[2] = {"ABC"[t->nest.stays], '\0'};
    if (!t->applicable)
        return json_null();
    return json_pack("{s:s, s:[I, I], s:[I, I, I], s:f, s:f, s:f, s:f, s:f, s:o}", "stays", name, "grid",
                     (json_int_t)t->nest.team[0], (json_int_t)t->nest.team[1], "box", (json_int_t)t->shape[0],
                     (json_int_t)t->shape[1], (json_int_t)t->shape[2], "disk_words_busiest", t->disk_busiest,
                     "disk_words_total", t->disk_total, "words_max", t->network_busiest, "words_total",
                     t->network_total, "seconds", t->seconds, "ratio",
                     ashi_json_real(t->disk_total / ashi_contract_fewest(r)));
}

static json_t *bounds_json(const ashi_contract_report *r)
{
    const ashi_contract_bounds b = ashi_contract_bounds_of(r);
    return json_pack("{s:f, s:s, s:f, s:s}", "disk_words_total", b.disk, "disk_source", b.disk_source, "words_max",
                     b.network, "words_source", b.network_source);
}

/* The best schedule if distributions were free. */
static json_t *free_json(const ashi_contract_report *r)
{
    const ashi_paper_schedule *o = &r->schedule[r->free_best < 0 ? 0 : r->free_best];
    if (!r->constrained || r->free_best < 0)
        return json_null();
    return json_pack("{s:s, s:s, s:f}", "method", ashi_paper_name(o->inside, o->method), "order",
                     ashi_paper_order_name(o->order), "seconds", r->free_seconds);
}

static json_t *chosen_json(const ashi_contract_report *r)
{
    char why[460];
    if (r->best < 0)
        return json_null();
    ashi_contract_why(r, why, sizeof why);
    const ashi_paper_schedule *o = &r->schedule[r->best];
    return json_pack("{s:s, s:s, s:f, s:s}", "method", ashi_paper_name(o->inside, o->method), "order",
                     ashi_paper_order_name(o->order), "seconds", o->seconds, "why", why);
}

int ashi_contract_json(const ashi_contract_report *r)
{
    json_t *list = json_array();
    for (int i = 0; list && i < ASHI_PAPER_SCHEDULES; i++)
        if (r->shown[i] && json_array_append_new(list, schedule_json(r, i)) != 0) {
            json_decref(list);
            list = NULL;
        }
    json_t *document = json_pack("{s:i, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "schema", 1, "problem",
                                 problem_json(r), "matching", matching_json(r), "prepare_words",
                                 ashi_contract_prepare(r), "bounds", bounds_json(r), "schedules", list, "chosen",
                                 chosen_json(r), "free", free_json(r), "tiling", tiling_json(r));
    const int status = ashi_json_print("plan-contract", document);
    return status == ASHI_EXIT_DONE && r->best < 0 ? ASHI_EXIT_NO : status;
}
