/* Requests of MPI under way: posting them, hearing which have ended, and what becomes of them if MPI fails.
 *
 * A failure is noted in the run (ashi_play_fail), and the calls go on, since other ranks wait for what this one still
 * has to send. */
#ifndef ASHI_REQUESTS_H
#define ASHI_REQUESTS_H

#include "exec/play.h"

/* Calls that fail are made again, as often; then what they were for is given up. One that left a request is not made
 * again: it has begun what it was for, and a second receive would wait for a message that has come. */
enum { ASHI_MPI_TRIES = 3 };

typedef enum ashi_request_kind { ASHI_REQUEST_SEND, ASHI_REQUEST_RECEIVE, ASHI_REQUEST_PUT } ashi_request_kind;

/* What a request is for. */
typedef struct ashi_request_of {
    ashi_request_kind kind;
    int64_t number; /* of the task */
    int64_t words;  /* that are awaited, of a receive */
    void *letter;   /* the lane's own */
} ashi_request_of;

/* Post one: its error code. */
typedef int (*ashi_request_post)(void *context, MPI_Request *request);

/* One has ended. status: NULL if MPI did not say how, or if it was given up. */
typedef void (*ashi_request_ended)(ashi_beside *lane, const ashi_request_of *of, MPI_Status *status);

typedef struct ashi_requests {
    ashi_play *play;
    ashi_beside *lane;
    ashi_request_ended ended; /* may post others */
    MPI_Request *request;
    ashi_request_of *of;      /* by request */
    ashi_request_of *over;    /* those that ended in one wait */
    int *done;
    MPI_Status *status;
    int count;
    int64_t capacity;
    int failed_waits;         /* one after the other */
} ashi_requests;

/* Make room for `most` requests under way. Without room one is not posted, and another rank would wait for ever. */
ashlar_status ashi_requests_reserve(ashi_requests *r, int64_t most, ashlar_error *err);

/* Post a request. False: there is none, as that failed for good; `ended` is not called. */
bool ashi_requests_post(ashi_requests *r, const ashi_request_of *of, ashi_request_post post, void *context,
                        const char *call);

/* The same, and ask MPI at once whether it has ended: then `ended` is called before this returns. */
bool ashi_requests_post_and_test(ashi_requests *r, const ashi_request_of *of, ashi_request_post post, void *context,
                                 const char *call);

/* Call `ended` for those that have ended. blocks: wait until there is one. */
void ashi_requests_hear(ashi_requests *r, bool blocks);

/* Note a failure of MPI, unless code is MPI_SUCCESS. */
void ashi_requests_note(const ashi_requests *r, int code, const char *call);

void ashi_requests_free(ashi_requests *r);

#endif
