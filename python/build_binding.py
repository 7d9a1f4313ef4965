"""Makes the C module that ashlar is built on: every declaration is read from Ashlar's public headers.

    python3 build_binding.py HEADERS OUTPUT.c

writes the module's source; setup.py and CMake compile it. cffi reads the declarations, and the compiler compares them
with the headers, which the source includes: what differs does not compile.
"""
import re
import sys
from pathlib import Path

import cffi

# A communicator is a pointer in one MPI and a number in another. It is passed by its address, which is what
# mpi4py.MPI._addressof gives.
HAND_WRITTEN_DECLARATIONS = """
int ashlar_python_started(int *started, int *finished);
int ashlar_python_start(void);
int ashlar_python_finish(void);
int ashlar_python_threads(void);
int ashlar_python_size(const void *comm, int *size, int *rank);
const void *ashlar_python_self(void);
const void *ashlar_python_world(void);
const char *ashlar_python_built_with(void);
const char *ashlar_python_running_with(void);
const char *ashlar_python_command(void);
int ashlar_python_guard(void);
int ashlar_python_unguard(void);
ashlar_status ashlar_python_context(const void *comm, ashlar_context **out, ashlar_error *err);
"""

SOURCE = r"""
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <ashlar/ashlar.h>

#ifndef ASHLAR_PYTHON_COMMAND
#define ASHLAR_PYTHON_COMMAND "ashlar"
#endif

static int ashlar_python_started(int *started, int *finished)
{
    int status = MPI_Initialized(started);
    return status != MPI_SUCCESS ? status : MPI_Finalized(finished);
}

static int ashlar_python_start(void)
{
    int provided;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
}

static int ashlar_python_finish(void)
{
    return MPI_Finalize();
}

/* Whether several threads may call MPI at the same time. */
static int ashlar_python_threads(void)
{
    int provided = MPI_THREAD_SINGLE;
    return MPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE;
}

static int ashlar_python_size(const void *comm, int *size, int *rank)
{
    int status = MPI_Comm_size(*(const MPI_Comm *)comm, size);
    return status != MPI_SUCCESS ? status : MPI_Comm_rank(*(const MPI_Comm *)comm, rank);
}

static const void *ashlar_python_self(void)
{
    static MPI_Comm self;
    self = MPI_COMM_SELF;
    return &self;
}

static const void *ashlar_python_world(void)
{
    static MPI_Comm world;
    world = MPI_COMM_WORLD;
    return &world;
}

/* The family of MPI whose header was included: its handles fit no other. */
static const char *ashlar_python_built_with(void)
{
#if defined OPEN_MPI
    return "Open MPI";
#elif defined MPICH_VERSION
    return "MPICH";
#else
    return "";
#endif
}

static const char *ashlar_python_running_with(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) text[0] = '\0';
    return text;
}

static const char *ashlar_python_command(void)
{
    return ASHLAR_PYTHON_COMMAND;
}

static struct sigaction ashlar_python_handler; /* of SIGINT, as it was */
static volatile sig_atomic_t ashlar_python_signals;

static void ashlar_python_on_signal(int number)
{
    (void)number;
    ashlar_python_signals = 1;
    ashlar_interrupt(1);
}

/* From now on Ctrl-C ends what the library executes. Not 0: there is no such handler to be had. */
static int ashlar_python_guard(void)
{
    struct sigaction wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = ashlar_python_on_signal;
    wanted.sa_flags = SA_RESTART;
    ashlar_python_signals = 0;
    return sigaction(SIGINT, &wanted, &ashlar_python_handler);
}

/* Ctrl-C is Python's again. Not 0: it was pressed meanwhile. */
static int ashlar_python_unguard(void)
{
    sigaction(SIGINT, &ashlar_python_handler, NULL);
    ashlar_interrupt(0);
    return ashlar_python_signals;
}

static ashlar_status ashlar_python_context(const void *comm, ashlar_context **out, ashlar_error *err)
{
    return ashlar_context_keep(*(const MPI_Comm *)comm, out, err);
}
"""

# The callbacks that C calls; ashlar/_callbacks.py says what each does.
CALLBACKS = """
extern "Python" {
    int ashlar_python_produce(void *, const int64_t *, const int64_t *, void *);
    int ashlar_python_consume(void *, const int64_t *, const int64_t *, const void *);
    void ashlar_python_progress(void *, int64_t, int64_t);
    void ashlar_python_leave(void *);
}
"""


def ordered(folder: Path) -> list[Path]:
    """The headers that ashlar.h brings, each after those that it includes."""
    found: list[Path] = []

    def visit(path: Path) -> None:
        for name in re.findall(r"#include <ashlar/(\w+\.h)>", path.read_text()):
            visit(folder / "ashlar" / name)
        if path not in found:
            found.append(path)

    visit(folder / "ashlar" / "ashlar.h")
    return found


def declarations(folder: Path) -> str:
    """What the public headers declare, as cffi reads it: neither comments nor bodies, and nothing that names MPI."""
    text = "\n".join(path.read_text() for path in ordered(folder))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    # Bodies of functions in headers end with a brace at the beginning of a line.
    text = re.sub(r"static inline ([^{;]*?)\n\{.*?\n\}", r"\1;", text, flags=re.S)
    numbers = dict(re.findall(r"^#define (ASHLAR_\w+) (\d+)\s*$", text, flags=re.M))
    text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif', "", text)
    text = re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\bASHLAR_API\b", "", text)
    for name, number in numbers.items():
        text = re.sub(rf"\b{name}\b", number, text)
    statements = re.findall(r"[^;{]*(?:\{[^}]*\}[^;]*)?;", text, flags=re.S)
    kept = [statement.strip() for statement in statements if "MPI_Comm" not in statement]
    constants = [f"#define {name} {number}" for name, number in numbers.items()]
    return "\n".join(constants + kept)


def builder(folder: Path) -> cffi.FFI:
    """What cffi makes the module's source from."""
    ffi = cffi.FFI()
    ffi.cdef(declarations(folder) + HAND_WRITTEN_DECLARATIONS + CALLBACKS)
    ffi.set_source("ashlar._library", SOURCE)
    return ffi


if __name__ == "__main__":
    builder(Path(sys.argv[1])).emit_c_code(sys.argv[2])
