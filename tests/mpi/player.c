/* Programs on matrices in files, played on all ranks: the product, what was moved, and what failures come to. */
#define PROGRAM "player"

#include "base/error.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "mpi/multiplying.h"
#include "mpi/random_threads.h"
#include "mpi/ranks.h"
#include "random_nest.h"
#include "store/strided.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { FOLDER = 64, NAME = 96 };

/* ---- MPI that fails once ---- */

static int64_t calls_left; /* of the player's calls: that one fails; below 0: none does */

static bool fails_now(void)
{
    return calls_left >= 0 && calls_left-- == 0;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Waitsome(count, requests, done, indices, statuses);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Test(MPI_Request *request, int *ended, MPI_Status *status)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Test(request, ended, status);
}

int MPI_Rput(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
             MPI_Win window, MPI_Request *request)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Rput(data, count, type, to, at, there, there_type, window, request);
}

int MPI_Win_flush(int to, MPI_Win window)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Win_flush(to, window);
}

int MPI_Win_sync(MPI_Win window)
{
    return fails_now() ? MPI_ERR_OTHER : PMPI_Win_sync(window);
}

/* ---- a matrix in a file ---- */

/* As a program sees it: x is A, B or C. The file has op's argument. */
typedef struct filed {
    char path[NAME];
    int64_t rows, cols; /* of what is stored */
    ashi_plain_file plain;
    ashlar_type type;
    int64_t calls_left; /* of `read` and `write`: that one fails; below 0: none does */
    ashi_file_source source;
} filed;

static int64_t place_in_file(const filed *f, const ashi_panel *p, int64_t i, int64_t j)
{
    const int64_t at = (p->lo[0] + i) * f->plain.stride[0] + (p->lo[1] + j) * f->plain.stride[1];
    return f->plain.offset + at * (int64_t)ashlar_type_bytes(f->type);
}

/* The numbers of an element between the file's order of bytes and the machine's. */
static void turn_bytes(const filed *f, void *element)
{
    const ashi_type *type = ashi_type_of(f->type);
    if (f->plain.swapped)
        ashi_swap_bytes(type->complex ? type->bytes / 2 : type->bytes, type->complex ? 2 : 1, element);
}

/* Calls of files that are not plain: how many were on another thread than the program's, and at the same time. */
static pthread_t program_thread;
static atomic_int under_way, beside, together;

static void call_begins(void)
{
    together += atomic_fetch_add(&under_way, 1) > 0;
    beside += !pthread_equal(pthread_self(), program_thread);
}

static bool file_fails(filed *f)
{
    return f->calls_left >= 0 && f->calls_left-- == 0;
}

static ashlar_status read_each(filed *f, const ashi_panel *p, void *data, const int64_t *stride, ashlar_error *err)
{
    const size_t bytes = ashlar_type_bytes(f->type);
    if (file_fails(f))
        return ashi_fail(err, ASHLAR_ERR_IO, "%s: cannot read", f->path);
    for (int64_t i = 0; i < p->hi[0] - p->lo[0]; i++)
        for (int64_t j = 0; j < p->hi[1] - p->lo[1]; j++) {
            char *to = (char *)data + (i * stride[0] + j * stride[1]) * (int64_t)bytes;
            if (pread(f->plain.fd, to, bytes, place_in_file(f, p, i, j)) != (ssize_t)bytes)
                return ashi_fail(err, ASHLAR_ERR_IO, "%s: too short", f->path);
            turn_bytes(f, to);
        }
    return ASHLAR_OK;
}

static ashlar_status write_each(filed *f, const ashi_panel *p, const void *data, const int64_t *stride,
                                ashlar_error *err)
{
    const size_t bytes = ashlar_type_bytes(f->type);
    if (file_fails(f))
        return ashi_fail(err, ASHLAR_ERR_IO, "%s: cannot write", f->path);
    for (int64_t i = 0; i < p->hi[0] - p->lo[0]; i++)
        for (int64_t j = 0; j < p->hi[1] - p->lo[1]; j++) {
            unsigned char element[16];
            memcpy(element, (const char *)data + (i * stride[0] + j * stride[1]) * (int64_t)bytes, bytes);
            turn_bytes(f, element);
            if (pwrite(f->plain.fd, element, bytes, place_in_file(f, p, i, j)) != (ssize_t)bytes)
                return ashi_fail(err, ASHLAR_ERR_IO, "%s: cannot write", f->path);
        }
    return ASHLAR_OK;
}

/* Element by element: a file that is not plain. */
static ashlar_status read_elements(void *file, const ashi_panel *p, void *data, const int64_t *stride,
                                   ashlar_error *err)
{
    call_begins();
    const ashlar_status status = read_each(file, p, data, stride, err);
    under_way--;
    return status;
}

static ashlar_status write_elements(void *file, const ashi_panel *p, const void *data, const int64_t *stride,
                                    ashlar_error *err)
{
    call_begins();
    const ashlar_status status = write_each(file, p, data, stride, err);
    under_way--;
    return status;
}

/* Rank 0 fills it; all ranks open it. */
static bool file_make(filed *f, uint64_t *state, const product *p, int x, const char *folder, int rank)
{
    static const char *const names[] = {"a", "b", "c0", "c"};
    int64_t shape[2];
    const bool turned = x < 2 && p->op[x] != ASHLAR_OP_N, by_rows = ashi_random_in(state, 0, 1);
    product_shape(p, x < 2 ? x : 2, shape);
    *f = (filed){.rows = shape[0], .cols = shape[1], .type = p->type, .calls_left = -1};
    snprintf(f->path, sizeof f->path, "%s/%s", folder, names[x]);
    const int64_t row = by_rows ? shape[1] : 1, col = by_rows ? 1 : shape[0];
    f->plain = (ashi_plain_file){.path = f->path, .offset = ashi_random_in(state, 0, 40),
                                 .swapped = ashi_random_in(state, 0, 1)};
    f->plain.stride[0] = (x == ASHLAR_B) != turned ? col : row; /* op(B) has n minor */
    f->plain.stride[1] = row + col - f->plain.stride[0];
    if (row == col)
        f->plain.stride[1] = row;
    const bool plain = ashi_random_in(state, 0, 2) > 0;
    if (rank == 0) {
        f->plain.fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        const int64_t end = f->plain.offset + f->rows * f->cols * (int64_t)ashlar_type_bytes(f->type);
        bool ok = f->plain.fd >= 0 && ftruncate(f->plain.fd, end) == 0;
        for (int64_t i = 0; i < f->rows * f->cols && x < 3 && ok; i++) {
            unsigned char value[16];
            number_store(f->type, element(&p->content[x], i / f->cols, i % f->cols), value);
            turn_bytes(f, value);
            const int64_t at = i / f->cols * row + i % f->cols * col;
            const size_t bytes = ashlar_type_bytes(f->type);
            ok = pwrite(f->plain.fd, value, bytes, f->plain.offset + at * (int64_t)bytes) == (ssize_t)bytes;
        }
        f->plain.fd = ok ? f->plain.fd : -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        f->plain.fd = open(f->path, O_RDWR);
    f->source = (ashi_file_source){.file = f, .read = read_elements, .write = write_elements, .plain = f->plain,
                                   .conjugate = x < 2 && p->op[x] == ASHLAR_OP_C && ashi_type_of(p->type)->complex};
    if (!plain)
        f->source.plain.fd = -1;
    return f->plain.fd >= 0;
}

static void file_end(filed *f, int rank)
{
    if (f->plain.fd >= 0)
        close(f->plain.fd);
    if (rank == 0)
        unlink(f->path);
}

/* ---- a case ---- */

enum { STREAMED = ASHI_FILE_C + 1 }; /* A, B, C0 and C; no rank has files of its own */

typedef struct streaming {
    ashi_nest nest;
    product product;
    filed file[STREAMED];
    ashi_program program;
    ashi_player_request request;
    ashi_workers *workers;
    unsigned char alpha[16], beta[16];
} streaming;

static number small_integer(uint64_t *state, const product *p)
{
    number n = {(long double)ashi_random_in(state, 1, 3), (long double)ashi_random_in(state, -2, 2)};
    if (!ashi_type_of(p->type)->complex)
        n.im = 0;
    return n;
}

/* The first random choice that has work for no more ranks than there are. */
static ashi_nest nest_for(uint64_t *state, int ranks)
{
    for (;;) {
        ashi_nest nest = random_nest(ashi_random(state));
        if (nest.parts[0] * nest.parts[1] * nest.team[0] * nest.team[1] > ranks)
            continue;
        nest.ranks = ranks;
        return nest;
    }
}

static bool make_case(streaming *s, const rig *r, const char *folder, ashlar_error *err)
{
    uint64_t state = r->seed * 0xA24BAED4963EE407u;
    *s = (streaming){.nest = nest_for(&state, r->ranks)};
    product *p = &s->product;
    random_product(&state, p);
    memcpy(p->size, s->nest.size, sizeof p->size);
    for (int x = 0; x < 3; x++)
        p->content[x].integers = true;
    p->alpha = small_integer(&state, p);
    p->beta = s->nest.adds ? small_integer(&state, p) : (number){0, 0};
    number_store(p->type, p->alpha, s->alpha);
    number_store(p->type, p->beta, s->beta);
    bool ok = true;
    for (int x = 0; x < STREAMED; x++)
        ok = file_make(&s->file[x], &state, p, x, folder, r->rank) && ok;
    s->request = (ashi_player_request){.rank = r->rank, .type = p->type, .comm = MPI_COMM_WORLD, .tag_most = 32767,
                                       .message_most = ashi_random_in(&state, 0, 1) ? ASHI_MESSAGE_MOST : 7,
                                       .keeps = ashi_random_in(&state, 0, 1) ? ASHI_PLAYER_KEEPS : 0,
                                       .disk_threads = (int)ashi_random_in(&state, 0, 4),
                                       .disk_piece = ashi_random_in(&state, 0, 100),
                                       .look_ahead = ashi_random_in(&state, 0, 2),
                                       .one_sided = ashi_random_in(&state, 0, 1),
                                       .one_node = ashi_random_in(&state, 0, 1)};
    if (ashi_random_in(&state, 0, 1))
        s->request.disorder = (ashi_random(&state) | 1) + 2 * (uint64_t)r->rank;
    if (ashi_random_in(&state, 0, 1)) {
        s->request.cut = ashi_random_in(&state, 1, 60);
        s->request.cut_depth = ashi_random_in(&state, 1, 3);
        s->request.cut_columns = ashi_random_in(&state, 1, 3);
    }
    s->request.program = &s->program;
    ok = random_threads(&state, &s->request, &s->workers, err) && ok;
    return ashi_nest_program(&s->nest, &s->program, err) == ASHLAR_OK && ok;
}

static void free_case(streaming *s, const rig *r)
{
    for (int x = 0; x < STREAMED; x++)
        file_end(&s->file[x], r->rank);
    ashi_program_free(&s->program);
    ashi_workers_free(&s->workers);
}

static number wanted_element(const product *p, const number *a, const number *b, int64_t i, int64_t j)
{
    number sum = {0, 0};
    for (int64_t l = 0; l < p->size[2]; l++)
        sum = number_add(sum, number_mul(a[i * p->size[2] + l], b[l + j * p->size[2]]));
    sum = number_mul(p->alpha, sum);
    return number_add(sum, number_mul(p->beta, element(&p->content[2], i, j)));
}

/* Rank 0 reads C's file and compares it with a plain loop: with small integers every sum is exact. */
static void check_product(streaming *s, rig *r)
{
    const product *p = &s->product;
    filed *f = &s->file[ASHI_FILE_C];
    number *a = whole_operand(p, 0, false), *b = whole_operand(p, 1, true);
    int64_t wrong = 0;
    for (int64_t i = 0; i < p->size[0] && a && b; i++)
        for (int64_t j = 0; j < p->size[1]; j++) {
            const ashi_box at = {i, i + 1, j, j + 1};
            const ashi_panel one = ashi_panel_of(ASHLAR_C, &at);
            const int64_t stride[2] = {1, 1};
            unsigned char stored[16];
            ashlar_error err;
            const number w = wanted_element(p, a, b, i, j);
            const bool read = read_elements(f, &one, stored, stride, &err) == ASHLAR_OK;
            const number c = read ? number_load(p->type, stored) : (number){0, 0};
            wrong += !read || c.re != w.re || c.im != w.im;
        }
    CHECK(&r->test, wrong == 0, CASE "%" PRId64 " elements are wrong", CASE_OF(r), wrong);
    free(a);
    free(b);
}

typedef struct steps_seen {
    int64_t done, all, calls;
    bool grew;
} steps_seen;

static void see_step(void *user, int64_t done, int64_t all)
{
    steps_seen *s = user;
    s->grew = s->grew && done > s->done;
    s->done = done;
    s->all = all;
    s->calls++;
}

static ashlar_status play(streaming *s, ashi_player *player, ashi_player_tally *tally, steps_seen *seen,
                          ashlar_error *err)
{
    ashi_player_work work = {.alpha = s->alpha, .beta = s->beta, .progress = see_step, .user = seen};
    *seen = (steps_seen){.grew = true};
    for (int x = 0; x < STREAMED; x++)
        work.file[x] = &s->file[x].source;
    const ashlar_status status = ashi_player_run(player, &work, tally, err);
    MPI_Barrier(MPI_COMM_WORLD);
    return status;
}

/* Twice, the second time over what the first has left. */
static void play_well(streaming *s, ashi_player *player, rig *r)
{
    const ashi_nest_figures f = ashi_nest_of_rank(&s->nest, r->rank);
    for (int time = 0; time < 2; time++) {
        ashi_player_tally t;
        steps_seen seen;
        ashlar_error err = {0};
        CHECK(&r->test, play(s, player, &t, &seen, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        CHECK(&r->test, t.read == f.a + f.b + f.c0 + f.back && t.written == f.c && t.received == f.received &&
                            t.received_messages == f.received_messages && t.sent_messages == f.sent_messages,
              CASE "read %" PRId64 " words, wrote %" PRId64 ", received %" PRId64, CASE_OF(r), t.read, t.written,
              t.received);
        CHECK(&r->test, t.letters == (s->request.one_sided ? f.received_messages + f.sent_messages : 0),
              CASE "%" PRId64 " letters", CASE_OF(r), t.letters);
        CHECK(&r->test, seen.grew && seen.done == s->program.steps && seen.all == s->program.steps,
              CASE "progress to %" PRId64 " of %" PRId64, CASE_OF(r), seen.done, s->program.steps);
        if (r->rank == 0)
            check_product(s, r);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Of this rank, over all cases: a rank's file, a file of all, MPI, memory. */
static int64_t failures[4];

/* One rank's status is the one wanted and has a text; if `heard`, others' are ASHLAR_OK. All come back. */
static void check_failure(rig *r, ashlar_status status, ashlar_status wanted, const char *text, bool failed)
{
    CHECK(&r->test, status == (failed ? wanted : ASHLAR_OK) && (!failed || text[0]),
          CASE "status %d where %d is wanted: %s", CASE_OF(r), (int)status, failed ? (int)wanted : 0, text);
}

/* A read or a write of one rank fails. */
static void play_on_bad_file(streaming *s, ashi_player *player, rig *r)
{
    const int victim = (int)(r->seed % (uint64_t)r->ranks), x = (int)(r->seed / 3 % STREAMED);
    filed *f = &s->file[x];
    ashi_player_tally t;
    steps_seen seen;
    ashlar_error err = {0};
    const int fd = f->source.plain.fd;
    f->source.plain.fd = -1;
    f->calls_left = r->rank == victim ? (int64_t)(r->seed / 5 % 3) : -1;
    const ashlar_status status = play(s, player, &t, &seen, &err);
    check_failure(r, status, ASHLAR_ERR_IO, err.text, r->rank == victim && f->calls_left < 0);
    failures[0] += status != ASHLAR_OK;
    f->calls_left = -1;
    f->source.plain.fd = fd;
}

/* A plain file that ends too early, on all ranks that read it by themselves. */
static void play_on_short_file(streaming *s, ashi_player *player, rig *r)
{
    filed *f = &s->file[r->seed % 2];
    const ashi_file_source source = f->source;
    ashi_player_tally t;
    steps_seen seen;
    ashlar_error err = {0};
    f->source.plain = f->plain;
    f->source.plain.offset += INT64_C(1) << 40;
    const ashi_nest_figures own = ashi_nest_of_rank(&s->nest, r->rank);
    const int64_t reads = r->seed % 2 == 0 ? own.a : own.b;
    const ashlar_status status = play(s, player, &t, &seen, &err);
    CHECK(&r->test, status == ASHLAR_OK || (reads > 0 && status == ASHLAR_ERR_IO && strstr(err.text, f->path)),
          CASE "%d: %s", CASE_OF(r), (int)status, err.text);
    failures[1] += status != ASHLAR_OK;
    int worst = (int)status, all = 0;
    int64_t read_by_all = 0;
    MPI_Allreduce(&worst, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&reads, &read_by_all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, all == (read_by_all > 0 ? (int)ASHLAR_ERR_IO : (int)ASHLAR_OK),
          CASE "a file that is too short was read: %d", CASE_OF(r), all);
    f->source = source;
}

/* ---- a program that cannot be passed once ---- */

static ashlar_status (*emit_well)(ashi_program *program, int64_t rank, int64_t step,
                                  const ashi_program_visitor *visitor, ashlar_error *err);
static int64_t emits_left; /* that one fails; below 0: none does */

static ashlar_status emit_or_fail(ashi_program *program, int64_t rank, int64_t step,
                                  const ashi_program_visitor *visitor, ashlar_error *err)
{
    if (emits_left >= 0 && emits_left-- == 0)
        return ashi_fail_memory(err, "test", 1);
    return emit_well(program, rank, step, visitor, err);
}

static void play_without_memory(streaming *s, ashi_player *player, rig *r)
{
    const int victim = (int)(r->seed % (uint64_t)r->ranks);
    ashi_player_tally t;
    steps_seen seen;
    ashlar_error err = {0};
    emit_well = s->program.emit;
    s->program.emit = emit_or_fail;
    emits_left = r->rank == victim ? (int64_t)(r->seed / 7 % (uint64_t)s->program.steps) : -1;
    const bool armed = emits_left >= 0;
    const ashlar_status status = play(s, player, &t, &seen, &err);
    check_failure(r, status, ASHLAR_ERR_MEMORY, err.text, armed && emits_left < 0);
    failures[3] += status != ASHLAR_OK;
    emits_left = -1;
    s->program.emit = emit_well;
}

/* One call of MPI fails on one rank. */
static void play_on_bad_network(streaming *s, ashi_player *player, rig *r)
{
    const int victim = (int)(r->seed % (uint64_t)r->ranks);
    ashi_player_tally t;
    steps_seen seen;
    ashlar_error err = {0};
    calls_left = r->rank == victim ? (int64_t)(r->seed / 7 % 23) : -1;
    const bool armed = calls_left >= 0;
    ashi_player_work work = {.alpha = s->alpha, .beta = s->beta, .progress = see_step, .user = &seen};
    seen = (steps_seen){.grew = true};
    for (int x = 0; x < STREAMED; x++)
        work.file[x] = &s->file[x].source;
    const ashlar_status status = ashi_player_run(player, &work, &t, &err);
    const bool failed = armed && calls_left < 0;
    calls_left = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    check_failure(r, status, ASHLAR_ERR_MPI, err.text, failed);
    failures[2] += status != ASHLAR_OK;
}

static void try_case(rig *r, const char *folder)
{
    streaming s;
    ashi_player *player = NULL;
    ashlar_error err = {0};
    const bool made = make_case(&s, r, folder, &err) &&
                      ashi_player_create(&s.request, &player, &err) == ASHLAR_OK &&
                      ashi_player_open(player, &err) == ASHLAR_OK;
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    if (made) {
        play_on_bad_file(&s, player, r);
        play_on_short_file(&s, player, r);
        play_on_bad_network(&s, player, r);
        play_without_memory(&s, player, r);
        play_well(&s, player, r);
    }
    ashi_player_free(&player);
    MPI_Barrier(MPI_COMM_WORLD);
    free_case(&s, r);
}

int main(int argc, char **argv)
{
    rig r;
    char folder[FOLDER] = "/tmp/ashlar-player-XXXXXX";
    if (!ranks_begin(&r, &argc, &argv, 60))
        return 1;
    calls_left = -1;
    program_thread = pthread_self();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(&r.test, r.rank != 0 || mkdtemp(folder), "no folder");
    MPI_Bcast(folder, FOLDER, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        try_case(&r, folder);
    }
    if (r.rank == 0)
        rmdir(folder);
    int found[2] = {beside, together};
    MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r.test, found[1] == 0 && (found[0] > 0 || argc > 1),
          "of files that are not plain %d calls were beside the program, %d at the same time", found[0], found[1]);
    MPI_Allreduce(MPI_IN_PLACE, failures, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 4 && argc == 1; i++)
        CHECK(&r.test, failures[i] > 0 || (i == 2 && r.ranks == 1), "no failure of kind %d was tried", i);
    return ranks_end(&r, PROGRAM);
}
