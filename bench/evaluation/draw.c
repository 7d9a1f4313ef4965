/* Running gnuplot, where it is installed. */
#include "evaluation/draw.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_RUN = 126 };

ashlar_status ashi_draw(const char *folder, const char *script, ashi_drawn *out, ashlar_error *err)
{
    int ended = 0;
    fflush(NULL); /* the child must not write what is still in buffers */
    const pid_t child = fork();
    *out = ASHI_DRAWN;
    if (child == 0) {
        if (chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(errno == ENOENT ? NOT_FOUND : NOT_RUN);
    }
    if (child < 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "no process can be started: %s", strerror(errno));
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            return ashi_fail(err, ASHLAR_ERR_IO, "gnuplot: %s", strerror(errno));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_FOUND)
        *out = ASHI_NO_PROGRAM;
    else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        return ashi_fail(err, ASHLAR_ERR_IO, "gnuplot failed on %.256s/%s", folder, script);
    return ASHLAR_OK;
}
