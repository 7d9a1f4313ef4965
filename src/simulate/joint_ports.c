/* The ports of a joint play: the ends of the network, the links between them, the disks and the cores. */
#include "simulate/joint_ports.h"

#include "base/checked.h"
#include "base/error.h"
#include "model/rates.h"

#include <math.h>
#include <stdlib.h>

enum { NONE = -1, ENDS = 2, DISK_KINDS = 3 };

/* ---- numbers ---- */

static int64_t out_of(int64_t rank)
{
    return ENDS * rank;
}

static int64_t into(int64_t rank)
{
    return ENDS * rank + 1;
}

/* A disk has three: for reading, for writing, and for both together. */
static int64_t disk_of(const ashi_joint_ports *p, int64_t rank)
{
    return ENDS * p->ranks + (p->request->local_disks ? DISK_KINDS * rank : 0);
}

static int64_t shared_cores(const ashi_joint_ports *p)
{
    return (ENDS + DISK_KINDS) * p->ranks;
}

static int64_t link_of(const ashi_joint_ports *p, int64_t link)
{
    return shared_cores(p) + 1 + link;
}

int64_t ashi_joint_cores(const ashi_joint_ports *p)
{
    return p->request->ranks_per_core > 1 ? shared_cores(p) : NONE;
}

void ashi_joint_disk(const ashi_joint_ports *p, int64_t rank, bool reads, int64_t port[ASHI_DISK_PORTS])
{
    port[0] = disk_of(p, rank) + (reads ? 0 : 1);
    port[1] = disk_of(p, rank) + 2;
}

/* ---- messages ---- */

static void count_link(void *context, int64_t link)
{
    (void)context;
    (void)link;
}

double ashi_joint_delay(const ashi_joint_ports *p, int64_t from, int64_t to)
{
    const int64_t links = p->request->torus.dims > 0
                              ? ashi_torus_route(&p->request->torus, from, to, count_link, NULL) : 1;
    return (double)links * p->request->machine->latency;
}

static void add_link(void *context, int64_t link)
{
    ashi_joint_ports *p = context;
    p->port[p->ports++] = link_of(p, link);
}

void ashi_joint_route(ashi_joint_ports *p, int64_t from, int64_t to)
{
    p->port[0] = out_of(from);
    p->port[1] = into(to);
    p->ports = ENDS;
    if (p->request->torus.dims > 0)
        ashi_torus_route(&p->request->torus, from, to, add_link, p);
}

void ashi_joint_slow_down(const ashi_joint_ports *p, ashi_jobs *jobs, int64_t rank, double part)
{
    ashi_jobs_set_capacity(jobs, out_of(rank), p->links_of_node * part, part);
    ashi_jobs_set_capacity(jobs, into(rank), p->links_of_node * part, part);
}

/* ---- before and after ---- */

static void set_disks(const ashi_joint_ports *p, ashi_jobs *jobs)
{
    const double disks = p->request->local_disks ? 1 : (double)p->ranks;
    for (int64_t r = 0; r < (p->request->local_disks ? p->ranks : 1); r++)
        for (int i = 0; i < DISK_KINDS; i++) {
            const double rate = disks * (i < 2 ? 1 : ashi_disk_overlap(p->request->machine));
            ashi_jobs_set_capacity(jobs, disk_of(p, r) + i, rate, rate);
        }
}

static void set_ports(const ashi_joint_ports *p, ashi_jobs *jobs)
{
    const double share = fmax(1, p->request->ranks_per_core);
    for (int64_t r = 0; r < p->ranks; r++)
        ashi_joint_slow_down(p, jobs, r, 1);
    set_disks(p, jobs);
    if (p->request->rates_are_shared)
        ashi_jobs_set_capacity(jobs, shared_cores(p), (double)p->ranks, share);
    else
        ashi_jobs_set_capacity(jobs, shared_cores(p), (double)p->ranks / share, 1);
    for (int64_t port = shared_cores(p) + 1; port < jobs->ports; port++)
        ashi_jobs_set_capacity(jobs, port, 1, 1);
}

ashlar_status ashi_joint_ports_create(const ashi_joint_request *request, int64_t ranks, ashi_joint_ports *out,
                                      ashi_jobs *jobs, ashlar_error *err)
{
    const ashi_torus *torus = &request->torus;
    int64_t longest = 0, links = torus->dims > 0 ? ashi_torus_numbers(torus) : 0, all;
    *out = (ashi_joint_ports){.request = request, .ranks = ranks, .links_of_node = 1};
    if (torus->dims > 0)
        out->links_of_node = fmax(1, (double)ashi_torus_links(torus) / (double)ranks);
    for (int d = 0; d < torus->dims; d++)
        longest += torus->length[d] / 2;
    if (!ashi_add(shared_cores(out) + 1, links, &all))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "simulate: the torus has too many links to count");
    out->port = calloc((size_t)(ENDS + longest), sizeof *out->port);
    if (!out->port)
        return ashi_fail_memory(err, "simulate", (ENDS + longest) * (int64_t)sizeof *out->port);
    const ashlar_status status = ashi_jobs_create(all, jobs, err);
    if (status == ASHLAR_OK)
        set_ports(out, jobs);
    return status;
}

void ashi_joint_ports_free(ashi_joint_ports *ports)
{
    free(ports->port);
    *ports = (ashi_joint_ports){0};
}
