/* What a file format must offer: a row of the table in place.c. */
#ifndef ASHI_STORE_FORMAT_H
#define ASHI_STORE_FORMAT_H

#include "store/array.h"
#include "store/output.h"
#include "store/store.h"

/* The functions are called with arguments that are sound: a store of the right mode, a box inside the matrix and not
 * empty, memory for it. They fill err when they fail, and leave store->state for `close` to free.
 *
 * If open, create or join fill store->array, boxes are moved through that, and `read` and `write` are not called. */
typedef struct ashi_format {
    const char *name;            /* in messages */
    const char *endings[3];      /* of the file's name, the last NULL */
    bool named_data_sets;        /* a place is PATH:/dataset */
    ashlar_status (*open)(ashi_store *store, ashlar_error *err);   /* sets info */
    ashlar_status (*create)(ashi_store *store, ashlar_error *err); /* into store->output; may alter info.order */
    ashlar_status (*create_shared)(ashi_store *store, ashlar_error *err); /* to be joined; NULL: `create` does that */
    ashlar_status (*join)(ashi_store *store, const char *temporary, ashlar_error *err);
    ashlar_status (*read)(ashi_store *store, const ashi_array_box *box, void *data, ashlar_error *err);
    ashlar_status (*write)(ashi_store *store, const ashi_array_box *box, const void *data, ashlar_error *err);
    void (*rest)(ashi_store *store); /* of a store opened; NULL if there is nothing to free */
    ashlar_status (*finish)(ashi_store *store, ashlar_error *err); /* all that is written is in the file after it; NULL
                                                                      if that needs nothing beside the array */
    ashlar_status (*render)(void *store, int fd, ashlar_error *err); /* of a store made by create_shared, if that is
                                                                        there: the file to be published instead */
    void (*close)(ashi_store *store); /* state may be NULL or half made; NULL if there is none */
} ashi_format;

extern const ashi_format ashi_format_npy, ashi_format_hdf5, ashi_format_mtx;

/* Give info, of which `tensor` says what is wanted, the shape of an array: of one or two dimensions if it is to be a
 * matrix. False: it has more elements than 64 bits count. */
bool ashi_store_take_shape(ashi_store_info *info, int dimensions, const int64_t *extent);

/* Bytes of an element in a file that is opened. */
int64_t ashi_store_element_bytes(const ashi_store_info *info);

/* Complete the shape of what is to be created: info has the rows and columns of a matrix, or the dimensions of an
 * array. Numbers of type h are only taken with info->half. ASHLAR_ERR_ARG: no such type, order or shape;
 * ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_store_check_shape(ashi_store_info *info, ashlar_error *err);

/* Move a box of a store that is a view; `data` are only read if it is written. */
ashlar_status ashi_store_move_view(ashi_store *store, const ashi_file_box *box, char *data, int64_t row_stride,
                                   int64_t col_stride, bool write, ashlar_error *err);

/* A place, taken apart. */
typedef struct ashi_file_place {
    const ashi_format *format;
    char *path;
    char *data_set; /* from its slash on; NULL for a format that has none */
} ashi_file_place;

/* ASHLAR_ERR_ARG with a line that says how to write a place; frees what it made then. */
ashlar_status ashi_file_place_parse(const char *text, ashi_file_place *out, ashlar_error *err);
void ashi_file_place_free(ashi_file_place *place);

typedef enum ashi_store_mode { ASHI_STORE_READING, ASHI_STORE_CREATED, ASHI_STORE_JOINED } ashi_store_mode;

struct ashi_store {
    ashi_store *whole;    /* the array of which this is a view; NULL: this is none */
    ashi_unfolding view;       /* of that, */
    ashi_unfolding joined;     /* and as it lies there if elements lie one by one */
    ashi_file_place place;
    ashi_store_info info;
    ashi_store_chunks chunks; /* set by `open` */
    int64_t chunk[ASHI_DIMENSIONS_MAX]; /* the extents of chunks that are read whole, */
    int64_t chunks_kept;                /* how many of those read last are kept, */
    double chunk_stored;                /* and the bytes of the file that one has that the array fills, in the mean */
    ashi_store_mode mode;
    bool unpublished;   /* read back under its temporary name */
    bool failed;        /* a write failed, so that what is there must not be published */
    bool passing;       /* ashi_store_pass */
    bool finished;      /* by ashi_store_finish */
    bool published;
    bool rendered;      /* the format's `render` makes what is published */
    ashi_output output; /* of a created store */
    ashi_file_array array;   /* of elements that lie in the file one by one; its fd is -1 if they do not */
    void *state;        /* the format's own */
};

#endif
