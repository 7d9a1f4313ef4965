/* The faces that a schedule's boxes have on A, B and C, and which ranks share each. */
#include "engine/domains.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* One listed box as one matrix sees it. */
typedef struct entry {
    ashi_box face;
    int64_t third; /* where its side along the other dimension begins */
    int rank;
} entry;

static int compare(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int by_face(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int order[] = {compare(x->face.minor_lo, y->face.minor_lo), compare(x->face.minor_hi, y->face.minor_hi),
                         compare(x->face.major_lo, y->face.major_lo), compare(x->face.major_hi, y->face.major_hi),
                         compare(x->third, y->third)};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] != 0)
            return order[i];
    return 0;
}

static void begin_band(ashi_faces *f, const ashi_box *box)
{
    f->band_reach[f->bands] = f->bands > 0 ? ashi_max(f->band_reach[f->bands - 1], box->minor_hi) : box->minor_hi;
    f->band[f->bands++] = (ashi_band){box->minor_lo, box->minor_hi, f->count};
}

static void begin_face(ashi_faces *f, const ashi_box *box, int64_t member)
{
    const ashi_band *last = f->bands > 0 ? &f->band[f->bands - 1] : NULL;
    const bool first = !last || last->lo != box->minor_lo || last->hi != box->minor_hi;
    if (first)
        begin_band(f, box);
    f->face_reach[f->count] = first ? box->major_hi : ashi_max(f->face_reach[f->count - 1], box->major_hi);
    f->face[f->count++] = (ashi_face){.box = *box, .first = member};
}

/* Another box, of the face that was begun last. */
static void add_member(ashi_domains *d, ashlar_operand x, int rank)
{
    ashi_faces *f = &d->of[x];
    ashi_face *face = &f->face[f->count - 1];
    ashi_seat *seat = &d->seat[rank];
    seat->idle = false;
    seat->face[x] = f->count - 1;
    seat->at[x] = face->members;
    f->member[face->first + face->members++] = rank;
}

/* The cells of a grid along each face. Those without volume are left out, as boxes without volume are not listed: they
 * would be sent what they multiply with nothing. */
static void fill_from_grid(const ashi_bricks *b, ashlar_operand x, ashi_domains *d)
{
    const int *dims = ashi_dims_of[x];
    const int64_t *minor = b->cut[dims[0]], *major = b->cut[dims[1]], *third = b->cut[dims[2]];
    const int64_t stride[3] = {b->grid[1] * b->grid[2], b->grid[2], 1};
    int64_t first = 0;
    for (int64_t i = 0; i < b->grid[dims[0]]; i++)
        for (int64_t j = 0; j < b->grid[dims[1]]; j++) {
            const ashi_box box = {minor[i], minor[i + 1], major[j], major[j + 1]};
            const int *rank = &b->rank_of[i * stride[dims[0]] + j * stride[dims[1]]];
            bool begun = false;
            for (int64_t l = 0; l < b->grid[dims[2]] && ashi_box_words(&box) > 0; l++) {
                if (third[l] == third[l + 1])
                    continue;
                if (!begun)
                    begin_face(&d->of[x], &box, first);
                begun = true;
                add_member(d, x, rank[l * stride[dims[2]]]);
                first++;
            }
        }
}

static ashlar_status fill_from_list(const ashi_bricks *b, ashlar_operand x, ashi_domains *d, ashlar_error *err)
{
    entry *list = malloc((size_t)(b->count + 1) * sizeof *list);
    if (!list)
        return ashi_fail_memory(err, "schedule", b->count * (int64_t)sizeof *list);
    for (int64_t n = 0; n < b->count; n++)
        list[n] = (entry){ashi_cuboid_face(&b->box[n], x), b->box[n].lo[ashi_dims_of[x][2]], b->rank_of[n]};
    if (b->count > 1)
        qsort(list, (size_t)b->count, sizeof *list, by_face);
    for (int64_t n = 0; n < b->count; n++) {
        if (n == 0 || !ashi_box_same(&list[n].face, &list[n - 1].face))
            begin_face(&d->of[x], &list[n].face, n);
        add_member(d, x, list[n].rank);
    }
    free(list);
    return ASHLAR_OK;
}

/* Room for as many faces and bands as there are boxes, on all three matrices in one piece of each. */
static ashlar_status make_room(int64_t boxes, ashi_domains *d, ashlar_error *err)
{
    const size_t room = (size_t)boxes + 1;
    ashi_faces *f = d->of;
    f[0].face = malloc(3 * room * sizeof *f->face);
    f[0].band = malloc(3 * room * sizeof *f->band);
    f[0].face_reach = malloc(6 * room * sizeof *f->face_reach);
    f[0].member = malloc(3 * room * sizeof *f->member);
    if (!f[0].face || !f[0].band || !f[0].face_reach || !f[0].member)
        return ashi_fail_memory(err, "schedule", (int64_t)(room * 3 * (sizeof *f->face + sizeof *f->band)));
    for (size_t x = 0; x < 3; x++) {
        f[x].face = f[0].face + x * room;
        f[x].band = f[0].band + x * room;
        f[x].face_reach = f[0].face_reach + 2 * x * room;
        f[x].band_reach = f[x].face_reach + room;
        f[x].member = f[0].member + x * room;
    }
    return ASHLAR_OK;
}

static ashlar_status fill_faces(const ashi_bricks *b, ashlar_operand x, ashi_domains *d, ashlar_error *err)
{
    ashi_faces *f = &d->of[x];
    ashlar_status status = ASHLAR_OK;
    if (b->box)
        status = fill_from_list(b, x, d, err);
    else
        fill_from_grid(b, x, d);
    f->band[f->bands] = (ashi_band){.first = f->count};
    return status;
}

static int by_reach(const void *a, const void *b)
{
    const ashi_reach *x = a, *y = b;
    return x->lo != y->lo ? compare(x->lo, y->lo) : compare(x->hi, y->hi);
}

/* The sides along the dimension that rounds cut: of a grid its parts, else of all boxes, each kept once. */
static ashlar_status build_parts(const ashi_bricks *b, ashi_domains *d, ashlar_error *err)
{
    const int64_t sides = b->box ? b->count : b->grid[d->cut];
    d->part = malloc((size_t)(sides + 1) * sizeof *d->part);
    if (!d->part)
        return ashi_fail_memory(err, "schedule", sides * (int64_t)sizeof *d->part);
    for (int64_t n = 0; n < sides; n++)
        d->part[n] = b->box ? (ashi_reach){b->box[n].lo[d->cut], b->box[n].hi[d->cut]}
                            : (ashi_reach){b->cut[d->cut][n], b->cut[d->cut][n + 1]};
    if (b->box && sides > 1)
        qsort(d->part, (size_t)sides, sizeof *d->part, by_reach);
    for (int64_t n = 0; n < sides; n++)
        if (!b->box || d->parts == 0 || by_reach(&d->part[n], &d->part[d->parts - 1]) != 0)
            d->part[d->parts++] = d->part[n];
    return ASHLAR_OK;
}

/* Nothing is cut of the matrix that has nothing of that dimension. */
static void name_parts(ashi_domains *d, ashlar_operand x)
{
    ashi_faces *f = &d->of[x];
    const bool minor = ashi_dims_of[x][0] == d->cut;
    for (int64_t i = 0; i < f->count && ashi_dims_of[x][2] != d->cut; i++) {
        const ashi_box *box = &f->face[i].box;
        const ashi_reach side = {minor ? box->minor_lo : box->major_lo, minor ? box->minor_hi : box->major_hi};
        const ashi_reach *part = bsearch(&side, d->part, (size_t)d->parts, sizeof side, by_reach);
        f->face[i].part = part - d->part;
    }
}

/* Faces that have as many words as C and cover it have each of them once. */
static bool overlap(const ashi_faces *c, int64_t words)
{
    for (int64_t i = 0; i < c->count; i++) {
        const int64_t face = ashi_box_words(&c->face[i].box);
        if (face > words)
            return true;
        words -= face;
    }
    return words > 0;
}

ashlar_status ashi_domains_build(const ashi_bricks *b, const int64_t size[3], int64_t ranks, ashlar_operand stays,
                                 ashi_domains *out, ashlar_error *err)
{
    *out = (ashi_domains){.seat = malloc((size_t)ranks * sizeof *out->seat), .cut = ashi_dims_of[stays][2]};
    ashlar_status status = out->seat ? ASHLAR_OK : ashi_fail_memory(err, "schedule", ranks * 56);
    for (int64_t r = 0; r < ranks && out->seat; r++)
        out->seat[r] = (ashi_seat){{-1, -1, -1}, {-1, -1, -1}, true};
    if (status == ASHLAR_OK)
        status = make_room(b->count, out, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        status = fill_faces(b, (ashlar_operand)x, out, err);
    if (status == ASHLAR_OK)
        status = build_parts(b, out, err);
    if (status != ASHLAR_OK) {
        ashi_domains_free(out);
        return status;
    }
    for (int x = 0; x < 3; x++)
        name_parts(out, (ashlar_operand)x);
    out->c_overlaps = overlap(&out->of[ASHLAR_C], size[0] * size[1]);
    return ASHLAR_OK;
}

void ashi_domains_free(ashi_domains *d)
{
    free(d->of[0].face);
    free(d->of[0].band);
    free(d->of[0].face_reach);
    free(d->of[0].member);
    free(d->seat);
    free(d->part);
    *d = (ashi_domains){0};
}

int64_t ashi_domains_index(const ashi_domains *d, ashlar_operand x, int64_t face, int64_t rank)
{
    return d->seat[rank].face[x] == face ? d->seat[rank].at[x] : -1;
}

ashi_touching ashi_faces_touching(const ashi_faces *f, const ashi_box *box)
{
    const bool empty = box->minor_lo >= box->minor_hi || box->major_lo >= box->major_hi;
    const int64_t band = empty ? f->bands : ashi_first_from(f->band_reach, 0, f->bands, box->minor_lo + 1) - 1;
    return (ashi_touching){.faces = f, .box = *box, .band = band};
}

/* The next band that has positions of the box; false beyond the last. */
static bool next_band(ashi_touching *w)
{
    const ashi_faces *f = w->faces;
    for (w->band++; w->band < f->bands && f->band[w->band].lo < w->box.minor_hi; w->band++)
        if (f->band[w->band].hi > w->box.minor_lo) {
            w->face_end = f->band[w->band + 1].first;
            w->face = ashi_first_from(f->face_reach, f->band[w->band].first, w->face_end, w->box.major_lo + 1) - 1;
            return true;
        }
    return false;
}

bool ashi_faces_next(ashi_touching *w)
{
    const ashi_face *face = w->faces->face;
    for (;;) {
        for (w->face++; w->face < w->face_end && face[w->face].box.major_lo < w->box.major_hi; w->face++)
            if (face[w->face].box.major_hi > w->box.major_lo)
                return true;
        if (!next_band(w))
            return false;
    }
}
