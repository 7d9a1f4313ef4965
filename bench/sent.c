/* The messages with matrix elements that this rank hands to MPI, recorded by its profiling interface. */
#include "sent.h"
#include "die.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 64 };

/* The elements of each message, in the order of the calls. */
typedef struct list {
    int64_t *words;
    int64_t count, room;
} list;

enum { SENT, RECEIVED, LISTS };
static list lists[LISTS][RANKS_MOST];

uint64_t ashi_sent_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9E3779B97F4A7C15u + b + 0xC2B2AE3D27D4EB4Fu;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void append(list *to, int64_t words)
{
    if (to->count == to->room) {
        const int64_t room = to->room > 0 ? 2 * to->room : 64;
        int64_t *more = ashi_need(room, (long long)sizeof *more);
        if (to->count > 0)
            memcpy(more, to->words, (size_t)to->count * sizeof *more);
        free(to->words);
        to->words = more;
        to->room = room;
    }
    to->words[to->count++] = words;
}

/* The library's element types are predefined; a derived type is unknown here, and the count of words shows that. */
static bool holds_elements(MPI_Datatype type)
{
    return type == MPI_FLOAT || type == MPI_DOUBLE || type == MPI_C_FLOAT_COMPLEX || type == MPI_C_DOUBLE_COMPLEX ||
           type == MPI_COMPLEX || type == MPI_DOUBLE_COMPLEX;
}

static void record(int which, int count, MPI_Datatype type, int peer)
{
    if (count < 1 || peer < 0 || !holds_elements(type))
        return;
    if (peer >= RANKS_MOST)
        ashi_die("a message to or from rank %d; at most %d ranks are recorded", peer, RANKS_MOST);
    append(&lists[which][peer], count);
}

static void note_send(int to, int count, MPI_Datatype type, MPI_Comm comm)
{
    (void)comm; /* those of the library have the ranks of MPI_COMM_WORLD */
    record(SENT, count, type, to);
}

#include "sends.inc"

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    record(RECEIVED, count, type, from);
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    record(RECEIVED, count, type, from);
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

int MPI_Put(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
            MPI_Win window)
{
    record(SENT, count, type, to);
    return PMPI_Put(buffer, count, type, to, at, there, there_type, window);
}

int MPI_Rput(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
             MPI_Win window, MPI_Request *request)
{
    record(SENT, count, type, to);
    return PMPI_Rput(buffer, count, type, to, at, there, there_type, window, request);
}

void ashi_sent_begin(void)
{
    for (int which = 0; which < LISTS; which++)
        for (int peer = 0; peer < RANKS_MOST; peer++) {
            free(lists[which][peer].words);
            lists[which][peer] = (list){0};
        }
}

/* Of one list in its order; 0 if it is empty. */
static uint64_t digest_order(const list *l, uint64_t start, bool backwards)
{
    uint64_t out = start;
    for (int64_t i = 0; i < l->count; i++)
        out = ashi_sent_mix(out, (uint64_t)l->words[backwards ? l->count - 1 - i : i]);
    return l->count > 0 ? out : 0;
}

ashi_sent ashi_sent_end(bool backwards)
{
    int rank = 0;
    uint64_t mine[3] = {0}, all[3] = {0}; /* as in ashi_sent; sums, which no order of the ranks changes */
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        ashi_die("MPI_Comm_rank failed");
    for (int peer = 0; peer < RANKS_MOST; peer++) {
        const uint64_t to = ashi_sent_mix((uint64_t)rank, (uint64_t)peer);
        const uint64_t from = ashi_sent_mix((uint64_t)peer, (uint64_t)rank);
        const list *sent = &lists[SENT][peer];
        for (int64_t i = 0; i < sent->count; i++) {
            mine[0] += ashi_sent_mix(to, (uint64_t)sent->words[i]);
            mine[2] += (uint64_t)sent->words[i];
        }
        mine[1] += digest_order(&lists[RECEIVED][peer], from, backwards);
    }
    if (PMPI_Allreduce(mine, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return (ashi_sent){.messages = all[0], .order = all[1], .words = (int64_t)all[2]};
}
