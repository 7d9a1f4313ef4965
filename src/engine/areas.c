/* Where the panels of an engine's program lie in a rank's pool: in areas, each as long as the step that needs most. */
#include "engine/areas.h"

#include "base/checked.h"
#include "base/error.h"

int ashi_areas_add(ashi_areas *a, int behind)
{
    a->area[a->count] = (ashi_area){.behind = behind};
    a->rank = -1;
    return a->count++;
}

void ashi_areas_begin(ashi_areas *a, int64_t rank)
{
    for (int i = 0; i < a->count; i++) {
        a->area[i].used = 0;
        a->area[i].words = a->rank == rank ? a->area[i].words : 0;
    }
    a->rank = a->rank == rank ? rank : -1;
    a->now = a->sums = ASHI_AREA_SUMS;
}

void ashi_areas_enter(ashi_areas *a, int area)
{
    a->now = area;
    a->area[area].used = 0;
}

int ashi_areas_return(ashi_areas *a, int area)
{
    const int before = a->now;
    a->now = area;
    return before;
}

static ashlar_status too_long(ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the pool has more than 2^63 words");
}

ashlar_status ashi_areas_place_at(ashi_areas *a, ashi_panel *panel, int number, int64_t at, ashlar_error *err)
{
    ashi_area *area = &a->area[number];
    int64_t room = 0, end = 0;
    if (!ashi_panel_room(panel, &room) || !ashi_add(at, room, &end))
        return too_long(err);
    area->words = ashi_max(area->words, end);
    panel->fixed = a->rank >= 0;
    panel->at = panel->fixed ? area->at + at : 0;
    return ASHLAR_OK;
}

ashlar_status ashi_areas_place(ashi_areas *a, ashi_panel *panel, ashlar_error *err)
{
    const int number = panel->part >= 0 ? a->sums : a->now;
    ashi_area *area = &a->area[number];
    const ashlar_status status = ashi_areas_place_at(a, panel, number, area->used, err);
    int64_t room = 0;
    if (status == ASHLAR_OK && ashi_panel_room(panel, &room))
        area->used += room;
    return status;
}

ashlar_status ashi_areas_end(ashi_areas *a, int64_t rank, ashlar_error *err)
{
    for (int i = 0; i < a->count; i++) {
        ashi_area *area = &a->area[i];
        const ashi_area *behind = area->behind >= 0 ? &a->area[area->behind] : NULL;
        int64_t end = 0;
        area->at = behind ? behind->at + behind->words : 0;
        if (!ashi_add(area->at, area->words, &end))
            return too_long(err);
    }
    a->rank = rank;
    return ASHLAR_OK;
}

int64_t ashi_areas_words(const ashi_areas *a)
{
    int64_t words = 0;
    for (int i = 0; i < a->count; i++)
        words = a->area[i].words > 0 ? ashi_max(words, a->area[i].at + a->area[i].words) : words;
    return words;
}
