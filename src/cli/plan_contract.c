/* `ashlar plan-contract`: how a contraction of operands on disk is planned, a pair by the paper's model, more operands
 * in pairs. */
#include "cli/plan_contract.h"

#include "base/error.h"
#include "base/number.h"
#include "base/type.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/plan_sequence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "plan-contract";

typedef struct request {
    int64_t ranks, memory, memory_words, disk, network;
    bool ranks_given, memory_given, words_given, disk_given, network_given, replicate_given, reduce_given;
    double replicate, reduce;
    const char *machine, *method, *order, *paper, *dist[3];
    int type, tiles;
    bool transfer_reads, fuse, json;
} request;

enum { OPTIONS = 19 };

static ashi_usage usage_of(request *r, ashi_option options[OPTIONS])
{
    const ashi_option rows[OPTIONS] = {
        {"ranks", 0, ASHI_COUNT, "P", "1 to 2147483647", "how many ranks there are", &r->ranks, &r->ranks_given},
        {"memory", 0, ASHI_SIZE, "SIZE", NULL, "memory of a rank, a third for tiles of each array, such as 2GiB",
         &r->memory, &r->memory_given},
        {"memory-words", 0, ASHI_COUNT, "W", "at least 3", "the same in words, that is elements", &r->memory_words,
         &r->words_given},
        {"type", 0, ASHI_CHOICE, NULL, "s|d|c|z", "element type, by its letter in BLAS; d unless given", &r->type,
         NULL},
        {"machine", 0, ASHI_FILE, "FILE", NULL, "figures of the machine, as 'ashlar calibrate' writes them",
         &r->machine, NULL},
        {"disk-bandwidth", 0, ASHI_SIZE, "RATE", NULL, "bytes per second of a rank's disk, such as 500MB", &r->disk,
         &r->disk_given},
        {"network-bandwidth", 0, ASHI_SIZE, "RATE", NULL, "bytes per second that a rank receives", &r->network,
         &r->network_given},
        {"replicate-factor", 0, ASHI_NUMBER, "F", "0 to 1e9",
         "words received for each word that is replicated; 1 unless given", &r->replicate, &r->replicate_given},
        {"reduce-factor", 0, ASHI_NUMBER, "G", "0 to 1e9",
         "words received for each word that is summed over all ranks; log2 P unless given", &r->reduce,
         &r->reduce_given},
        {"tiles", 0, ASHI_CHOICE, NULL, "integer|real",
         "numbers of tiles: the exact optimum in whole numbers, or in real ones as in the paper", &r->tiles, NULL},
        {"transfer-reads", 0, ASHI_FLAG, NULL, NULL,
         "count what ranks read in order to send it before or after the loops, which the paper leaves out",
         &r->transfer_reads, NULL},
        {"dist-a", 0, ASHI_TEXT, "INDICES", NULL,
         "how A is distributed: one index or two, such as ik, or - if every rank has all of it; free unless given",
         &r->dist[0], NULL},
        {"dist-b", 0, ASHI_TEXT, "INDICES", NULL, "the same for B", &r->dist[1], NULL},
        {"dist-c", 0, ASHI_TEXT, "INDICES", NULL, "how C is to be distributed", &r->dist[2], NULL},
        {"fuse", 0, ASHI_FLAG, NULL, NULL,
         "words that change owner are not written to disk in between if the array is read or written once", &r->fuse,
         NULL},
        {"method", 0, ASHI_NAME, "NAME",
         "inside/rotation|inside/replication-a|inside/replication-b|inside/accumulation|outside/rotation|"
         "outside/replication-a|outside/replication-b|outside/accumulation", "show this method only", &r->method,
         NULL},
        {"order", 0, ASHI_NAME, "NAME", "ABC|ACB|BAC|BCA|CAB|CBA", "show this order of reads only", &r->order, NULL},
        {"paper", 0, ASHI_NAME, "NAME", "table9|table10|table11",
         "compute this table of the paper, beside what it prints; nothing else is given then, but --json", &r->paper,
         NULL},
        {"json", 0, ASHI_FLAG, NULL, NULL, "print one JSON document and nothing else", &r->json, NULL},
    };
    memcpy(options, rows, sizeof rows);
    return (ashi_usage){.command = name, .synopsis = "EXPRESSION i=N... --ranks=P --memory=SIZE [OPTION...]",
                        .summary = "Show how tensors on disk can be contracted, and which way is fastest.",
                        .example = "ashlar plan-contract \"ijk,kl->ijl\" i=800 j=800 k=8000 l=800 --ranks=4 "
                                   "--memory=1GiB",
                        .options = options, .option_count = OPTIONS, .most = 1 + ASHI_INDICES_MOST};
}

void ashi_describe_plan_contract(ashi_usage_use use, void *context)
{
    request r = {.type = ASHLAR_TYPE_D};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    use(&usage, context);
}

/* What is complained about: the column, from 1, of a text; 0: neither. */
typedef struct mistake {
    const char *text;
    int column;
} mistake;

static int complain(const ashlar_error *err, const mistake *at)
{
    return ashi_complain_at(name, err, at->text, strlen(at->text), at->column);
}

/* "i=800" */
static ashlar_status read_extent(const char *text, ashi_expression *e, mistake *at, ashlar_error *err)
{
    int64_t extent = 0;
    *at = (mistake){text, 1};
    if (text[0] == '\0' || text[1] != '=')
        return ashi_fail(err, ASHLAR_ERR_ARG, "'%.64s', wanted an index and its extent, such as i=800", text);
    const bool known = memchr(e->name, text[0], (size_t)e->indices) != NULL;
    if (known)
        at->column = 3;
    if (known && (!ashi_number_count(text + 2, &extent) || extent < 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "index '%c' has extent '%.64s', wanted a whole number from 1 to 2^63 - 1",
                         text[0], text + 2);
    return ashi_expression_extent(e, text[0], extent, err);
}

static ashlar_status read_expression(int words, char **word, ashi_expression *e, mistake *at, ashlar_error *err)
{
    *at = (mistake){"", 0};
    if (words < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "EXPRESSION is missing, such as \"ik,kj->ij\"");
    at->text = word[0];
    ashlar_status status = ashi_expression_read(word[0], e, &at->column, err);
    for (int i = 1; i < words && status == ASHLAR_OK; i++)
        status = read_extent(word[i], e, at, err);
    if (status != ASHLAR_OK)
        return status;
    *at = (mistake){word[0], 0};
    status = ashi_expression_check(e, &at->column, err);
    if (status == ASHLAR_OK && e->operands < 2)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "1 operand, wanted 2 or more: contractions are planned");
    return status;
}

/* Words of a rank. */
static ashlar_status read_memory(const request *r, int64_t *words, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashi_type_of((ashlar_type)r->type)->bytes;
    if (!r->ranks_given)
        return ashi_fail(err, ASHLAR_ERR_ARG, "--ranks=P is wanted, from 1 to 2147483647");
    if (r->memory_given == r->words_given)
        return ashi_fail(err, ASHLAR_ERR_ARG, r->memory_given
                                                  ? "--memory and --memory-words say the same: wanted one of them"
                                                  : "--memory=SIZE or --memory-words=W is wanted");
    *words = r->memory_given ? r->memory / bytes : r->memory_words;
    if (*words < 3)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "--memory holds fewer than 3 words: one of each array would do");
    return ASHLAR_OK;
}

/* Words and multiply-adds per second. */
typedef struct rates {
    double disk, network, multiply_adds;
} rates;

static ashlar_status read_machine(const request *r, rates *out, ashlar_error *err)
{
    ashlar_machine machine = ashlar_machine_default();
    const ashi_type *type = ashi_type_of((ashlar_type)r->type);
    const double bytes = (double)type->bytes;
    const ashlar_status status = r->machine ? ashi_machine_read(r->machine, &machine, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    if ((r->disk_given && r->disk < 1) || (r->network_given && r->network < 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "a bandwidth is less than 1 byte per second");
    out->disk = (r->disk_given ? (double)r->disk : machine.disk_bandwidth) / bytes;
    out->network = (r->network_given ? (double)r->network : machine.bandwidth) / bytes;
    out->multiply_adds = machine.flops_per_second / type->flops;
    return ASHLAR_OK;
}

static ashlar_status read_problem(const request *r, const ashi_matching *m, ashi_contract_report *out,
                                  ashi_paper_problem *q, ashlar_error *err)
{
    rates rate = {0};
    out->type = (ashlar_type)r->type;
    ashlar_status status = read_memory(r, &out->memory_words, err);
    if (status == ASHLAR_OK)
        status = read_machine(r, &rate, err);
    if (status != ASHLAR_OK)
        return status;
    *q = (ashi_paper_problem){.batch = m->group[ASHI_BATCH].extent, .ranks = r->ranks,
                              .extent = {m->group[ASHI_FREE_A].extent, m->group[ASHI_FREE_B].extent,
                                         m->group[ASHI_SUMMED].extent},
                              .tile_words = out->memory_words / 3, .real = r->tiles == 1,
                              .replicate = r->replicate_given ? r->replicate : 1,
                              .reduce = r->reduce_given ? r->reduce : log2((double)r->ranks),
                              .disk = rate.disk, .network = rate.network, .transfer_reads = r->transfer_reads};
    return ASHLAR_OK;
}

/* Where distributions are given, what each schedule needs beside. */
static ashlar_status redistribute(const request *r, ashi_contract_report *out, ashi_paper_schedule *schedule,
                                  ashlar_error *err)
{
    ashi_distribution given[3] = {{0}};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (r->dist[x]) {
            out->constrained = true;
            status = ashi_distribution_read(r->dist[x], out->expression, out->matching, x, r->ranks, &given[x], err);
        }
    if (status == ASHLAR_OK && out->constrained && r->ranks > ASHI_DISTRIBUTED_RANKS_MOST)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "words that change owner are counted for at most %d ranks",
                           (int)ASHI_DISTRIBUTED_RANKS_MOST);
    for (int i = 0; i < ASHI_PAPER_SCHEDULES && status == ASHLAR_OK && out->constrained; i++) {
        ashi_paper_schedule *o = &schedule[i];
        if (!o->applicable)
            continue;
        out->moved[i] = ashi_redistribute(out->expression, out->matching, out->problem, o, given, r->fuse);
        o->applicable = out->moved[i].applicable;
        o->seconds += out->moved[i].seconds;
        if (!o->applicable)
            snprintf(o->reason, sizeof o->reason, "no single index of a class is long enough to be cut");
    }
    return status;
}

/* The schedules that were asked for, and the fastest of them. */
static void choose(const request *r, ashi_contract_report *out)
{
    out->best = -1;
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++) {
        const ashi_paper_schedule *o = &out->schedule[i];
        out->shown[i] = (!r->method || strcmp(r->method, ashi_paper_name(o->inside, o->method)) == 0) &&
                        (!r->order || strcmp(r->order, ashi_paper_order_name(o->order)) == 0);
        if (out->shown[i] && o->applicable && (out->best < 0 || o->seconds < out->schedule[out->best].seconds))
            out->best = i;
    }
}

/* Whether an option was given that is about one pair. */
static const char *pair_option(const request *r)
{
    const struct { bool given; const char *option; } row[] = {
        {r->method, "--method"}, {r->order, "--order"}, {r->dist[0], "--dist-a"}, {r->dist[1], "--dist-b"},
        {r->dist[2], "--dist-c"}, {r->fuse, "--fuse"}, {r->tiles == 1, "--tiles=real"},
        {r->transfer_reads, "--transfer-reads"}, {r->replicate_given, "--replicate-factor"},
        {r->reduce_given, "--reduce-factor"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (row[i].given)
            return row[i].option;
    return NULL;
}

/* Three operands and more. */
static int plan_sequence(const request *r, const char *text, const ashi_expression *e)
{
    ashi_sequence_request q = {.ranks = r->ranks, .bytes = (int64_t)ashi_type_of((ashlar_type)r->type)->bytes};
    ashi_sequence_plan made;
    const ashi_sequence_report report = {.text = text, .expression = e, .request = &q, .plan = &made,
                                         .type = (ashlar_type)r->type};
    rates rate = {0};
    ashlar_error err;
    ashlar_status status = read_memory(r, &q.memory_words, &err);
    if (status == ASHLAR_OK && pair_option(r))
        status = ashi_fail(&err, ASHLAR_ERR_ARG, "%s is about a pair, and there are %d operands", pair_option(r),
                           e->operands);
    if (status == ASHLAR_OK)
        status = read_machine(r, &rate, &err);
    q.disk = rate.disk;
    q.network = rate.network;
    q.multiply_adds = rate.multiply_adds;
    if (status == ASHLAR_OK)
        status = ashi_sequence_plan_make(e, &q, &made, &err);
    mistake at = {text, 0};
    if (status == ASHLAR_ERR_OVERFLOW)
        status = ashi_expression_exceeds(e, &at.column, &err);
    if (status != ASHLAR_OK)
        return complain(&err, &at);
    return r->json ? ashi_sequence_json(&report) : ashi_sequence_print(&report);
}

static int plan(const request *r, int words, char **word)
{
    ashi_expression e;
    ashi_matching m;
    ashi_paper_problem q;
    ashi_paper_schedule schedule[ASHI_PAPER_SCHEDULES];
    ashi_contract_report report = {.text = words > 0 ? word[0] : "", .expression = &e, .matching = &m, .problem = &q,
                                   .schedule = schedule};
    ashlar_error err;
    mistake at;
    ashlar_status status = read_expression(words, word, &e, &at, &err);
    if (status == ASHLAR_OK && e.operands > 2)
        return plan_sequence(r, report.text, &e);
    if (status == ASHLAR_OK && ashi_matching_make(&e, &m, &err) != ASHLAR_OK)
        status = ashi_expression_exceeds(&e, &at.column, &err);
    if (status == ASHLAR_OK)
        status = read_problem(r, &m, &report, &q, &err);
    if (status == ASHLAR_OK) {
        ashi_paper_plan(&q, schedule);
        report.tiling = ashi_contract_tiling_make(&q, report.memory_words, (int64_t)ashi_type_of(report.type)->bytes,
                                                  true);
        choose(r, &report);
        report.free_best = report.best;
        report.free_seconds = report.best < 0 ? 0 : schedule[report.best].seconds;
        status = redistribute(r, &report, schedule, &err);
    }
    if (status != ASHLAR_OK)
        return complain(&err, &at);
    choose(r, &report);
    return r->json ? ashi_contract_json(&report) : ashi_contract_print(&report);
}

int ashi_command_plan_contract(int argc, char **argv)
{
    request r = {.type = ASHLAR_TYPE_D};
    ashi_option options[OPTIONS];
    const ashi_usage usage = usage_of(&r, options);
    int words = 0;
    const int status = ashi_options_parse(&usage, argc, argv, true, &words);
    if (status >= 0)
        return status;
    if (!r.paper)
        return plan(&r, words, argv + 1);
    if (words > 0) {
        ashlar_error err;
        ashi_fail(&err, ASHLAR_ERR_ARG, "--paper computes a table of the paper: no expression is wanted");
        return ashi_complain(name, &err);
    }
    return ashi_contract_table((int)strtol(r.paper + strlen("table"), NULL, 10), r.json);
}
