/* What a tiling of matrices in files takes of the disk, the network and the cores. */
#ifndef ASHI_TILING_SECONDS_H
#define ASHI_TILING_SECONDS_H

#include "engine/nest.h"
#include "layout/file_runs.h"

#include <ashlar/machine.h>

/* Pieces of a file that are unpacked, or parsed, whole, however little of them is read. */
typedef struct ashi_tiling_chunks {
    int64_t side[2];     /* along the minor and the major side of the operand's panels; 0: there are none */
    double word_seconds; /* for which a core unpacks or parses a word */
    double word_bytes;   /* of the file, that a word of chunks takes; 0: as elsewhere */
} ashi_tiling_chunks;

typedef struct ashi_tiling_request {
    int64_t size[3];       /* m, n, k, each at least 0; k = 0 if alpha is 0 */
    int64_t ranks;
    int threads;           /* of a rank, which share what the system does for it; 0 is 1 */
    int64_t memory_words;  /* S, that a rank may hold at once */
    int64_t bytes;         /* of a word */
    int flops;             /* of a multiply-add */
    bool adds;             /* C0 is read */
    bool apart;            /* ranks have disks of their own, or are not to send to each other: each reads for itself */
    bool least;            /* all ranks are one team, and the fewest words found are read, whatever the time; not with
                              `apart` */
    bool stays;            /* C stays, so that no sums come back from its file */
    bool fewest_words;     /* no more than 5 % above the fewest words, whatever the time */
    bool minor[3];         /* panels in the pool have their minor side contiguous; best is as in the files, */
    bool file_minor[3];    /* which may differ if BLAS has to conjugate */
    bool in_memory;        /* what is called files lies in memory: short runs cost no more than their bytes */
    double delay;          /* if so: seconds that each box that is read or written, and each product, takes beside */
    ashi_tiling_chunks chunks[3]; /* of A, B and C0 */
    bool seen[3];          /* the matrix is seen in an array, */
    ashi_file_levels levels[3]; /* which lie like this along its minor and its major side */
    bool at_page[3];       /* and whose first element is the first of a page */
    int64_t pages[2];      /* if C is not read: positions of it along m and n that share pages; 0: not known */
    const ashlar_machine *machine;
} ashi_tiling_request;

/* Seconds that the lanes of the busiest rank take, each for itself, and with the overlap that the steps allow. */
typedef struct ashi_tiling_seconds {
    double disk, network, cores, all;
} ashi_tiling_seconds;

/* What a tiling is predicted to take: the lanes played against each other step by step, in closed form, with files read
 * and products made at the machine's rates. */
ashi_tiling_seconds ashi_tiling_predict(const ashi_tiling_request *request, const ashi_nest *nest);

/* How many words of A, B or C0 are unpacked or parsed for each word that is read, in the mean: 1 if tiles and slabs end
 * at the edges of chunks, or if there are none. */
double ashi_tiling_unpacked(const ashi_tiling_request *request, const ashi_nest *nest, ashlar_operand operand);

/* The same prediction with what short runs in files, requests to the disk and thin slabs cost beside that: what choices
 * are compared by. */
ashi_tiling_seconds ashi_tiling_expect(const ashi_tiling_request *request, const ashi_nest *nest);

/* Bytes that the disk moves for all ranks together if it reads and writes whole pages. */
typedef struct ashi_tiling_bytes {
    double read, written;
} ashi_tiling_bytes;

/* What a tiling needs in the mean, of all matrices and of one: pages at the ends of short runs count for each slab that
 * has a part of them, unless slabs follow one another there and these pages are few beside the memory of a rank. */
ashi_tiling_bytes ashi_tiling_pages(const ashi_tiling_request *request, const ashi_nest *nest);
ashi_tiling_bytes ashi_tiling_pages_of(const ashi_tiling_request *request, const ashi_nest *nest,
                                       ashlar_operand operand);

#endif
