/* Nodes and parts of what is computed. */
#include "compile/graph.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

double ashi_ash_extent(const ashi_ash_sums *s, int count, const int8_t *range)
{
    double product = 1;
    for (int i = 0; i < count; i++)
        product *= (double)s->program->range[range[i]].typical;
    return product;
}

static uint64_t hash_of(const uint8_t *key, int64_t bytes)
{
    uint64_t h = (uint64_t)bytes;
    for (int64_t i = 0; i < bytes; i++)
        h = (h ^ key[i]) * 0x100000001B3u;
    return ashi_hash_mix(h);
}

void ashi_ash_graph_begin(ashi_ash_graph *g, const ashi_ash_sums *s)
{
    g->sums = s;
    g->nodes = g->parts = g->text_bytes = 0;
    g->operations = g->moved = 0;
    g->failed = false;
    for (int t = 0; t < s->tensors && !g->failed; t++)
        ashi_ash_node_add(g, s->tensor[t].order, s->tensor[t].range, NULL, 0);
}

void ashi_ash_graph_free(ashi_ash_graph *g)
{
    free(g->node);
    free(g->part);
    free(g->text);
    *g = (ashi_ash_graph){0};
}

int ashi_ash_node_find(const ashi_ash_graph *g, const uint8_t *key, int64_t bytes)
{
    const uint64_t hash = hash_of(key, bytes);
    for (int64_t i = g->sums->tensors; i < g->nodes; i++)
        if (g->node[i].hash == hash && g->node[i].key >= 0 && g->node[i].key_bytes == bytes &&
            memcmp(g->text + g->node[i].key, key, (size_t)bytes) == 0)
            return (int)i;
    return -1;
}

int ashi_ash_node_add(ashi_ash_graph *g, int order, const int8_t *range, const uint8_t *key, int64_t bytes)
{
    ashi_ash_node *node = ashi_array_room(g->node, &g->node_room, g->nodes + 1, sizeof *node);
    uint8_t *text = ashi_array_room(g->text, &g->text_room, g->text_bytes + bytes + 1, 1);
    g->node = node ? node : g->node;
    g->text = text ? text : g->text;
    if (!node || !text) {
        g->failed = true;
        return -1;
    }
    node += g->nodes;
    *node = (ashi_ash_node){.order = order, .divided = -1, .key = -1};
    memcpy(node->range, range, (size_t)order);
    if (key) {
        node->key = g->text_bytes;
        node->key_bytes = bytes;
        node->hash = hash_of(key, bytes);
        memcpy(text + g->text_bytes, key, (size_t)bytes);
        g->text_bytes += bytes;
    }
    return (int)g->nodes++;
}

void ashi_ash_part_add(ashi_ash_graph *g, const ashi_ash_part *part)
{
    ashi_ash_part *p = ashi_array_room(g->part, &g->part_room, g->parts + 1, sizeof *p);
    if (!p) {
        g->failed = true;
        return;
    }
    g->part = p;
    p += g->parts++;
    *p = *part;
    for (int r = 0; r < p->readings; r++)
        for (int d = 0; d < g->node[p->reading[r].node].order; d++) {
            const int8_t label = p->reading[r].label[d];
            if (label >= 0)
                continue;
            for (int e = d; e < g->node[p->reading[r].node].order; e++)
                if (p->reading[r].label[e] == label)
                    p->reading[r].label[e] = (int8_t)p->labels;
            p->range[p->labels++] = g->node[p->reading[r].node].range[d];
        }
    const double work = ashi_ash_extent(g->sums, p->labels, p->range);
    if (p->readings == 2)
        g->operations += work;
    else
        g->moved += work;
}
