/* The trace of a product of tiles: all of its products and messages are in the file, and with several iterations in
 * flight products of one overlap messages of later ones. */
#include "folder.h"
#include "mpi/ranks.h"

#include <ashlar/tiles.h>
#include <string.h>

#define PROGRAM "tiles_trace"

enum { TILES = 24, SIZE = 8, LINE = 512 };

typedef struct span {
    double begin, end;
} span;

/* What the file says of a rank: of each step its products, from the first to the last, and its last message. */
typedef struct seen {
    span product[TILES], message[TILES];
    int64_t products, messages, work, words;
} seen;

static void see_product(seen *s, long long step, double begin, double end, long long work)
{
    span *p = &s->product[step];
    p->begin = p->end > 0 && p->begin < begin ? p->begin : begin;
    p->end = end > p->end ? end : p->end;
    s->products++;
    s->work += work;
}

static void see_message(seen *s, long long step, double begin, double end, long long words)
{
    if (end > s->message[step].end)
        s->message[step] = (span){begin, end};
    s->messages++;
    s->words += words;
}

/* A line of the file, if it is an event. */
static void read_line(const char *line, int ranks, seen *of)
{
    static const char form[] = "{\"ph\":\"X\",\"name\":\"%31[^\"]\",\"cat\":\"%*[a-z]\",\"pid\":%d,\"tid\":%*d,"
                               "\"ts\":%lf,\"dur\":%lf,\"args\":{\"step\":%lld,\"words\":%lld";
    char name[32] = "";
    double begin = 0, dur = 0;
    int rank = 0;
    long long step = 0, words = 0;
    if (sscanf(line, form, name, &rank, &begin, &dur, &step, &words) != 6 || rank < 0 || rank >= ranks || step < 0 ||
        step >= TILES)
        return;
    if (strcmp(name, "multiply") == 0)
        see_product(&of[rank], step, begin, begin + dur, words);
    if (strcmp(name, "receive") == 0)
        see_message(&of[rank], step, begin, begin + dur, words);
}

static seen *read_file(rig *r, const char *path)
{
    char line[LINE];
    seen *of = calloc((size_t)r->ranks, sizeof *of);
    FILE *file = fopen(path, "r");
    CHECK(&r->test, of && file, "no file");
    while (of && file && fgets(line, sizeof line, file))
        read_line(line, r->ranks, of);
    if (file)
        fclose(file);
    return of;
}

/* Pairs of a step and a later one of which a message was under way during products of the first. */
static int64_t overlaps(const seen *s)
{
    int64_t count = 0;
    for (int step = 0; step < TILES; step++)
        for (int later = step + 1; later < TILES; later++)
            count += s->message[later].end > s->product[step].begin && s->message[later].begin < s->product[step].end;
    return count;
}

static ashlar_tiles *make(rig *r, ashlar_context *context, bool full)
{
    int64_t sizes[TILES];
    double data[SIZE * SIZE];
    ashlar_tiles *tiles = NULL;
    ashlar_error err = {0};
    for (int i = 0; i < TILES; i++)
        sizes[i] = SIZE;
    for (int i = 0; i < SIZE * SIZE; i++)
        data[i] = i % 7 - 3;
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = sizes};
    CHECK(&r->test, ashlar_tiles_create(context, &d, &tiles, &err) == ASHLAR_OK, "%s", err.text);
    for (int64_t t = 0; tiles && full && t < TILES * TILES; t++)
        if (ashlar_tiles_owner(tiles, t / TILES, t % TILES) == r->rank)
            CHECK(&r->test, ashlar_tiles_put(tiles, t / TILES, t % TILES, SIZE, SIZE, ASHLAR_COL_MAJOR, SIZE, data,
                                             &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, tiles && ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, "%s", err.text);
    return tiles;
}

typedef struct scene {
    rig *r;
    ashlar_tiles *a, *b, *c;
    const char *path;
} scene;

static ashlar_status multiply(const scene *s, const char *trace, int window, ashlar_tiles_result *result,
                              ashlar_error *err)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_options options = {.size = sizeof options, .window = window, .trace = trace};
    return ashlar_tiles_multiply(&one, ASHLAR_OP_N, s->a, ASHLAR_OP_N, s->b, &zero, s->c, &options, result, err);
}

/* The name is read on rank 0 only. The figures of the file are those of the call, rank by rank. */
static int64_t one_trace(const scene *s, int window)
{
    rig *r = s->r;
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    int64_t count = 0;
    CHECK(&r->test, multiply(s, r->rank == 0 ? s->path : "", window, &result, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t mine[] = {result.words, result.messages, result.flops};
    int64_t *all = calloc(3 * (size_t)r->ranks, sizeof *all);
    MPI_Gather(mine, 3, MPI_INT64_T, all, 3, MPI_INT64_T, 0, MPI_COMM_WORLD);
    seen *of = r->rank == 0 ? read_file(r, s->path) : NULL;
    for (int i = 0; of && all && i < r->ranks; i++) {
        CHECK(&r->test, of[i].words == all[3 * i] && of[i].messages == all[3 * i + 1] &&
              2 * of[i].work == all[3 * i + 2] && (of[i].products > 0) == (of[i].work > 0),
              "window %d, rank %d: %lld words in %lld messages, %lld multiply-adds", window, i, (long long)of[i].words,
              (long long)of[i].messages, (long long)of[i].work);
        count += overlaps(&of[i]);
    }
    free(of);
    free(all);
    return count;
}

/* A file that cannot be made, and ranks that do not agree: an error on all ranks, before C is changed. */
static void wrong_calls(const scene *s)
{
    rig *r = s->r;
    char nowhere[PATH_BYTES];
    ashlar_tiles_info info = {.tiles = -1};
    ashlar_error err = {0};
    snprintf(nowhere, sizeof nowhere, "%s/none", s->path);
    ashlar_status status = multiply(s, nowhere, 2, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_IO && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    CHECK(&r->test, ashlar_tiles_inspect(s->c, &info, &err) == ASHLAR_OK && info.tiles == 0, "C was changed");
    if (r->ranks == 1)
        return;
    status = multiply(s, r->rank == 0 ? NULL : s->path, 2, NULL, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    char path[PATH_BYTES] = "";
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    folder f = {""};
    if (r.rank == 0)
        f = folder_make();
    snprintf(path, sizeof path, "%s/trace.json", f.path);
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, &err) == ASHLAR_OK, "%s", err.text);
    scene s = {.r = &r, .a = make(&r, context, true), .b = make(&r, context, true), .c = make(&r, context, false),
               .path = path};
    wrong_calls(&s);
    const int64_t none = one_trace(&s, 1), several = one_trace(&s, 4);
    CHECK(&r.test, none == 0, "%" PRId64 " messages of later iterations, with one in flight", none);
    CHECK(&r.test, r.rank > 0 || r.ranks == 1 || several > 0, "%" PRId64 " with four", several);
    ashlar_tiles_free(&s.a);
    ashlar_tiles_free(&s.b);
    ashlar_tiles_free(&s.c);
    ashlar_context_free(&context);
    if (r.rank == 0)
        folder_remove(&f);
    return ranks_end(&r, PROGRAM);
}
