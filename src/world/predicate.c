/* See predicate.h. */
#include "world/predicate.h"

#include "base/copy.h"
#include "base/fail.h"
#include "world/fiber.h"
#include "world/receive.h"

static uint32_t rounded(uint32_t size)
{
    return (size + 15) & ~15u;
}

bool rh__predicate_of(const struct rh_world *w, uint32_t actor, uint32_t most, struct rh__predicate *p)
{
    const struct world_actor *a = &w->actors[actor];
    p->filter = a->filter;
    if (w->asan || a->large || a->stack == RH_NONE || a->used > most)
        return false;
    p->at[0] = rh__fiber_live((struct rh_world *)w, actor, &p->size[0]);
    p->at[1] = a->region;
    p->size[1] = a->used;
    return p->size[0] <= most;
}

uint32_t rh__predicate_bytes(const struct rh__predicate *p)
{
    return rounded(p->size[0]) + rounded(p->size[1]);
}

void rh__predicate_copy(const struct rh__predicate *p, char *image)
{
    rh__copy(image, p->at[0], p->size[0]);
    rh__copy(image + rounded(p->size[0]), p->at[1], p->size[1]);
}

/* ---- with an image ----------------------------------------------------------------------------------------------- */

static void put_in_place(const struct rh__predicate *p, const char *image)
{
    rh__copy(p->at[0], image, p->size[0]);
    rh__copy(p->at[1], image + rounded(p->size[0]), p->size[1]);
}

/* No code runs on the actor's stack now, so the image can be there for a moment.  What is there now is kept in
 * `scratch` meanwhile. */
bool rh__predicate_ask(const struct rh_world *world, const struct rh__predicate *p, const char *image, char *scratch,
                       uint32_t message)
{
    struct rh_world *w = (struct rh_world *)world; /* changed back below */
    rh__predicate_copy(p, scratch);
    put_in_place(p, image);
    bool fits = rh__filter_fits(w, p->filter, message);
    put_in_place(p, scratch);
    return fits;
}

/* ---- going back -------------------------------------------------------------------------------------------------- */

/* Goes back to an event.  If a loaded snapshot prevents the direct way, the world goes back to the beginning and
 * repeats the steps. */
static void go_back_to(struct rh_world *w, uint32_t event)
{
    struct rh_choice *choices = rh__alloc(event * sizeof *choices);
    RH__ASSERT(choices, "no memory to look back");
    for (uint32_t i = 0; i < event; i++)
        choices[i] = w->events[i].choice;
    rh_world_rollback(w, event);
    while (w->event_count < event && rh_world_step(w, &choices[w->event_count]))
        ;
    RH__ASSERT(w->event_count == event, "event %u is out of reach", event);
    rh__free(choices);
}

/* The message may not exist at that event.  So a copy of the message is placed behind the end of the message table. */
bool rh__predicate_ask_before(const struct rh_world *world, uint32_t event, uint32_t actor, uint32_t message)
{
    struct rh_world *w = (struct rh_world *)world; /* changed back below */
    struct world_message m = w->messages[message];
    size_t bytes = ((m.size + 15u) & ~15u) + m.tail_size;
    uint32_t count, list = (uint32_t)(w->choices - w->choice_table);
    struct rh_snapshot *now = rh_world_save(w);
    char *value = rh__alloc(bytes + 1);
    RH__ASSERT(now && value, "no memory to look back");
    rh__copy(value, w->payload + m.payload, bytes);
    go_back_to(w, event);
    m.payload = (w->payload_at + 15) & ~(uint64_t)15;
    rh__copy(w->payload + m.payload, value, bytes);
    w->messages[w->message_count] = m;
    bool fits = rh__filter_fits(w, w->actors[actor].filter, w->message_count);
    rh_world_load(w, now);
    rh__world_run(w); /* restores existing views of the run */
    w->lists_end = list;
    rh_world_enabled(w, &count); /* restores the list, at the place where the explorer reads it */
    rh__free(value);
    rh_snapshot_free(now);
    return fits;
}
