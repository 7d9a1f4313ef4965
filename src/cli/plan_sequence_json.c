/* plan-contract of three and more operands as JSON. */
#include "base/type.h"
#include "cli/command.h"
#include "cli/plan_sequence.h"
#include "cli/report.h"

static json_t *problem_json(const ashi_sequence_report *r)
{
    const ashi_sequence_request *q = r->request;
    const char letter[2] = {ashi_type_of(r->type)->letter, '\0'};
    return json_pack("{s:s, s:s, s:i, s:I, s:I, s:f, s:f, s:f}", "expression", r->text, "type", letter, "operands",
                     r->expression->operands, "ranks", (json_int_t)q->ranks, "memory_words",
                     (json_int_t)q->memory_words, "disk_bandwidth", q->disk * (double)q->bytes, "network_bandwidth",
                     q->network * (double)q->bytes, "multiply_adds_per_second", q->multiply_adds);
}

static json_t *paper_json(const ashi_planned_step *o)
{
    if (!o->paper.applicable)
        return json_null();
    return json_pack("{s:s, s:s, s:f, s:f, s:f}", "method", ashi_paper_name(o->paper.inside, o->paper.method), "order",
                     ashi_paper_order_name(o->paper.order), "disk_words_total", o->paper.total_disk, "words_max",
                     o->paper.rank.network, "seconds", o->paper.seconds);
}

static json_t *step_json(const ashi_sequence_report *r, int s)
{
    const ashi_sequence_plan *p = r->plan;
    const ashi_sequence_step *q = &p->sequence.step[s];
    const ashi_planned_step *o = &p->step[s];
    char text[ASHI_STEP_TEXT];
    ashi_sequence_text(r->expression, &p->sequence, s, text);
    const char *place = q->user < 0 ? "output" : s == p->fused ? "tiles" : o->scratch ? "scratch" : "memory";
    json_t *operands = q->operand[1] < 0 ? json_pack("[i]", q->operand[0])
                                         : json_pack("[i, i]", q->operand[0], q->operand[1]);
    return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:o, s:o, s:o}", "expression", text,
                     "operands", operands, "m", (json_int_t)o->m, "n", (json_int_t)o->n, "k", (json_int_t)o->k,
                     "batch", (json_int_t)o->batch, "multiply_adds", (json_int_t)q->multiply_adds, "words",
                     (json_int_t)q->words, "result_words", (json_int_t)q->result_words, "held_words",
                     (json_int_t)q->held, "result", place, "memory_words", (json_int_t)o->memory_words,
                     "disk_words_total", ashi_json_real(o->disk_words), "seconds", ashi_json_real(o->seconds), "paper",
                     paper_json(o));
}

static json_t *bound_json(const ashi_sequence_report *r)
{
    if (!ashi_is_mttkrp(&r->plan->tiles))
        return json_null();
    return json_pack("{s:f, s:s, s:s}", "words",
                     ashi_mttkrp_bound(&r->plan->tiles, r->request->ranks, r->request->memory_words), "case",
                     "MTTKRP: 3 I J K R / (P S^(2/3))", "source", "Ziogas et al., Deinsum, SC 2022");
}

static json_t *tiles_json(const ashi_sequence_report *r)
{
    const ashi_sequence_plan *p = r->plan;
    const ashi_tile_by_tile *t = &p->tiles;
    if (!p->three)
        return json_null();
    return json_pack("{s:s, s:[i, i], s:b, s:[I, I, I], s:I, s:I, s:f, s:o, s:o}", "kind", ashi_fused_name(t), "steps",
                     p->candidate, p->candidate + 1, "chosen", p->fused >= 0, "block", (json_int_t)t->block[0],
                     (json_int_t)t->block[1], (json_int_t)t->block[2], "memory_words", (json_int_t)t->memory_words,
                     "multiply_adds", (json_int_t)t->multiply_adds, "disk_words_total", t->disk_words,
                     "disk_words_pairs", ashi_json_real(p->disk_pairs), "bound", bound_json(r));
}

int ashi_sequence_json(const ashi_sequence_report *r)
{
    const ashi_sequence_plan *p = r->plan;
    json_t *list = json_array();
    char why[320];
    for (int s = 0; list && s < p->sequence.steps; s++)
        if (json_array_append_new(list, step_json(r, s)) != 0) {
            json_decref(list);
            list = NULL;
        }
    ashi_sequence_why(r, why, sizeof why);
    return ashi_json_print("plan-contract",
                           json_pack("{s:i, s:o, s:o, s:b, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:s, s:o}", "schema", 1,
                                     "problem", problem_json(r), "steps", list, "exact", p->sequence.exact,
                                     "multiply_adds", (json_int_t)p->sequence.multiply_adds, "multiply_adds_fewest",
                                     (json_int_t)p->cheapest, "words", (json_int_t)p->sequence.words, "held_words",
                                     (json_int_t)p->held, "scratch", p->scratch, "disk_words_total",
                                     ashi_json_real(p->disk_words), "seconds", ashi_json_real(p->seconds), "why", why,
                                     "tile_by_tile", tiles_json(r)));
}
