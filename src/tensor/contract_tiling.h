/* Contracting tensors on disk with a large tile of one array in memory while the others are streamed past it. */
#ifndef ASHI_CONTRACT_TILING_H
#define ASHI_CONTRACT_TILING_H

#include "engine/nest.h"
#include "search/paper.h"

enum { ASHI_CONTRACT_TILING_RANKS_MOST = 1 << 20 }; /* whose words are counted one by one */

/* Words are of the whole batch. */
typedef struct ashi_contract_tiling {
    bool applicable;
    char reason[ASHLAR_MESSAGE_MAX]; /* why not */
    ashi_nest nest;                  /* of one product of the batch */
    int64_t shape[3];                /* of the largest box of a rank, along I, J and K */
    double disk_of[3];               /* words of A, B and C that all ranks read and write */
    double disk_total, disk_busiest; /* words read and written by all ranks, by the busiest */
    double network_total, network_busiest; /* words received */
    double seconds;                  /* of the busiest rank: disk and network, one after the other as in the paper */
} ashi_contract_tiling;

/* The tiling of search/tiling.h with the fewest words of disk that it finds, on the matrix products of a contraction:
 * whichever array pays stays, with whole edges of tiles, and all ranks share one tile.
 * @param memory_words  of a rank, all of it; @param bytes  of a word; @param adds  C is read, too, as in the paper's
 *        schedules */
ashi_contract_tiling ashi_contract_tiling_make(const ashi_paper_problem *problem, int64_t memory_words, int64_t bytes,
                                               bool adds);

#endif
