/* How engines write sums: opened where a part has its home, added up, and brought to the owners of C. */
#include "engine/build_sums.h"

#include "base/checked.h"

static void open_panel(ashi_builder *b, bool own, const ashi_box *box, int64_t part, ashi_part_sums *out)
{
    ashi_panel *p = &out->panel[out->panels++];
    *p = own ? ashi_panel_own(&b->program->view[ASHLAR_C], ASHLAR_C, b->rank, box, ashi_whole)
             : ashi_panel_of(ASHLAR_C, box);
    p->content = ASHI_CONTENT_ALL;
    p->owner = -1;
    p->part = part;
    out->kept = out->kept || own;
    ashi_build_panel(b, p);
}

void ashi_build_sums(ashi_builder *b, const ashi_box *box, const ashi_home *home, int64_t part, ashi_part_sums *out)
{
    const ashi_view *view = &b->program->view[ASHLAR_C];
    ashi_home_part piece[3];
    const int pieces = ashi_box_words(box) > 0 ? ashi_home_parts(home, box, piece) : 0;
    *out = (ashi_part_sums){0};
    for (int i = 0; i < pieces; i++) {
        ashi_box tile[ASHI_HOME_TILES_MOST] = {piece[i].box};
        const int tiles = piece[i].own ? ashi_home_tiles(view, b->rank, &piece[i].box, tile) : 1;
        for (int n = 0; n < tiles; n++)
            open_panel(b, piece[i].own, &tile[n], part, out);
    }
}

/* A running sum is zero, or beta C. */
static void begin(ashi_builder *b, ashi_part_sums *sums, int i)
{
    ashi_operation o = ashi_operation_blank(ASHI_DO_SCALE);
    o.makes = sums->panel[i].id;
    o.begins = true;
    sums->begun[i] = true;
    ashi_build_operation(b, &o);
}

/* Of a product, what is summed up in one panel; false if that is nothing. */
static bool clip(const ashi_operation *product, const ashi_panel *p, ashi_operation *out)
{
    *out = *product;
    for (int d = 0; d < 2; d++) {
        out->lo[d] = ashi_max(product->lo[d], p->lo[d]);
        out->hi[d] = ashi_min(product->hi[d], p->hi[d]);
    }
    return out->lo[0] < out->hi[0] && out->lo[1] < out->hi[1];
}

void ashi_build_product(ashi_builder *b, const ashi_operation *product, ashi_part_sums *sums)
{
    ashi_operation o;
    int last = -1;
    for (int i = 0; i < sums->panels; i++)
        last = clip(product, &sums->panel[i], &o) ? i : last;
    for (int i = 0; i <= last; i++) {
        const ashi_panel *p = &sums->panel[i];
        if (!clip(product, p, &o))
            continue;
        if ((o.hi[0] - o.lo[0]) * (o.hi[1] - o.lo[1]) < p->words && !sums->begun[i])
            begin(b, sums, i); /* only a product of all that is there can */
        for (int r = 0; r < ASHI_READS_MAX; r++)
            o.last[r] = product->last[r] && i == last;
        o.begins = !sums->begun[i];
        o.makes = p->id;
        sums->begun[i] = true;
        ashi_build_operation(b, &o);
    }
}

void ashi_build_begin(ashi_builder *b, ashi_part_sums *sums)
{
    for (int i = 0; i < sums->panels; i++)
        if (!sums->begun[i])
            begin(b, sums, i);
}

/* The panels in the pool, from read[at] on: there are at most two. */
static void read_sums(ashi_operation *o, int at, const ashi_part_sums *sums, bool last)
{
    for (int i = 0; i < sums->panels; i++)
        if (sums->panel[i].memory == ASHI_MEMORY_POOL)
            ashi_operation_reads(o, at++, sums->panel[i].id, last);
}

/* A panel for what others contribute, if they do. */
static int64_t room_for(ashi_builder *b, const ashi_operation *group)
{
    ashi_panel p = ashi_group_piece(group);
    p.copies = ashi_program_contributions(b->program, b->rank, group);
    return p.copies > 0 ? ashi_build_panel(b, &p) : ASHI_NO_PANEL;
}

int64_t ashi_build_arrivals(ashi_builder *b, ashi_operation *group)
{
    group->makes = room_for(b, group);
    if (group->makes >= 0)
        ashi_build_operation(b, group);
    return group->makes;
}

void ashi_build_contribution(ashi_builder *b, ashi_operation *group, const ashi_part_sums *sums, bool packs, bool last)
{
    group->makes = room_for(b, group);
    if (packs || group->makes >= 0) {
        ashi_panel packed = ashi_group_piece(group);
        ashi_operation pack = ashi_operation_blank(ASHI_DO_MOVE);
        read_sums(&pack, 0, sums, last);
        pack.makes = ashi_build_panel(b, &packed);
        ashi_build_operation(b, &pack);
        ashi_operation_reads(group, 0, packed.id, true);
    } else {
        read_sums(group, 0, sums, last);
    }
    ashi_build_operation(b, group);
}

void ashi_build_contributions(ashi_builder *b, ashi_operation *group, int64_t packed, const ashi_part_sums *sums,
                              bool last)
{
    ashi_operation pack = ashi_operation_blank(ASHI_DO_MOVE);
    ashi_panel pieces = ashi_group_piece(group);
    pieces.words = packed;
    read_sums(packed > 0 ? &pack : group, 0, sums, last);
    if (packed > 0) {
        pack.makes = ashi_build_panel(b, &pieces);
        ashi_build_operation(b, &pack);
        ashi_operation_reads(group, 0, pack.makes, true);
    }
    ashi_build_operation(b, group);
}

void ashi_build_add(ashi_builder *b, const ashi_operation *group, int64_t arrived, const ashi_part_sums *sums,
                    bool begins, bool last)
{
    const bool kept = sums && sums->kept;
    ashi_operation o = ashi_operation_blank(ASHI_DO_ADD);
    if (kept && arrived < 0)
        return; /* they are where they belong */
    ashi_panel to = ashi_panel_own(&b->program->view[ASHLAR_C], ASHLAR_C, b->rank, &group->box, group->chunk);
    ashi_operation_reads(&o, 0, arrived, true);
    if (sums && !kept)
        read_sums(&o, 1, sums, last);
    o.makes = ashi_build_panel(b, &to);
    o.begins = begins && !kept;
    ashi_build_operation(b, &o);
}

void ashi_build_scale(ashi_builder *b)
{
    const ashi_box all = {0, b->program->m, 0, b->program->n};
    ashi_panel p = ashi_panel_own(&b->program->view[ASHLAR_C], ASHLAR_C, b->rank, &all, ashi_whole);
    ashi_operation o = ashi_operation_blank(ASHI_DO_SCALE);
    o.makes = ashi_build_panel(b, &p);
    o.begins = true;
    ashi_build_operation(b, &o);
}
