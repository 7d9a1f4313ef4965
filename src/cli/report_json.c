/* A report as JSON: the keys that every command uses. */
#include "base/type.h"
#include "cli/command.h"
#include "cli/report.h"

#include <math.h>
#include <stdio.h>

enum { SCHEMA = 1 };

json_t *ashi_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

int ashi_json_print(const char *command, json_t *document)
{
    if (!document) {
        const ashlar_error err = {ASHLAR_ERR_MEMORY, "no memory for the JSON document"};
        return ashi_complain(command, &err);
    }
    json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)); /* a failed write is seen at the end */
    putchar('\n');
    json_decref(document);
    return ASHI_EXIT_DONE;
}

json_t *ashi_json_limit(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

json_t *ashi_problem_json(const ashi_problem *q)
{
    static const char *const ops[] = {"N", "T", "C"};
    const char letter[2] = {ashi_type_of(q->type)->letter, '\0'};
    return json_pack("{s:I, s:I, s:I, s:s, s:I, s:o, s:s, s:s, s:s, s:o, s:i}", "m", (json_int_t)q->size[0], "n",
                     (json_int_t)q->size[1], "k", (json_int_t)q->size[2], "type", letter, "ranks",
                     (json_int_t)q->ranks, "memory_words", ashi_json_limit(q->memory_words), "transa", ops[q->op[0]],
                     "transb", ops[q->op[1]], "objective", q->least_words ? "words" : "time", "idle",
                     ashi_json_real(q->idle), "window", q->window);
}

json_t *ashi_bound_json(const ashi_bound *b)
{
    return json_pack("{s:o, s:s, s:s}", "words", ashi_json_real(b->words), "case", b->which, "source", b->source);
}

json_t *ashi_grid_json(const int64_t grid[3])
{
    if (grid[0] == 0)
        return json_null();
    return json_pack("[I, I, I]", (json_int_t)grid[0], (json_int_t)grid[1], (json_int_t)grid[2]);
}

static json_t *lengths_json(const ashi_torus *t)
{
    json_t *list = json_array();
    for (int d = 0; list && d < t->dims; d++)
        if (json_array_append_new(list, json_integer((json_int_t)t->length[d])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* The load of a torus' links; null where the network is not known to be one. */
static json_t *torus_json(const ashi_candidate *c)
{
    const ashi_links *l = &c->links;
    if (l->torus.dims == 0)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o}", "dims", lengths_json(&l->torus), "links",
                     (json_int_t)l->count, "links_used", (json_int_t)l->used, "link_words_max",
                     (json_int_t)l->words_max, "link_words_mean", ashi_json_real(l->words_mean), "link_words_total",
                     (json_int_t)l->words_total, "hops_max", (json_int_t)l->hops_max, "chain_hops_max",
                     (json_int_t)l->chain_hops_max, "seconds", ashi_json_real(c->links_seconds));
}

/* The words that cross between nodes; null where it is not known which ranks share one. */
static json_t *nodes_json(const ashi_candidate *c)
{
    const ashi_node_words *w = &c->crossing;
    if (w->nodes == 0)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "nodes", (json_int_t)w->nodes, "ranks",
                     (json_int_t)w->ranks_most, "words_max", (json_int_t)w->words_max, "sent_max",
                     (json_int_t)w->sent_max, "words_total", (json_int_t)w->words_total, "rank_words_max",
                     (json_int_t)w->rank_words_max);
}

static json_t *formula_json(const ashi_formula *f)
{
    if (!f->text)
        return json_null();
    return json_pack("{s:o, s:s, s:s}", "words", ashi_json_real(f->words), "text", f->text, "source", f->source);
}

/* The same keys whether or not it is applicable: null where there is no figure. */
static json_t *candidate_json(const ashi_candidate *c)
{
    static const char *const names[] = {"A", "B", "C"};
    const char *reason = c->reason;
    if (!c->applicable)
        return json_pack("{s:s, s:b, s:s, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n}",
                         "name", c->name, "applicable", 0, "reason", reason, "grid", "ranks_used", "rounds", "window",
                         "stays", "words_max", "words_mean", "words_total", "messages_max", "memory_words",
                         "disk_words", "seconds", "torus", "nodes", "formula");
    return json_pack("{s:s, s:b, s:s, s:o, s:I, s:I, s:i, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
                     "name", c->name, "applicable", 1, "reason", reason, "grid", ashi_grid_json(c->grid), "ranks_used",
                     (json_int_t)c->ranks_used, "rounds", (json_int_t)c->rounds, "window", c->window, "stays",
                     names[ashi_stationary(c->stays)], "words_max", (json_int_t)c->words_max, "words_mean",
                     ashi_json_real(c->words_mean), "words_total", (json_int_t)c->words_total, "messages_max",
                     (json_int_t)c->messages_max, "memory_words", (json_int_t)c->memory_words, "disk_words",
                     (json_int_t)c->disk_words, "seconds", ashi_json_real(c->seconds), "torus", torus_json(c), "nodes",
                     nodes_json(c), "formula", formula_json(&c->formula));
}

static json_t *list_json(const ashi_candidate *c, int count)
{
    json_t *list = json_array();
    for (int i = 0; list && i < count; i++)
        if (json_array_append_new(list, candidate_json(&c[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *ashi_play_json(const ashi_joint_play *p)
{
    if (!p->played)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", "seconds", ashi_json_real(p->seconds), "cores",
                     ashi_json_real(p->busy[ASHI_LANE_CORES]), "network", ashi_json_real(p->busy[ASHI_LANE_NETWORK]),
                     "disk", ashi_json_real(p->busy[ASHI_LANE_DISK]), "tasks", (json_int_t)p->tasks);
}

json_t *ashi_report_json(const ashi_report *r)
{
    return json_pack("{s:i, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA, "problem",
                     ashi_problem_json(&r->problem), "bound", ashi_bound_json(&r->bound), "strategies",
                     list_json(r->strategy, r->strategies), "chosen", r->strategy[r->chosen].name, "why", r->why,
                     "counted", r->walked ? "every rank walked" : "closed form", "grids",
                     list_json(r->grid, r->grids), "relayout_words",
                     r->layouts ? json_integer(r->relayout_words) : json_null(), "torus",
                     torus_json(&r->strategy[r->chosen]), "nodes", nodes_json(&r->strategy[r->chosen]), "play",
                     ashi_play_json(&r->play), "device", ashi_plan_device_json(&r->device));
}
