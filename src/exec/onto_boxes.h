/* One contraction on a device, box by box, in progress: what the files of exec/onto_boxes*.c share. */
#ifndef ASHI_ONTO_BOXES_H
#define ASHI_ONTO_BOXES_H

#include "exec/onto_contract.h"
#include "exec/onto_lanes.h"
#include "exec/onto_run.h"

/* A part of a box of C that is one piece of the device's memory, as C lies there. */
typedef struct ashi_boxes_chunk {
    int64_t at, words;  /* of the box */
    int64_t number;     /* of the chunk in the box */
    int64_t from[ASHI_CONTRACTION_INDICES], extent[ASHI_CONTRACTION_INDICES]; /* of C's indices, as they lie */
} ashi_boxes_chunk;

/* A is copied to one of two buffers and so is B, by turns in any order: before the fifth time from now the products
 * have waited for this one, and its event may be recorded again. */
enum { ASHI_BOXES_COPIES = 4 };

typedef struct ashi_boxes_run {
    ashi_onto *onto;
    const ashi_onto_cut *cut;
    const ashi_onto_arguments *with;
    ashi_cut_box box;
    char *buffer[3][2];        /* in the device's memory, for boxes as they lie on the host, */
    int turn[3];               /* of which this one is in use: */
    char *raw[3], *matrix[3];  /* a box as it lies on the host, and as it is multiplied */
    ashi_device_event *copied[ASHI_BOXES_COPIES]; /* boxes of A and of B are there: the last times that some came */
    int64_t copies;                               /* how often some have come */
    ashi_device_event *free[2][2]; /* a buffer of A or of B may be written to */
    ashi_device_event *added[2], *contracted[2]; /* a box of C that is added to is there; one is ready to come back */
    int64_t last_use[2][2], last_work[2]; /* for a trace: the last tasks before the latter two */
    int64_t there[2][3];       /* the boxes of A and of B that are on the device: of the batch, the side, the sum */
    bool fresh[2];             /* they have come for the next products, and are not permuted yet */
    ashi_boxes_chunk chunk[ASHI_ONTO_STAGES]; /* in the stages */
    int next_stage;
    int64_t whole, chunks;     /* boxes of C that are whole, and chunks of the next one that are there */
    ashi_onto_lanes lanes;
} ashi_boxes_run;

/* Elements from one value of an index to the next of a matrix in the device's memory: as it lies, or in the order of
 * its first side, its second and the batch. */
typedef struct ashi_boxes_strides {
    int64_t of[ASHI_CUT_GROUPS][ASHI_CONTRACTION_INDICES];
} ashi_boxes_strides;
ashi_boxes_strides ashi_boxes_strides_of(const ashi_boxes_run *run, int matrix, bool permuted);

/* Chunk `number` of a box of C, of at most `words` words; false behind the last. */
bool ashi_boxes_chunk_of(const ashi_onto_cut *cut, const ashi_cut_box *box, int64_t words, int64_t number,
                         ashi_boxes_chunk *out);

/* ---- onto_boxes_move.c ---- */

/* Put a box of a matrix into the queue of copies to the device. */
ashlar_status ashi_boxes_copy_in(ashi_boxes_run *run, int matrix, ashlar_error *err);

/* Permute it there, to the matrix that is multiplied or, of C, back. */
ashlar_status ashi_boxes_permute(ashi_boxes_run *run, int matrix, bool back, ashlar_error *err);

/* Bring the box of C in raw[C] back, and wait until it is in C. after: the last task before it, for a trace. */
ashlar_status ashi_boxes_copy_out(ashi_boxes_run *run, int64_t after, ashlar_error *err);

/* ---- onto_boxes_host.c ---- */

/* Contract on the host what is missing. */
void ashi_boxes_finish_on_host(ashi_boxes_run *run);

/* Bytes of workspace for that. */
int64_t ashi_boxes_host_bytes(const ashi_onto_cut *cut, int64_t chunk_words);

/* ---- onto_boxes.c ---- */

ashlar_status ashi_boxes_contract(ashi_onto *onto, const ashi_onto_way *way, const ashi_onto_arguments *with,
                                  ashlar_error *err);

#endif
