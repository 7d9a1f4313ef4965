/* Requests of MPI under way: posting them, hearing which have ended, and what becomes of them if MPI fails. */
#include "exec/requests.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"

#include <stdlib.h>

void ashi_requests_note(const ashi_requests *r, int code, const char *call)
{
    ashlar_error err;
    if (ashi_mpi(code, call, &err) != ASHLAR_OK)
        ashi_play_fail(r->play, &err);
}

ashlar_status ashi_requests_reserve(ashi_requests *r, int64_t most, ashlar_error *err)
{
    int64_t bytes = 0;
    const int64_t each = sizeof *r->request + 2 * sizeof *r->of + sizeof *r->done + sizeof *r->status;
    if (!ashi_mul(most, each, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "player: %lld requests", (long long)most);
    const size_t count = (size_t)ashi_max(1, most);
    r->request = malloc(count * sizeof *r->request);
    r->of = malloc(count * sizeof *r->of);
    r->over = malloc(count * sizeof *r->over);
    r->done = malloc(count * sizeof *r->done);
    r->status = malloc(count * sizeof *r->status);
    if (!r->request || !r->of || !r->over || !r->done || !r->status)
        return ashi_fail_memory(err, "player", bytes);
    r->capacity = most;
    return ASHLAR_OK;
}

/* Whether there is room for one request more: there always is. */
static bool room(const ashi_requests *r)
{
    ashlar_error err = {0};
    if (r->count < r->capacity)
        return true;
    ashi_fail(&err, ASHLAR_ERR_INTERNAL, "player: more than the %lld requests planned", (long long)r->capacity);
    ashi_play_fail(r->play, &err);
    return false;
}

/* Post one into the last place, which it has then. */
static bool try_to_post(ashi_requests *r, const ashi_request_of *of, ashi_request_post post, void *context,
                        const char *call)
{
    if (!room(r))
        return false;
    MPI_Request *request = &r->request[r->count];
    int code = MPI_ERR_OTHER;
    *request = MPI_REQUEST_NULL;
    for (int i = 0; i < ASHI_MPI_TRIES && code != MPI_SUCCESS && *request == MPI_REQUEST_NULL; i++) {
        code = post(context, request);
        ashi_requests_note(r, code, call);
    }
    if (*request == MPI_REQUEST_NULL)
        return false;
    r->of[r->count++] = *of;
    return true;
}

bool ashi_requests_post(ashi_requests *r, const ashi_request_of *of, ashi_request_post post, void *context,
                        const char *call)
{
    return try_to_post(r, of, post, context, call);
}

bool ashi_requests_post_and_test(ashi_requests *r, const ashi_request_of *of, ashi_request_post post, void *context,
                                 const char *call)
{
    if (!try_to_post(r, of, post, context, call))
        return false;
    int ended = 0;
    MPI_Status status;
    MPI_Request *request = &r->request[r->count - 1];
    const int code = MPI_Test(request, &ended, &status);
    ashi_requests_note(r, code, "MPI_Test");
    if (code == MPI_SUCCESS ? !ended : *request != MPI_REQUEST_NULL)
        return true;
    r->count--;
    r->ended(r->lane, of, code == MPI_SUCCESS ? &status : NULL);
    return true;
}

static int larger_first(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

/* Whether a wait has said which requests ended, be it with an error. */
static bool said(int code)
{
    int class = MPI_SUCCESS;
    return code == MPI_SUCCESS || (MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_IN_STATUS);
}

/* After a wait that failed only the requests themselves say which have ended. */
static int ended_unsaid(ashi_requests *r)
{
    int count = 0;
    for (int i = 0; i < r->count; i++)
        if (r->request[i] == MPI_REQUEST_NULL)
            r->done[count++] = i;
    return count;
}

/* Requests that have ended are replaced by the last ones, before others are posted. */
static void end_requests(ashi_requests *r, int count, bool with_status)
{
    for (int i = 0; i < count; i++)
        r->over[i] = r->of[r->done[i]];
    qsort(r->done, (size_t)count, sizeof *r->done, larger_first);
    for (int i = 0; i < count; i++) {
        const int at = r->done[i];
        r->count--;
        r->request[at] = r->request[r->count];
        r->of[at] = r->of[r->count];
    }
    for (int i = 0; i < count; i++) {
        const ashi_request_of of = r->over[i];
        MPI_Status status = r->status[i];
        r->ended(r->lane, &of, with_status ? &status : NULL);
    }
}

/* MPI does not say any more what has ended. What is left is given up, so that MPI writes no more into memory that is to
 * be freed. The request of a put may not be freed. */
static void give_all_up(ashi_requests *r)
{
    const int left = r->count;
    for (int i = 0; i < left; i++) {
        r->over[i] = r->of[i];
        if (r->request[i] == MPI_REQUEST_NULL || r->of[i].kind == ASHI_REQUEST_PUT)
            continue;
        if (r->of[i].kind == ASHI_REQUEST_RECEIVE)
            ashi_requests_note(r, MPI_Cancel(&r->request[i]), "MPI_Cancel");
        ashi_requests_note(r, MPI_Request_free(&r->request[i]), "MPI_Request_free");
    }
    r->count = 0;
    for (int i = 0; i < left; i++) {
        const ashi_request_of of = r->over[i];
        r->ended(r->lane, &of, NULL);
    }
}

bool ashi_requests_hear(ashi_requests *r, bool blocks)
{
    int count = 0;
    if (r->count == 0)
        return false;
    const int code = blocks ? MPI_Waitsome(r->count, r->request, &count, r->done, r->status)
                            : MPI_Testsome(r->count, r->request, &count, r->done, r->status);
    ashi_requests_note(r, code, blocks ? "MPI_Waitsome" : "MPI_Testsome");
    r->failed_waits = said(code) ? 0 : r->failed_waits + 1;
    if (!said(code))
        count = ended_unsaid(r);
    if (r->failed_waits >= ASHI_MPI_TRIES || count == MPI_UNDEFINED)
        give_all_up(r);
    else
        end_requests(r, count, said(code));
    return count != 0;
}

void ashi_requests_free(ashi_requests *r)
{
    free(r->request);
    free(r->of);
    free(r->over);
    free(r->done);
    free(r->status);
}
