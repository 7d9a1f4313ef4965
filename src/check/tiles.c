/* Prove that a program of tiles computes C: an independent reading of all ranks' operations. */
#include "check/tiles.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/map.h"
#include "check/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A panel of the rank that is read. */
typedef struct seen {
    ashi_panel panel;
    int64_t words; /* of it that were made */
    int64_t came;  /* the step in which it came from another rank, -1: it did not */
    bool read;
    bool gone;     /* its last reader has read it */
} seen;

/* One end of a message: which tiles it has. */
typedef struct message {
    int64_t from, to, number;
    uint64_t tiles;
    bool send;
} message;

typedef struct triple {
    int64_t i, j, k;
} triple;

typedef struct proof {
    ashi_program *program;
    const ashi_tile_problem *problem;
    ashi_check_report *report;
    ashi_check_list messages; /* message, of all ranks */
    /* Of the rank that is read. */
    int64_t rank, step, operations;
    int64_t process[2], layer;
    const ashi_tile_line *line;
    ashi_check_list panels;   /* seen, by id */
    ashi_check_list products; /* triple */
    ashi_map sent, received;  /* messages so far, by peer */
    int64_t begun;            /* words of C */
    bool *used[2];            /* of each tile of A's and B's line: it is in a product */
    int64_t *at;              /* of each tile of C: its position on the rank's line, -1: it is not there */
} proof;

static bool is_of_rank(const proof *p, const ashi_tile_at *c)
{
    return ashi_tile_is_at(p->problem, c, p->process[0], p->process[1]);
}

/* Whether the products with a tile of k are the rank's to form. */
static bool is_of_layer(const proof *p, int64_t k)
{
    return !p->problem->layers || p->problem->layers->of[k] == p->layer;
}

static ashlar_status wrong(proof *p, const ashi_operation *o, ashlar_error *err, const char *what)
{
    snprintf(p->report->text, ASHLAR_MESSAGE_MAX, "rank %" PRId64 ", step %" PRId64 ", operation %" PRId64 ": %s%s%s",
             p->rank, p->step, p->operations, o ? ashi_operation_name(o->kind) : "", o ? ": " : "", what);
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "%s", p->report->text);
}

static ashlar_status no_memory(const ashi_check_list *list, ashlar_error *err)
{
    return ashi_fail_memory(err, "checker", list->capacity);
}

/* ---- panels ---- */

static seen *find(const proof *p, int64_t id)
{
    return id >= 0 && id < p->panels.count ? (seen *)p->panels.data + id : NULL;
}

/* Whether an interval of a line is one of whole tiles. */
static bool is_of_tiles(const ashi_tile_line *line, int64_t lo, int64_t hi)
{
    const int64_t first = ashi_tile_line_find(line, lo), end = ashi_tile_line_find(line, hi);
    return lo >= 0 && lo < hi && hi <= line->start[line->tiles] && line->start[first] == lo && line->start[end] == hi;
}

/* Whether the rank has all tiles of an interval. */
static bool is_own(const proof *p, ashlar_operand x, int64_t lo, int64_t hi)
{
    const ashi_tile_line *line = &p->line[x];
    const ashi_pattern *pattern = x == ASHLAR_C ? ashi_tile_sums(p->problem, p->layer) : p->problem->operand[x].pattern;
    for (int64_t t = ashi_tile_line_find(line, lo); t < line->tiles && line->start[t] < hi; t++) {
        const ashi_tile_at at = ashi_tile_line_at(line, t);
        const bool own = x == ASHLAR_C ? is_of_rank(p, &at) : ashi_tile_owner(p->problem, x, &at) == p->rank;
        if (!own || ashi_pattern_find(pattern, at.row, at.col) < 0)
            return false;
    }
    return true;
}

static ashlar_status see_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    proof *p = context;
    const seen *outer = find(p, panel->within);
    if (panel->id != p->panels.count || panel->indices != 2 || panel->lo[1] != 0 || panel->hi[1] != 1 ||
        panel->words != panel->hi[0] - panel->lo[0] || panel->content != ASHI_CONTENT_ALL)
        return wrong(p, NULL, err, "a panel is no interval of a line, or not numbered in order");
    if (!is_of_tiles(&p->line[panel->operand], panel->lo[0], panel->hi[0]))
        return wrong(p, NULL, err, "a panel is empty, or cuts a tile");
    if (panel->within >= 0 && (!outer || outer->panel.operand != panel->operand ||
                               panel->lo[0] < outer->panel.lo[0] || panel->hi[0] > outer->panel.hi[0]))
        return wrong(p, NULL, err, "a panel is within one that does not have it");
    if (panel->memory == ASHI_MEMORY_CALLER && !is_own(p, panel->operand, panel->lo[0], panel->hi[0]))
        return wrong(p, NULL, err, "a panel has tiles in the rank's memory that are not the rank's own");
    seen *room = ashi_check_add(&p->panels, sizeof *room);
    if (!room)
        return no_memory(&p->panels, err);
    const bool given = panel->memory == ASHI_MEMORY_CALLER && panel->operand != ASHLAR_C;
    *room = (seen){.panel = *panel, .words = given ? panel->words : 0, .came = -1};
    return ASHLAR_OK;
}

static ashlar_status make(proof *p, const ashi_operation *o, ashlar_error *err)
{
    seen *e = find(p, o->makes), *outer = e ? find(p, e->panel.within) : NULL;
    if (!e || e->gone || e->words > 0 || e->panel.memory != ASHI_MEMORY_POOL)
        return wrong(p, o, err, "makes a panel that is not there, or was made before");
    e->words = e->panel.words;
    if (outer)
        outer->words += e->panel.words;
    return ASHLAR_OK;
}

/* All panels that an operation reads are whole; those that it reads last are gone after it. */
static ashlar_status check_reads(proof *p, const ashi_operation *o, ashlar_error *err)
{
    for (int i = 0; i < ASHI_READS_MAX; i++) {
        seen *e = find(p, o->read[i]);
        if (o->read[i] >= 0 && (!e || e->gone || e->words != e->panel.words))
            return wrong(p, o, err, "reads a panel that is not there, not whole, or gone");
        if (e)
            e->read = true;
    }
    return ASHLAR_OK;
}

static void let_go(proof *p, const ashi_operation *o)
{
    for (int i = 0; i < ASHI_READS_MAX; i++)
        if (o->read[i] >= 0 && o->last[i])
            find(p, o->read[i])->gone = true;
}

/* ---- messages ---- */

static uint64_t digest_of(const ashi_tile_line *line, const ashi_panel *panel)
{
    uint64_t h = (uint64_t)panel->operand;
    for (int64_t t = ashi_tile_line_find(line, panel->lo[0]); t < line->tiles && line->start[t] < panel->hi[0]; t++) {
        h = (h ^ (uint64_t)line->tile[t].row) * 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 29) ^ (uint64_t)line->tile[t].col) * 0x9e3779b97f4a7c15u;
        h ^= h >> 31;
    }
    return h;
}

static ashlar_status see_message(void *context, const ashi_operation *o, const ashi_message *m, ashlar_error *err)
{
    proof *p = context;
    const seen *e = find(p, o->read[0] >= 0 ? o->read[0] : o->makes);
    ashi_map *count = m->send ? &p->sent : &p->received;
    const int64_t number = ashi_max(0, ashi_map_find(count, m->peer));
    message *room = ashi_check_add(&p->messages, sizeof *room);
    if (!room || !ashi_map_put(count, m->peer, number + 1))
        return no_memory(&p->messages, err);
    if (!e || m->words != e->panel.words || m->offset != 0)
        return wrong(p, o, err, "has a message of other words than its panel");
    *room = (message){.from = m->send ? p->rank : m->peer, .to = m->send ? m->peer : p->rank, .number = number,
                      .tiles = digest_of(&p->line[e->panel.operand], &e->panel), .send = m->send};
    p->report->messages += m->send;
    p->report->words += m->send ? m->words : 0;
    return ASHLAR_OK;
}

static ashlar_status arrive(proof *p, const ashi_operation *o, ashlar_error *err)
{
    const ashlar_status status = make(p, o, err);
    seen *e = status == ASHLAR_OK ? find(p, o->makes) : NULL, *outer = e ? find(p, e->panel.within) : NULL;
    if (e)
        e->came = p->step;
    if (outer)
        outer->came = p->step;
    return status;
}

static ashlar_status check_multicast(proof *p, const ashi_operation *o, ashlar_error *err)
{
    const ashlar_status status = ashi_program_messages(p->program, p->rank, o, see_message, p, err);
    if (status != ASHLAR_OK)
        return status;
    if (o->owner != p->rank)
        return arrive(p, o, err);
    const seen *e = find(p, o->read[0]);
    return e && is_own(p, e->panel.operand, e->panel.lo[0], e->panel.hi[0])
               ? ASHLAR_OK : wrong(p, o, err, "sends tiles that are not the rank's own");
}

static int by_pair(const void *x, const void *y)
{
    const message *a = x, *b = y;
    const int64_t of_a[] = {a->from, a->to, a->number, a->send}, of_b[] = {b->from, b->to, b->number, b->send};
    for (int i = 0; i < 4; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

static ashlar_status check_messages(proof *p, ashlar_error *err)
{
    message *m = p->messages.data;
    if (p->messages.count > 1)
        qsort(m, (size_t)p->messages.count, sizeof *m, by_pair);
    for (int64_t i = 0; i < p->messages.count; i += 2) {
        const bool pair = i + 1 < p->messages.count && m[i].from == m[i + 1].from && m[i].to == m[i + 1].to &&
                          m[i].number == m[i + 1].number && m[i].send != m[i + 1].send;
        p->rank = m[i].from;
        if (!pair || m[i].tiles != m[i + 1].tiles)
            return wrong(p, NULL, err, pair ? "a message has other tiles where it arrives"
                                            : "a message has one end only");
    }
    return ASHLAR_OK;
}

/* ---- products ---- */

/* Where the tiles of C are on the rank's line. */
static void find_sums(proof *p)
{
    const ashi_pattern *c = ashi_tile_sums(p->problem, p->layer);
    const ashi_tile_line *line = &p->line[ASHLAR_C];
    for (int64_t t = 0; t < c->tiles; t++)
        p->at[t] = -1;
    for (int64_t t = 0; t < line->tiles; t++) {
        const ashi_tile_at at = ashi_tile_line_at(line, t);
        const int64_t number = ashi_pattern_find(c, at.row, at.col);
        if (number >= 0)
            p->at[number] = line->start[t];
    }
}

static ashlar_status add_product(proof *p, const ashi_operation *o, const ashi_tile_at *a, const ashi_tile_at *b,
                                 ashlar_error *err)
{
    const ashi_tile_at c = {a->row, b->col};
    const ashi_tile_problem *q = p->problem;
    const ashi_panel *sums = &find(p, o->makes)->panel;
    const int64_t number = ashi_pattern_find(ashi_tile_sums(q, p->layer), c.row, c.col);
    if (a->col < o->lo[2] || a->col >= o->hi[2] || number < 0)
        return ASHLAR_OK;
    if (ashi_tile_words(q, ASHLAR_C, &c) > 0 && (p->at[number] < sums->lo[0] || p->at[number] >= sums->hi[0]))
        return wrong(p, o, err, "forms a product for a tile that is not of the sum");
    triple *room = ashi_check_add(&p->products, sizeof *room);
    if (!room)
        return no_memory(&p->products, err);
    *room = (triple){c.row, c.col, a->col};
    p->used[0][a - p->line[0].tile] = p->used[1][b - p->line[1].tile] = true;
    p->report->products += ashi_cuts_size(q->cuts[0], c.row) * ashi_cuts_size(q->cuts[1], c.col) *
                           ashi_cuts_size(q->cuts[2], a->col);
    return is_of_rank(p, &c) && is_of_layer(p, a->col) ? ASHLAR_OK
                                                       : wrong(p, o, err, "forms a product for another rank's C");
}

static ashlar_status multiply_panels(proof *p, const ashi_operation *o, const seen *a, const seen *b,
                                     ashlar_error *err)
{
    const ashi_tile_line *la = &p->line[ASHLAR_A], *lb = &p->line[ASHLAR_B];
    ashlar_status status = ASHLAR_OK;
    for (int64_t s = ashi_tile_line_find(la, a->panel.lo[0]); s < la->tiles && la->start[s] < a->panel.hi[0]; s++)
        for (int64_t t = ashi_tile_line_find(lb, b->panel.lo[0]);
             t < lb->tiles && lb->start[t] < b->panel.hi[0] && status == ASHLAR_OK; t++)
            if (la->tile[s].col == lb->tile[t].row)
                status = add_product(p, o, &la->tile[s], &lb->tile[t], err);
    return status;
}

static ashlar_status check_multiply(proof *p, const ashi_operation *o, ashlar_error *err)
{
    const seen *c = find(p, o->makes);
    ashlar_status status = ASHLAR_OK;
    if (!c || c->panel.part < 0 || c->words != c->panel.words)
        return wrong(p, o, err, "adds to what is no running sum, or was not begun");
    if (ashi_tile_term_of(p->problem, o->lo[2]) != ashi_tile_term_of(p->problem, o->hi[2] - 1))
        return wrong(p, o, err, "multiplies tiles of several terms of a sum");
    for (int x = 0; x < 2; x++)
        for (int y = 2; y < 4 && status == ASHLAR_OK; y++)
            if (o->read[x] >= 0 && o->read[y] >= 0)
                status = multiply_panels(p, o, find(p, o->read[x]), find(p, o->read[y]), err);
    return status;
}

static int by_triple(const void *x, const void *y)
{
    const triple *a = x, *b = y;
    const int64_t of_a[] = {a->i, a->j, a->k}, of_b[] = {b->i, b->j, b->k};
    for (int i = 0; i < 3; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

/* Tiles without elements, or of rank 0, are in no product. */
static bool has_words(const proof *p, ashlar_operand x, int64_t row, int64_t col)
{
    return ashi_tile_words(p->problem, x, &(ashi_tile_at){row, col}) > 0;
}

/* How many products the rank has to form for a tile of C. */
static int64_t wanted(const proof *p, const ashi_tile_at *c)
{
    const ashi_tile_problem *q = p->problem;
    const ashi_pattern *a = q->operand[ASHLAR_A].pattern, *b = q->operand[ASHLAR_B].pattern;
    const int64_t row = ashi_pattern_row(a, c->row);
    int64_t count = 0;
    for (int64_t t = row < 0 ? 0 : a->start[row]; t < (row < 0 ? 0 : a->start[row + 1]); t++)
        count += is_of_layer(p, a->col[t]) && ashi_pattern_find(b, a->col[t], c->col) >= 0 &&
                 has_words(p, ASHLAR_A, c->row, a->col[t]) && has_words(p, ASHLAR_B, a->col[t], c->col);
    return count;
}

/* If needs are exact, what comes from other ranks is in a product. */
static ashlar_status check_used(proof *p, ashlar_error *err)
{
    const uint64_t *const *exact = (const uint64_t *const *)p->problem->needs->exact;
    for (int x = 0; x < 2; x++)
        for (int64_t t = 0; t < p->line[x].tiles && exact[x]; t++)
            if (!p->used[x][t] && ashi_tile_owner(p->problem, (ashlar_operand)x, &p->line[x].tile[t]) != p->rank)
                return wrong(p, NULL, err, "a tile comes that is in no product");
    return ASHLAR_OK;
}

/* No product twice, and as many as are wanted for each tile of C that the rank has. */
static ashlar_status check_products(proof *p, ashlar_error *err)
{
    const ashi_tile_problem *q = p->problem;
    const ashi_pattern *c = q->operand[ASHLAR_C].pattern;
    triple *t = p->products.data;
    int64_t at = 0, words = 0;
    if (p->products.count > 1)
        qsort(t, (size_t)p->products.count, sizeof *t, by_triple);
    for (int64_t i = 1; i < p->products.count; i++)
        if (by_triple(&t[i - 1], &t[i]) == 0)
            return wrong(p, NULL, err, "a product is formed twice");
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t x = c->start[r]; x < c->start[r + 1]; x++) {
            const ashi_tile_at tile = {c->row[r], c->col[x]};
            const int64_t first = at, size = ashi_tile_words(q, ASHLAR_C, &tile);
            if (!is_of_rank(p, &tile) || size == 0)
                continue;
            words += ashi_pattern_find(ashi_tile_sums(q, p->layer), tile.row, tile.col) >= 0 ? size : 0;
            while (at < p->products.count && t[at].i == tile.row && t[at].j == tile.col)
                at++;
            if (at - first != wanted(p, &tile))
                return wrong(p, NULL, err, "a tile of C lacks a product");
        }
    return words == p->begun ? ASHLAR_OK : wrong(p, NULL, err, "not all of C is begun once");
}

/* ---- reading ---- */

static ashlar_status begin(proof *p, const ashi_operation *o, ashlar_error *err)
{
    seen *e = find(p, o->makes);
    if (!e || !o->begins || e->words > 0 || e->panel.operand != ASHLAR_C || e->panel.memory != ASHI_MEMORY_CALLER)
        return wrong(p, o, err, "begins what is not the rank's C, or twice");
    e->words = e->panel.words;
    p->begun += e->words;
    return ASHLAR_OK;
}

static ashlar_status move(proof *p, const ashi_operation *o, ashlar_error *err)
{
    const seen *from = find(p, o->read[0]), *to = find(p, o->makes);
    if (!from || !to || from->panel.operand != to->panel.operand || from->panel.lo[0] != to->panel.lo[0] ||
        from->panel.hi[0] != to->panel.hi[0])
        return wrong(p, o, err, "moves other tiles than it makes");
    return make(p, o, err);
}

static ashlar_status see_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    proof *p = context;
    ashlar_status status = check_reads(p, o, err);
    p->operations++;
    if (status != ASHLAR_OK)
        return status;
    if (o->step != p->step)
        return wrong(p, o, err, "is of another step");
    switch (o->kind) {
    case ASHI_DO_MOVE:
        status = move(p, o, err);
        break;
    case ASHI_DO_MULTICAST:
        status = check_multicast(p, o, err);
        break;
    case ASHI_DO_MULTIPLY:
        status = check_multiply(p, o, err);
        break;
    case ASHI_DO_SCALE:
        status = begin(p, o, err);
        break;
    default:
        return wrong(p, o, err, "is not for tiles");
    }
    let_go(p, o);
    return status;
}

/* Each panel was read, and had a last reader. */
static ashlar_status check_all_gone(proof *p, ashlar_error *err)
{
    const seen *e = p->panels.data;
    for (int64_t i = 0; i < p->panels.count; i++) {
        if (e[i].came >= 0 && e[i].panel.within < 0 && !e[i].read) {
            p->step = e[i].came;
            return wrong(p, NULL, err, "brings a panel that nothing reads");
        }
        if (e[i].panel.memory == ASHI_MEMORY_POOL && e[i].panel.within < 0 && !e[i].gone)
            return wrong(p, NULL, err, "a panel has no last reader");
    }
    return ASHLAR_OK;
}

static ashlar_status check_rank(proof *p, ashlar_error *err)
{
    const ashi_program_visitor visitor = {see_panel, see_operation, p};
    ashlar_status status = p->program->lines(p->program, p->rank, &p->line, err);
    p->panels.count = p->products.count = p->begun = 0;
    p->layer = ashi_tile_process(p->problem, p->rank, p->process) && p->problem->layers
                   ? p->process[0] / p->problem->layers->rows : 0;
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        const int64_t tiles = p->line[x].tiles + 1;
        p->used[x] = calloc((size_t)tiles, sizeof *p->used[x]);
        status = p->used[x] ? ASHLAR_OK : ashi_fail_memory(err, "checker", tiles);
    }
    if (status == ASHLAR_OK)
        find_sums(p);
    for (p->step = 0; p->step < p->program->steps && status == ASHLAR_OK; p->step++) {
        p->operations = 0;
        status = p->program->emit(p->program, p->rank, p->step, &visitor, err);
    }
    if (status == ASHLAR_OK)
        status = check_all_gone(p, err);
    ashi_map_free(&p->sent);
    ashi_map_free(&p->received);
    if (status == ASHLAR_OK)
        status = check_products(p, err);
    if (status == ASHLAR_OK)
        status = check_used(p, err);
    for (int x = 0; x < 2; x++) {
        free(p->used[x]);
        p->used[x] = NULL;
    }
    return status;
}

ashlar_status ashi_check_tiles(ashi_program *program, ashi_check_report *report, ashlar_error *err)
{
    proof p = {.program = program, .problem = program->tiles, .report = report};
    int64_t sums = p.problem->operand[ASHLAR_C].pattern->tiles;
    for (int64_t layer = 0; p.problem->layers && layer < p.problem->layers->count; layer++)
        sums = ashi_max(sums, ashi_tile_sums(p.problem, layer)->tiles);
    ashlar_status status = ASHLAR_OK;
    *report = (ashi_check_report){0};
    p.at = malloc(((size_t)sums + 1) * sizeof *p.at);
    if (!p.at)
        return ashi_fail_memory(err, "checker", sums * (int64_t)sizeof *p.at);
    for (p.rank = 0; p.rank < program->ranks && status == ASHLAR_OK; p.rank++)
        status = check_rank(&p, err);
    if (status == ASHLAR_OK)
        status = check_messages(&p, err);
    free(p.messages.data);
    free(p.panels.data);
    free(p.products.data);
    free(p.at);
    return status;
}
