/* The variables of ashlar_pblas(7) are those of the table; process (0, 0) reads them, and refuses what cannot be. */
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"
#include "pblas/grid.h"

#define PROGRAM "pblas_environment"

static void clear(void)
{
    for (int i = 0; ashi_environment_variable(i)->name; i++)
        unsetenv(ashi_environment_variable(i)->name);
}

/* Every row of the man page's table is one of the code's, and the other way round. */
static void manual(rig *r, const char *page)
{
    char line[1024], want[1024];
    int rows = 0, variables = 0;
    FILE *f = fopen(page, "r");
    CHECK(&r->test, f, "%s cannot be read", page);
    for (; ashi_environment_variable(variables)->name; variables++)
        continue;
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, ".It Ev ", 7) != 0)
            continue;
        const ashi_variable *v = ashi_environment_variable(rows++);
        snprintf(want, sizeof want, ".It Ev %s Ta %s: %s Ta %s\n", v->name ? v->name : "none", v->what, v->values,
                 v->standard);
        CHECK(&r->test, v->name && strcmp(line, want) == 0, "%sin the man page, in the table %s", line, want);
    }
    CHECK(&r->test, rows == variables, "%d rows in the man page, %d in the table", rows, variables);
    if (f)
        fclose(f);
}

static bool same_machine(const ashlar_machine *x, const ashlar_machine *y)
{
    return x->flops_per_second == y->flops_per_second && x->latency == y->latency && x->bandwidth == y->bandwidth &&
           x->copy_bandwidth == y->copy_bandwidth && x->disk_bandwidth == y->disk_bandwidth &&
           x->torus_dims == y->torus_dims && memcmp(x->torus, y->torus, sizeof x->torus) == 0;
}

static bool same(const ashi_settings *x, const ashi_settings *y)
{
    return x->log == y->log && x->check == y->check && x->machine_is_given == y->machine_is_given &&
           x->transport == y->transport && strcmp(x->strategy, y->strategy) == 0 &&
           x->memory_bytes == y->memory_bytes && x->smallest == y->smallest && x->plans == y->plans &&
           strcmp(x->device, y->device) == 0 && x->device_bytes == y->device_bytes &&
           same_machine(&x->machine, &y->machine);
}

static ashi_settings with(const char *name, const char *value)
{
    clear();
    setenv(name, value, 1);
    const ashi_settings s = ashi_environment_read();
    clear();
    return s;
}

/* Without it more would be done than the user wants: a wrong value is an error. */
static bool is_limit(const char *name)
{
    return strcmp(name, "ASHLAR_MEMORY") == 0 || strcmp(name, "ASHLAR_SMALLEST") == 0 ||
           strcmp(name, "ASHLAR_CACHE") == 0 || strcmp(name, "ASHLAR_DEVICE_MEMORY") == 0;
}

static void wrong_values(rig *r, const ashi_settings *standard)
{
    static const char *const wrong[][2] = {
        {"ASHLAR_LOG", "yes"}, {"ASHLAR_LOG", "2"}, {"ASHLAR_LOG", "1 "}, {"ASHLAR_CHECK", "-1"},
        {"ASHLAR_DEVICE_MEMORY", "47"}, {"ASHLAR_DEVICE_MEMORY", "some"}, {"ASHLAR_MACHINE", "device_in=0"},
        {"ASHLAR_MEMORY", "much"}, {"ASHLAR_MEMORY", "-1GiB"}, {"ASHLAR_MEMORY", "1GX"}, {"ASHLAR_MEMORY", "0"},
        {"ASHLAR_MEMORY", "inf"}, {"ASHLAR_MEMORY", "nan"}, {"ASHLAR_MEMORY", "1e300"}, {"ASHLAR_STRATEGY", "guessing"},
        {"ASHLAR_TRANSPORT", "three-sided"}, {"ASHLAR_SMALLEST", "-5"}, {"ASHLAR_SMALLEST", "1KiB"},
        {"ASHLAR_SMALLEST", "1.5"}, {"ASHLAR_CACHE", "1.5"},
        {"ASHLAR_CACHE", "0"}, {"ASHLAR_CACHE", "65537"}, {"ASHLAR_CACHE", "1x"}, {"ASHLAR_MACHINE", "flops=0"},
        {"ASHLAR_MACHINE", "flops=1,"}, {"ASHLAR_MACHINE", "speed=1"}, {"ASHLAR_MACHINE", "latency=1s"},
        {"ASHLAR_MACHINE", "flops=1;latency=1"}, {"ASHLAR_MACHINE", "bandwidth=-1"}, {"ASHLAR_MACHINE", "flops="}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ashi_settings s = with(wrong[i][0], wrong[i][1]);
        CHECK(&r->test, same(&s, standard), "%s=%s is taken", wrong[i][0], wrong[i][1]);
        CHECK(&r->test, s.refused == is_limit(wrong[i][0]), "%s=%s is %san error", wrong[i][0], wrong[i][1],
              s.refused ? "" : "no ");
    }
}

static void right_values(rig *r, const ashi_settings *standard)
{
    CHECK(&r->test, with("ASHLAR_LOG", "1").log && !with("ASHLAR_LOG", "0").log, "log");
    CHECK(&r->test, with("ASHLAR_CHECK", "1").check && !with("ASHLAR_CHECK", "0").check, "check");
    CHECK(&r->test, with("ASHLAR_MEMORY", "1000").memory_bytes == 1000, "bytes");
    CHECK(&r->test, with("ASHLAR_MEMORY", "1.5KiB").memory_bytes == 1536, "1.5KiB");
    CHECK(&r->test, with("ASHLAR_MEMORY", "2MiB").memory_bytes == 2097152, "2MiB");
    CHECK(&r->test, with("ASHLAR_MEMORY", "3GiB").memory_bytes == 3221225472, "3GiB");
    CHECK(&r->test, with("ASHLAR_MEMORY", "7B").memory_bytes == 7, "7B");
    CHECK(&r->test, with("ASHLAR_MEMORY", "1GB").memory_bytes == 1000000000, "1GB");
    CHECK(&r->test, with("ASHLAR_MEMORY", "12MB").memory_bytes == 12000000, "12MB");
    CHECK(&r->test, with("ASHLAR_MEMORY", "4mib").memory_bytes == 4194304, "4mib");
    CHECK(&r->test, with("ASHLAR_MEMORY", "").memory_bytes == 0 && !with("ASHLAR_MEMORY", "").refused, "empty");
    CHECK(&r->test, strcmp(with("ASHLAR_STRATEGY", "cosma").strategy, "cosma") == 0, "strategy");
    CHECK(&r->test, with("ASHLAR_TRANSPORT", "one-sided").transport == ASHLAR_ONE_SIDED, "one-sided");
    CHECK(&r->test, with("ASHLAR_TRANSPORT", "two-sided").transport == ASHLAR_TWO_SIDED, "two-sided");
    CHECK(&r->test, with("ASHLAR_SMALLEST", "1e6").smallest == 1000000, "smallest");
    CHECK(&r->test, with("ASHLAR_CACHE", "3").plans == 3, "cache");
    CHECK(&r->test, strcmp(with("ASHLAR_DEVICE", "emulated:1 auto").device, "emulated:1 auto") == 0, "device");
    CHECK(&r->test, with("ASHLAR_DEVICE_MEMORY", "2kB").device_bytes == 2000, "device memory");
    const ashi_settings s = with("ASHLAR_MACHINE", "latency=1e-6,copy_bandwidth=2e9");
    CHECK(&r->test, s.machine_is_given && s.machine.latency == 1e-6 && s.machine.copy_bandwidth == 2e9 &&
                        s.machine.bandwidth == standard->machine.bandwidth, "machine");
}

/* Each process has another environment: all go by that of the grid's first. */
static void one_for_all(rig *r, int handle)
{
    char value[16];
    ashi_grid *kept = NULL;
    clear();
    snprintf(value, sizeof value, "%d", 10 + r->rank);
    setenv("ASHLAR_CACHE", value, 1);
    const process_grid g = grid_make(handle, 1, r->ranks);
    CHECK(&r->test, ashi_grid_of(g.context, &kept, NULL) == ASHLAR_OK, "no grid");
    CHECK(&r->test, kept && kept->settings.plans == 10, "rank %d goes by its own environment", r->rank);
    Cblacs_gridexit(g.context);
    clear();
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1) || argc != 2)
        return 1;
    clear();
    const ashi_settings standard = ashi_environment_read();
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    manual(&r, argv[1]);
    wrong_values(&r, &standard);
    right_values(&r, &standard);
    one_for_all(&r, handle);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}
