/* Where a rank sums up its box of C: in its own part of the matrix, in a buffer, or both. */
#include "schedule/schedule.h"

int64_t ashi_home_buffer_words(const ashi_home *home, const ashi_box *box)
{
    const int64_t rows = box->minor_hi - box->minor_lo, cols = box->major_hi - box->major_lo, own = home->hi - home->lo;
    if (home->kind == ASHI_HOME_COLS)
        return rows * (cols - own);
    if (home->kind == ASHI_HOME_ROWS)
        return (rows - own) * cols;
    return rows * cols;
}

int64_t ashi_home_ld(const ashi_home *home, const ashi_box *box)
{
    const int64_t rows = box->minor_hi - box->minor_lo;
    return home->kind == ASHI_HOME_ROWS ? rows - (home->hi - home->lo) : rows;
}

int64_t ashi_home_offset(const ashi_home *home, const ashi_box *box, int64_t minor, int64_t major)
{
    int64_t x = minor - box->minor_lo, y = major - box->major_lo;
    if (home->kind == ASHI_HOME_COLS && major >= home->hi)
        y -= home->hi - home->lo;
    if (home->kind == ASHI_HOME_ROWS && minor >= home->hi)
        x -= home->hi - home->lo;
    return x + y * ashi_home_ld(home, box);
}

static ashi_box box_of(int64_t minor_lo, int64_t minor_hi, int64_t major_lo, int64_t major_hi)
{
    return (ashi_box){minor_lo, minor_hi, major_lo, major_hi};
}

int ashi_home_parts(const ashi_home *home, const ashi_box *box, ashi_home_part out[3])
{
    const ashi_box b = *box;
    int n = 0;
    ashi_home_part all[3] = {{b, false}};
    if (home->kind == ASHI_HOME_COLS) {
        all[0].box = box_of(b.minor_lo, b.minor_hi, b.major_lo, home->lo);
        all[1] = (ashi_home_part){box_of(b.minor_lo, b.minor_hi, home->lo, home->hi), true};
        all[2].box = box_of(b.minor_lo, b.minor_hi, home->hi, b.major_hi);
    } else if (home->kind == ASHI_HOME_ROWS) {
        all[0].box = box_of(b.minor_lo, home->lo, b.major_lo, b.major_hi);
        all[1] = (ashi_home_part){box_of(home->lo, home->hi, b.major_lo, b.major_hi), true};
        all[2].box = box_of(home->hi, b.minor_hi, b.major_lo, b.major_hi);
    }
    for (int i = 0; i < 3; i++)
        if (ashi_box_words(&all[i].box) > 0)
            out[n++] = all[i];
    return n;
}

typedef struct own_tiles {
    const ashi_box *box;
    ashi_box *out;
    int most, count;
    bool cols, rows; /* each is writable, of all rows or all columns, and follows the one before */
} own_tiles;

static void note_tile(void *context, const ashi_block *b)
{
    own_tiles *t = context;
    const ashi_box tile = {b->minor_at, b->minor_at + b->minor_count, b->major_at, b->major_at + b->major_count};
    const bool writable = t->count < t->most && (b->minor_stride == 1 || b->major_stride == 1);
    const ashi_box *last = t->count > 0 ? &t->out[t->count - 1] : NULL;
    t->cols = t->cols && writable && tile.minor_lo == t->box->minor_lo && tile.minor_hi == t->box->minor_hi &&
              (!last || last->major_hi == tile.major_lo);
    t->rows = t->rows && writable && tile.major_lo == t->box->major_lo && tile.major_hi == t->box->major_hi &&
              (!last || last->minor_hi == tile.minor_lo);
    if (t->count < t->most)
        t->out[t->count++] = tile;
}

int ashi_home_tiles(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_box out[ASHI_HOME_TILES_MOST])
{
    own_tiles t = {.box = box, .out = out, .most = ASHI_HOME_TILES_MOST};
    ashi_view_blocks(view, rank, box, ashi_whole, note_tile, &t);
    return t.count;
}

ashi_home ashi_home_find(const ashi_view *view, int64_t rank, const ashi_box *box, bool tiled)
{
    ashi_box tile[ASHI_HOME_TILES_MOST];
    own_tiles t = {.box = box, .out = tile, .most = tiled ? ASHI_HOME_TILES_MOST : 1, .cols = true, .rows = true};
    ashi_view_blocks(view, rank, box, ashi_whole, note_tile, &t);
    if (t.cols && t.count > 0)
        return (ashi_home){ASHI_HOME_COLS, tile[0].major_lo, tile[t.count - 1].major_hi};
    if (t.rows && t.count > 0)
        return (ashi_home){ASHI_HOME_ROWS, tile[0].minor_lo, tile[t.count - 1].minor_hi};
    return (ashi_home){ASHI_HOME_BUFFER, 0, 0};
}

typedef struct own_part {
    int64_t blocks;
    ashi_block block;
} own_part;

static void note_block(void *context, const ashi_block *b)
{
    own_part *p = context;
    p->blocks++;
    p->block = *b;
}

/* Whether a block continues another on the major side, in the box and in the packed piece; in memory it need not. */
static bool continues(const ashi_block *b, const ashi_block *next)
{
    return b->minor_at == next->minor_at && b->minor_count == next->minor_count &&
           b->packed_major_stride == next->packed_major_stride && b->major_at + b->major_count == next->major_at &&
           b->packed + b->major_count * b->packed_major_stride == next->packed;
}

/* The same on the minor side, of blocks of one major position. */
static bool continues_column(const ashi_block *b, const ashi_block *next)
{
    return b->major_count == 1 && next->major_count == 1 && b->major_at == next->major_at &&
           b->minor_at + b->minor_count == next->minor_at && b->packed + b->minor_count == next->packed;
}

static void note_joined(void *context, const ashi_block *b)
{
    own_part *p = context;
    if (p->blocks > 0 && continues(&p->block, b))
        p->block.major_count += b->major_count;
    else if (p->blocks > 0 && continues_column(&p->block, b))
        p->block.minor_count += b->minor_count;
    else
        note_block(p, b);
}

bool ashi_home_is_packed(const ashi_home *home, const ashi_view *view, int64_t owner, const ashi_box *box,
                         ashi_chunk chunk, int64_t *offset)
{
    own_part part = {0};
    ashi_view_blocks(view, owner, box, chunk, note_joined, &part);
    *offset = ashi_home_offset(home, box, part.block.minor_at, part.block.major_at);
    return part.blocks == 1 && (part.block.minor_count == ashi_home_ld(home, box) || part.block.major_count == 1);
}
