/* What a tiling of matrices in files takes of the disk, the network and the cores. */
#include "search/tiling_seconds.h"

#include "base/checked.h"
#include "engine/grid_schedule.h"
#include "model/rates.h"

#include <math.h>

enum {
    PAGES_PART = 16, /* pages that take less than this part of the memory stay in it */
    BLAS_DEPTH = 256 /* of k that BLAS multiplies at once, about */
};

/* How many chunks a range meets along one index, in the mean of all ranges of `length`. Those that begin at multiples
 * of `unit` meet no chunk together if units are whole chunks. */
static double chunks_met(double length, double size, int64_t chunk, int64_t unit)
{
    const double c = (double)chunk;
    return unit % chunk == 0 ? fmax(length / c, 1) : fmin((length - 1) / c + 1, ceil(size / c));
}

/* Words that are unpacked for a box of minor x major; 0 if there are no chunks. */
static double unpacked_of(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, double minor,
                          double major)
{
    const ashi_tiling_chunks *chunks = &q->chunks[x];
    const double length[2] = {minor, major};
    double words = 1;
    for (int s = 0; s < 2; s++) {
        const int d = ashi_dims_of[x][s];
        if (chunks->side[s] == 0)
            return 0;
        const int64_t chunk = ashi_max(ashi_min(chunks->side[s], q->size[d]), 1); /* at its end there is no more */
        words *= chunks_met(length[s], (double)q->size[d], chunk, ashi_nest_unit(nest, d)) * (double)chunk;
    }
    return words;
}

static double unpack_seconds(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, double minor,
                             double major)
{
    return unpacked_of(q, nest, x, minor, major) * q->chunks[x].word_seconds;
}

/* The box of an operand that one rank has, in the mean, and what it reads of it if `live` ranks share it: at least a
 * unit, if there is not one for each rank. */
static void box_of(const ashi_nest *nest, ashlar_operand x, const double side[3], const double live[2], double box[2])
{
    const int cut = nest->minor[x] ? 1 : 0;
    const double sharers = x == ASHLAR_C ? 1 : live[1 - (int)x];
    for (int s = 0; s < 2; s++)
        box[s] = side[ashi_dims_of[x][s]];
    const double least = fmin(box[cut], (double)ashi_nest_unit(nest, ashi_dims_of[x][cut]));
    box[cut] = fmax(box[cut] / sharers, least > 1 ? least : 0);
}

/* What one item, and one tile, take of each lane. */
typedef struct loads {
    double slabs, network, cores; /* of an item; of the network, all after the first of its slabs is read */
    double begun, back; /* of the disk, beside the slabs: sums that the item begins, and sums that come back to it */
    double tile;        /* of the disk: what stays is read or written */
    double last;        /* of the network: the slab that is read last */
    double items, tiles, cuts; /* of all items, and of all tiles, one in `cuts` begins its sums */
    double of_c;        /* of the disk: a box of C is read or written */
    double unpacking[3]; /* of the disk and of the cores, in all: within `slabs`, `tile` and `begun` */
} loads;

/* How a box lies in its file. */
typedef struct runs {
    double bytes;  /* of the box, and of gaps that are read with it */
    double lines;  /* of the file that it meets, a run in each */
    bool together; /* the runs follow one another: lines are whole, or chunks are read whole */
} runs;

/* At multiples of what ranges of `length` along index d begin: of that itself if the index is cut evenly. */
static int64_t edges_of(const ashi_nest *nest, int d, double length)
{
    const bool even = length >= 1 && floor(length) == length && fmod((double)nest->size[d], length) == 0;
    return even ? (int64_t)length : ashi_nest_unit(nest, d);
}

static runs runs_of(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, double minor, double major)
{
    const int line = x == ASHLAR_C && !q->file_minor[x] ? 1 : !q->file_minor[x] ? 2 : x == ASHLAR_B ? 1 : 0;
    const double run = q->file_minor[x] ? minor : major, length[2] = {minor, major};
    if (q->chunks[x].word_bytes > 0)
        return (runs){unpacked_of(q, nest, x, minor, major) * q->chunks[x].word_bytes, 1, true};
    if (q->seen[x]) {
        const int64_t unit[2] = {edges_of(nest, ashi_dims_of[x][0], minor), edges_of(nest, ashi_dims_of[x][1], major)};
        const ashi_file_runs r = ashi_file_runs_of(&q->levels[x], length, unit, q->bytes, ASHI_DISK_PAGE);
        return (runs){r.count * r.bytes, r.count, r.count <= 1};
    }
    return (runs){.bytes = minor * major * (double)q->bytes, .lines = q->file_minor[x] ? major : minor,
                  .together = run >= (double)q->size[line] || (x != ASHLAR_C && q->chunks[x].side[0] > 0)};
}

/* Whether boxes of an operand that follow one another begin where the one before ended in its lines of the file, so
 * that both need the pages between them. Boxes of arrays are not told apart: some end at the side of a tile. */
static bool goes_on(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x)
{
    const ashi_file_levels *l = &q->levels[x];
    const int side = l->count[0] > 0 && l->level[0][0].stride == 1 ? 0 : 1;
    return !q->seen[x] ||
           (l->count[0] <= 1 && l->count[1] <= 1 && ashi_dims_of[x][side] == ashi_dims_of[nest->stays][2]);
}

/* Whether boxes of an operand in an array are whole pages: its lines are, and so are the units along them. */
static bool is_in_pages(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x)
{
    const ashi_file_levels *l = &q->levels[x];
    const int fast = l->count[0] > 0 && l->level[0][0].stride == 1 ? 0 : 1;
    bool whole = q->seen[x] && q->at_page[x] && l->count[fast] > 0 && l->level[fast][0].stride == 1 &&
                 ashi_nest_unit(nest, ashi_dims_of[x][fast]) * q->bytes % ASHI_DISK_PAGE == 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < l->count[side]; i++)
            whole = whole && ((side == fast && i == 0) || l->level[side][i].stride * q->bytes % ASHI_DISK_PAGE == 0);
    return whole;
}

/* Bytes of the pages that the disk moves for a box. Those at the ends of short runs are read anew for the next slab,
 * unless the slabs follow one another and these pages are few beside the memory that the ranks have. */
static double page_bytes(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, const runs *r)
{
    const bool few = ASHI_DISK_PAGE * r->lines * PAGES_PART < (double)q->memory_words * (double)q->bytes;
    const bool exact = (few && goes_on(q, nest, x)) || r->together || is_in_pages(q, nest, x);
    return exact ? r->bytes : ashi_disk_bytes(r->bytes, r->lines);
}

/* Seconds of the disk for a box. `careful`: with what short runs cost. Each is waited for, and whole pages are read. */
static double box_seconds(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, double minor,
                          double major, bool careful)
{
    const runs r = runs_of(q, nest, x, minor, major);
    if (q->in_memory)
        return r.bytes / q->machine->disk_bandwidth + q->delay;
    const double bytes = careful || q->seen[x] ? page_bytes(q, nest, x, &r) : r.bytes;
    const double run = bytes / fmax(r.lines, 1);
    const double waits = q->seen[x] && ashi_disk_is_given(q->machine) ? ashi_disk_array_waits(r.lines, run)
                                                                      : ashi_disk_waits(r.lines);
    return bytes / q->machine->disk_bandwidth + (careful && !r.together ? waits : 0);
}

/* Seconds of a rank's cores for the requests to the disk for a box. Short runs are fetched in windows, as far as the
 * windows of all lines fit in as much memory as a rank has. */
static double asking_seconds(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x, double minor,
                             double major)
{
    const runs r = runs_of(q, nest, x, minor, major);
    if (q->in_memory)
        return 0;
    const double room = (double)q->memory_words * (double)q->bytes / fmax(r.lines, 1);
    const double run = fmax(r.bytes / fmax(r.lines, 1), fmin(room, ASHI_DISK_WINDOW));
    const double requests = r.bytes / fmax(fmin(r.together ? r.bytes : run, ASHI_DISK_REQUEST), 1);
    return ashi_disk_asks(requests) / fmax(q->threads, 1);
}

/* The mean box of a rank, and how many ranks have one. */
static void shape_of(const ashi_nest *nest, double side[3], double live[2], double count[3])
{
    for (int d = 0; d < 3; d++) {
        const double length = d < 2 ? (double)nest->size[d] / (double)nest->parts[d] : (double)nest->size[d];
        count[d] = fmax((double)nest->cut[d], 1);
        side[d] = length / count[d];
        if (d < 2) {
            live[d] = fmin((double)nest->team[d], fmax(side[d], 1));
            side[d] /= live[d];
        }
    }
}

/* Packed chunks are unpacked by the thread that reads, which takes the disk's time and a core's. */
static void add_unpacking(const ashi_tiling_request *q, const ashi_nest *nest, const double side[3],
                          const double live[2], loads *l)
{
    for (int x = 0; x < 3; x++) {
        double box[2];
        box_of(nest, (ashlar_operand)x, side, live, box);
        const bool stays = x == (int)nest->stays, read = x != ASHLAR_C || q->adds;
        const double seconds = read ? unpack_seconds(q, nest, (ashlar_operand)x, box[0], box[1]) : 0;
        const double times = stays ? l->tiles : x == ASHLAR_C ? l->items / l->cuts : l->items;
        *(stays ? &l->tile : x == ASHLAR_C ? &l->begun : &l->slabs) += seconds;
        l->unpacking[x] = times * seconds;
        l->cores += l->unpacking[x] / l->items;
    }
}

/* What an item takes of the cores beside its products: BLAS packs A and B, and a slab that is thinner than what it
 * multiplies at once makes it go through C more often; requests take the system's time. `tiles`: for each item. */
static double beside_products(const ashi_tiling_request *q, const ashi_nest *nest, const double side[3],
                              const double live[2], double tiles)
{
    const double thin = fmax(1 - side[2] / BLAS_DEPTH, 0);
    const double packed = side[0] * side[2] + side[1] * side[2], passed = side[0] * side[1] / 2 * thin;
    double seconds = (packed + passed) * (double)q->bytes / q->machine->copy_bandwidth;
    for (int x = 0; x < 2; x++) {
        double box[2];
        box_of(nest, (ashlar_operand)x, side, live, box);
        seconds += asking_seconds(q, nest, (ashlar_operand)x, box[0], box[1]) * (x == (int)nest->stays ? tiles : 1);
    }
    const bool comes_back = nest->stays != ASHLAR_C && q->seen[ASHLAR_C];
    if (comes_back && ashi_disk_is_given(q->machine)) /* sums are written, and all but the first are read */
        seconds += asking_seconds(q, nest, ASHLAR_C, side[0], side[1]) * (2 - 1 / fmax((double)nest->cut[2], 1));
    return seconds;
}

/* `careful`, for choosing: with what short runs and thin slabs cost. A prediction takes files to be read, and products
 * to be made, at the rates that were measured. */
static loads loads_of(const ashi_tiling_request *q, const ashi_nest *nest, bool careful)
{
    const ashlar_machine *machine = q->machine;
    const double bytes = (double)q->bytes;
    double side[3], live[2], count[3];
    shape_of(nest, side, live, count);
    const double words[3] = {side[0] * side[2], side[1] * side[2], side[0] * side[1]};
    const double read[2] = {words[0] / live[1], words[1] / live[0]};
    loads l = {.items = count[0] * count[1] * count[2], .cuts = count[2]};
    l.tiles = l.items / count[nest->stays == ASHLAR_C ? 2 : nest->stays == ASHLAR_A ? 1 : 0];
    l.cores = words[2] * side[2] * q->flops / machine->flops_per_second + q->delay;
    l.cores += careful ? beside_products(q, nest, side, live, l.tiles / l.items) : 0;
    for (int x = 0; x < 2; x++) {
        const double sharers = live[1 - x], piece = nest->minor[x] ? 1 : sharers;
        const double reading = box_seconds(q, nest, (ashlar_operand)x, side[x] / piece,
                                           side[2] * piece / sharers, careful);
        if (x == (int)nest->stays) {
            l.tile += reading;
            continue;
        }
        l.slabs += reading;
        l.last = (words[x] - read[x]) * bytes / machine->bandwidth + (sharers - 1) * machine->latency;
        l.network += l.last;
    }
    const double of_c = l.of_c = box_seconds(q, nest, ASHLAR_C, side[0], side[1], careful);
    if (nest->stays == ASHLAR_C) {
        l.tile += of_c * (nest->adds ? 2 : 1);
    } else {
        l.begun = of_c * (nest->adds ? 2 : 1);
        l.back = of_c * 2;
    }
    add_unpacking(q, nest, side, live, &l);
    return l;
}

/* A step, which ends with the last of its lanes: the disk, for `disk` seconds; the network; the cores, after `wait`. */
static double step_of(const loads *l, double disk, double wait)
{
    return fmax(fmax(disk + l->last, l->network), wait + l->cores);
}

/* The mean over the items, if the disk works for `disk` seconds in a step beside its sums. */
static double mean_step(const loads *l, double disk, double wait)
{
    return (step_of(l, disk + l->begun, wait) + (l->cuts - 1) * step_of(l, disk + l->back, wait)) / l->cuts;
}

/* The lanes played against each other. What is read is sent at once, so only the last slab's messages come after the
 * disk. If the tile changes, the cores wait for the first strip of C, or for all of A or B. The first slabs are read,
 * and the last ones multiplied and the last sums written, with nothing beside that. */
static ashi_tiling_seconds seconds_of(const loads *of, const ashi_nest *nest)
{
    const loads l = *of;
    const double sums = (l.begun + (l.cuts - 1) * l.back) / l.cuts;
    ashi_tiling_seconds s = {.disk = l.items * (l.slabs + sums) + l.tiles * l.tile, .network = l.items * l.network,
                             .cores = l.items * l.cores};
    if (nest->ahead == 0) {
        const double counted_twice = l.unpacking[0] + l.unpacking[1] + l.unpacking[2];
        s.all = s.disk + s.network + s.cores - counted_twice;
        return s;
    }
    const bool c_stays = nest->stays == ASHLAR_C;
    const double wait = c_stays ? l.tile / (double)nest->strips : l.tile;
    const double steady = mean_step(&l, l.slabs, 0), change = mean_step(&l, l.slabs + l.tile, wait);
    s.all = l.slabs + l.last + l.cores + l.back / 2;
    if (c_stays) /* the first tile is no change, and the last one is written after all else */
        s.all += (l.items - l.tiles) * steady + (l.tiles - 1) * change + l.tile;
    else
        s.all += fmax(l.items - 1 - l.tiles, 0) * steady + l.tiles * change;
    return s;
}

static bool is_idle(const ashi_nest *nest)
{
    return nest->parts[0] == 0 || nest->parts[1] == 0;
}

/* The lanes above read and write at the rate of both at once. A disk that does mostly one of them is slower. */
static double least_of_disk(const ashi_tiling_request *q, const ashi_nest *nest, const loads *l)
{
    const bool c_stays = nest->stays == ASHLAR_C;
    const double boxes = c_stays ? l->tiles : l->items, begun = c_stays ? l->tiles : l->items / l->cuts;
    const double writing = boxes * l->of_c, sums = (boxes - begun + (nest->adds ? begun : 0)) * l->of_c;
    const double unpacking = l->unpacking[ASHLAR_A] + l->unpacking[ASHLAR_B];
    const double reading = l->items * l->slabs + (c_stays ? 0 : l->tiles * l->tile) + sums - unpacking;
    const double slower = fmax(reading / ashi_read_rate(q->machine), writing / ashi_write_rate(q->machine));
    return slower * q->machine->disk_bandwidth + unpacking + l->unpacking[ASHLAR_C];
}

ashi_tiling_seconds ashi_tiling_predict(const ashi_tiling_request *q, const ashi_nest *nest)
{
    if (is_idle(nest))
        return (ashi_tiling_seconds){0, 0, 0, 0};
    const loads l = loads_of(q, nest, false);
    ashi_tiling_seconds s = seconds_of(&l, nest);
    s.disk = fmax(s.disk, least_of_disk(q, nest, &l));
    s.all = fmax(s.all, s.disk);
    return s;
}

ashi_tiling_seconds ashi_tiling_expect(const ashi_tiling_request *q, const ashi_nest *nest)
{
    if (is_idle(nest))
        return (ashi_tiling_seconds){0, 0, 0, 0};
    const loads l = loads_of(q, nest, true);
    ashi_tiling_seconds s = seconds_of(&l, nest);
    if (ashi_disk_is_given(q->machine) && (q->seen[0] || q->seen[1] || q->seen[2]))
        s.all = fmax(s.all, least_of_disk(q, nest, &l));
    return s;
}

double ashi_tiling_unpacked(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x)
{
    double side[3], live[2], count[3], box[2];
    if (is_idle(nest))
        return 1;
    shape_of(nest, side, live, count);
    box_of(nest, x, side, live, box);
    return fmax(unpacked_of(q, nest, x, box[0], box[1]) / fmax(box[0] * box[1], 1), 1);
}

ashi_tiling_bytes ashi_tiling_pages_of(const ashi_tiling_request *q, const ashi_nest *nest, ashlar_operand x)
{
    double side[3], live[2], count[3], box[2];
    if (is_idle(nest))
        return (ashi_tiling_bytes){0, 0};
    shape_of(nest, side, live, count);
    box_of(nest, x, side, live, box);
    const runs r = runs_of(q, nest, x, box[0], box[1]);
    const double ranks = live[0] * live[1] * (double)nest->parts[0] * (double)nest->parts[1];
    const double items = count[0] * count[1] * count[2];
    const double tiles = items / count[nest->stays == ASHLAR_C ? 2 : nest->stays == ASHLAR_A ? 1 : 0];
    const double bytes = page_bytes(q, nest, x, &r), own = box[0] * box[1] * (double)q->bytes;
    const double times = (x == nest->stays ? tiles : items) * ranks;
    const double begun = nest->stays == ASHLAR_C ? times : times / count[2];
    if (x < ASHLAR_C)
        return (ashi_tiling_bytes){times * bytes, 0};
    /* sums come back, and a page that is written in parts is read before */
    const double back = times - begun + (q->adds ? begun : 0);
    return (ashi_tiling_bytes){back * bytes + begun * (q->adds ? 0 : bytes - own), times * bytes};
}

ashi_tiling_bytes ashi_tiling_pages(const ashi_tiling_request *q, const ashi_nest *nest)
{
    ashi_tiling_bytes out = {0, 0};
    for (int x = 0; x < 3; x++) {
        const ashi_tiling_bytes of = ashi_tiling_pages_of(q, nest, (ashlar_operand)x);
        out.read += of.read;
        out.written += of.written;
    }
    return out;
}
