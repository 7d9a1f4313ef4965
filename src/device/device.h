/* The one interface to a device: an accelerator with memory of its own, which the host cannot touch.
 *
 * A device has three queues: copies in, copies out, and work. What is put into one queue is done in the order of the
 * calls; the queues work beside each other and beside the host. An event marks a point of a queue, for another queue or
 * the host to wait for. Each kind of device is a row of the table in device.c, as transports are.
 *
 * Pointers into the device are numbers for the host: it may add to them, but reads and writes nothing there. Scalars
 * and lists of pointers are read during the call. Rectangles of the host are read and written until an event after the
 * call has been reached, and may not change or be used before.
 *
 * Errors. A call that can fail returns it at once if it can. What fails later, in a queue, is a failure of the device:
 * from then on it does nothing more, events that come after the failure are reached and say so, and every other call
 * returns ASHLAR_ERR_DEVICE with the text of the first failure. An event from before the failure that no one had seen
 * reached may say so, too. A lack of device memory is no such failure.
 *
 * Calls on one device come from one thread at a time. */
#ifndef ASHI_DEVICE_H
#define ASHI_DEVICE_H

#include <ashlar/base.h>

typedef struct ashi_device ashi_device;
typedef struct ashi_device_event ashi_device_event;

typedef enum ashi_device_queue {
    ASHI_DEVICE_IN,   /* copies from the host */
    ASHI_DEVICE_OUT,  /* copies to the host */
    ASHI_DEVICE_WORK, /* products, sums, permutations */
    ASHI_DEVICE_QUEUES
} ashi_device_queue;

/* What a device says of itself. Rates are 0 if they are not known. */
typedef struct ashi_device_facts {
    const char *name;        /* valid while the device is open */
    int64_t memory;          /* bytes that can be allocated in all */
    int64_t held;            /* bytes that are allocated now */
    int64_t pinned;          /* bytes of the host's memory that the device keeps from being paged out now, */
    int64_t pinned_most;     /* and the most so far */
    int64_t bounce;          /* of these, the most by which copies go that cannot be made directly; others are those of
                                host_allocate */
    double in, out;          /* bytes a second of copies from and to the host */
    double flops;            /* operations a second of products in ASHLAR_TYPE_D */
    double delay;            /* seconds from the beginning of a copy, or of a product, until the rates count */
    double seconds;          /* that all which was done took from the opening on, if the device counts them; else 0 */
} ashi_device_facts;

/* Whose memory an address is in. */
typedef enum ashi_device_owner {
    ASHI_OWNER_HOST,
    ASHI_OWNER_DEVICE, /* the device that was asked */
    ASHI_OWNER_OTHER   /* another device: neither this one nor the host can use it */
} ashi_device_owner;

/* `lines` lines of `bytes` bytes each. Strides are bytes from the beginning of a line to that of the next. */
typedef struct ashi_device_copy {
    const void *from;
    int64_t from_stride;
    void *to;
    int64_t to_stride;
    int64_t bytes, lines;
} ashi_device_copy;

/* C <- alpha op(A) op(B) + beta C as BLAS has it: column-major, op(A) m x k, op(B) k x n. beta = 0: C is not read.
 * alpha = 0: A and B are not read. alpha and beta are one element each, of the host. Of types with 16 bits A and B have
 * elements of the type, and C, alpha, beta and sums are float (ashlar_type_of_sums); no other call has these types. */
typedef struct ashi_device_gemm {
    ashlar_type type;
    ashlar_op op_a, op_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
} ashi_device_gemm;

/* Y <- alpha X, or of its conjugate, + beta Y: column-major, m x n. beta = 0: Y is not read. */
typedef struct ashi_device_sum {
    ashlar_type type;
    bool conjugate;
    int64_t m, n;
    const void *alpha, *beta;
    const void *x;
    void *y;
    int64_t ldx, ldy;
} ashi_device_sum;

enum { ASHI_DEVICE_INDICES = 6 };

/* to[i, j, ...] <- from[i, j, ...], or its conjugate, for all 0 <= i < extent[0] and so on. Strides are elements. */
typedef struct ashi_device_permutation {
    ashlar_type type;
    bool conjugate;
    int indices; /* 1 to ASHI_DEVICE_INDICES */
    int64_t extent[ASHI_DEVICE_INDICES];
    int64_t from_stride[ASHI_DEVICE_INDICES], to_stride[ASHI_DEVICE_INDICES];
    const void *from;
    void *to;
} ashi_device_permutation;

/* A kind of device. */
typedef struct ashi_device_kind {
    const char *name;    /* the text before the colon where a device is named */
    const char *options; /* one line: what may stand behind the colon */

    /* options: the text behind the colon, "" if there is none. ASHLAR_ERR_ARG if they are wrong; ASHLAR_ERR_DEVICE if
     * there is no such device; ASHLAR_ERR_MEMORY. */
    ashlar_status (*open)(const char *options, ashi_device **out, ashlar_error *err);

    /* Wait until nothing is under way, then free all that the device holds. Events are freed before. */
    void (*close)(ashi_device *device);

    ashi_device_facts (*facts)(const ashi_device *device);

    /* Memory of the device, aligned to 256 bytes; bytes >= 1. ASHLAR_ERR_MEMORY with what is free if it is too little.
     * What is released must not be in use by a queue. */
    ashlar_status (*allocate)(ashi_device *device, int64_t bytes, void **out, ashlar_error *err);
    void (*release)(ashi_device *device, void *address); /* NULL does nothing */

    /* Memory of the host, from which copies are as fast as the device can and keep no thread of the host busy;
     * bytes >= 1. Other memory of the host does as well, at what it costs the device. ASHLAR_ERR_MEMORY. */
    ashlar_status (*host_allocate)(ashi_device *device, int64_t bytes, void **out, ashlar_error *err);
    void (*host_release)(ashi_device *device, void *address); /* NULL does nothing */

    /* Who owns an address, and how many bytes from it on belong to the same allocation; *left is 0 for the host's. */
    ashi_device_owner (*owner)(const ashi_device *device, const void *address, int64_t *left);

    ashlar_status (*copy_in)(ashi_device *device, const ashi_device_copy *copy, ashlar_error *err);
    ashlar_status (*copy_out)(ashi_device *device, const ashi_device_copy *copy, ashlar_error *err);
    ashlar_status (*gemm)(ashi_device *device, const ashi_device_gemm *product, ashlar_error *err);

    /* `count` products of the same sizes, ops and scalars: product i is of a[i], b[i] and c[i]. product->a, b and c are
     * not looked at. The three lists are the host's. */
    ashlar_status (*gemm_batched)(ashi_device *device, const ashi_device_gemm *product, int64_t count,
                                  const void *const *a, const void *const *b, void *const *c, ashlar_error *err);
    ashlar_status (*axpby)(ashi_device *device, const ashi_device_sum *sum, ashlar_error *err);
    ashlar_status (*permute)(ashi_device *device, const ashi_device_permutation *permutation, ashlar_error *err);

    /* An event that was never recorded is reached. It may be recorded again; who waits then, waits for the last record
     * before the call. What is freed must not be waited for by a queue. */
    ashlar_status (*event_create)(ashi_device *device, ashi_device_event **out, ashlar_error *err);
    void (*event_free)(ashi_device *device, ashi_device_event *event); /* NULL does nothing */
    ashlar_status (*record)(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, ashlar_error *err);

    /* The queue does nothing more until the event is reached. */
    ashlar_status (*wait)(ashi_device *device, ashi_device_queue queue, ashi_device_event *event, ashlar_error *err);

    /* Whether it is reached; the host waits until it is. Both return the failure if the device failed before that. */
    ashlar_status (*reached)(ashi_device *device, ashi_device_event *event, bool *out, ashlar_error *err);
    ashlar_status (*await)(ashi_device *device, ashi_device_event *event, ashlar_error *err);

    /* The host waits until nothing is under way in any queue. Returns the device's failure. */
    ashlar_status (*finish)(ashi_device *device, ashlar_error *err);

    /* How many devices of this kind the process can open: 0 if there is none. They are numbered from 0, and the options
     * name one by its number alone, or by the number before a comma and the other options: "1", "1,memory=64MiB".
     * Without a number device 0 is opened. ASHLAR_ERR_DEVICE if they cannot be counted; ASHLAR_ERR_ARG. */
    ashlar_status (*count)(int64_t *out, ashlar_error *err);
} ashi_device_kind;

/* What every device, and every event, begins with. */
struct ashi_device {
    const ashi_device_kind *kind;
};

struct ashi_device_event {
    ashi_device *device;
};

/* The kinds that there are; the last entry is NULL. A kind that is in a plug-in (device/plugin.h) has only name,
 * options, open and count here; its open devices have all calls. */
extern const ashi_device_kind *const ashi_device_kinds[];

/* The kind that a text begins with. ASHLAR_ERR_ARG, with the kinds that there are. */
ashlar_status ashi_device_kind_of(const char *text, const ashi_device_kind **out, ashlar_error *err);

/* Open the device that a text names: a kind, and after a colon its options, as "emulated:memory=64MiB". Errors of the
 * kind's `open`; ASHLAR_ERR_ARG, with the kinds that there are, if there is no such kind. */
ashlar_status ashi_device_open(const char *text, ashi_device **out, ashlar_error *err);

/* Close it; NULL does nothing. */
void ashi_device_close(ashi_device **device);

#endif
