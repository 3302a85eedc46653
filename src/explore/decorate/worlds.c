/* See worlds.h. */
#include "explore/decorate/worlds.h"

#include <inttypes.h>

#include "base/blocks.h"
#include "run/run.h"

static void put_bytes(FILE *to, const uint8_t *bytes, uint32_t size)
{
    if (!bytes || !size)
        fputc('-', to);
    for (uint32_t i = 0; bytes && i < size; i++)
        fprintf(to, "%02x", bytes[i]);
}

static const char *status_of(const struct rh_world *w, const struct rh__run *r, uint32_t actor)
{
    switch (rh__run_actor(r, actor)->status) {
    case STATUS_IDLE:
        return rh__actor_awaits_start(w, actor) ? "new" : "idle";
    case STATUS_ENDED:
    case STATUS_CRASHED:
        return "gone";
    case STATUS_OUTSIDE:
        return "outside";
    default:
        return "inside";
    }
}

static void put_actor(const struct rh_world *w, const struct rh__run *r, uint32_t actor, FILE *to)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    const struct rh_behaviour *behaviour = rh_world_actor_behaviour(w, actor);
    const char *status = actor == 0 && rh_world_actor_ended(w, actor) ? "gone" : status_of(w, r, actor);
    char name[256];
    rh_world_actor_name(w, actor, name, sizeof name);
    fprintf(to, "# actor %u %s %s %s ", actor, status, actor && type ? type->name : "-",
            actor && behaviour ? behaviour->name : "-");
    bool lives = actor && type && (*status == 'i' || *status == 'n');
    put_bytes(to, lives ? rh_world_actor_state(w, actor) : NULL, lives ? type->size : 0);
    fprintf(to, " %s\n", name);
}

static void put_message(const struct rh_world *w, const struct rh__run *r, uint32_t message, FILE *to)
{
    struct rh_message_info m = rh_world_message(w, message);
    bool taken = m.taken_by != RH_NONE;
    fprintf(to, "# message %d %s %u %u %u ", taken, m.type ? m.type->name : "-", rh__run_message(r, message)->seen_as,
            m.receiver, m.tail_size);
    put_bytes(to, taken ? NULL : m.value, m.size);
    fputc(' ', to);
    put_bytes(to, taken || m.tail_size > RH__WORLDS_TAIL ? NULL : m.tail, m.tail_size);
    fputc('\n', to);
}

/* The first block of the function at this address. */
static void put_block_of(const void *function, FILE *to)
{
    uintptr_t at = (uintptr_t)function, best = 0;
    uint32_t block = 0;
    for (uint32_t i = 0; i < rh__blocks.count; i++) {
        uintptr_t begins = rh__blocks.table[(size_t)i * 2];
        if (rh__blocks.table[(size_t)i * 2 + 1] & 1 && begins >= at && begins < at + 64 && (!best || begins < best)) {
            best = begins;
            block = i;
        }
    }
    if (best)
        fprintf(to, "%u\n", block);
    else
        fputs("-\n", to);
}

bool rh__worlds_fits(const struct rh_world *w)
{
    uint32_t actors = rh_world_actor_count(w);
    bool fits = actors <= RH__WORLDS_ACTORS && rh_world_message_count(w) <= RH__WORLDS_MESSAGES;
    for (uint32_t i = 1; fits && i < actors; i++)
        fits = !rh_world_actor_type(w, i) || rh_world_actor_type(w, i)->size <= RH__WORLDS_STATE;
    return fits;
}

void rh__worlds_write(const struct rh_world *w, const struct rh_choice *open, uint32_t count, FILE *to)
{
    const struct rh__run *r = rh__world_run(w);
    fprintf(to, "# world %u\n", *rh__world_event_counter(w) - 1);
    fprintf(to, "# outside %u %u\n", rh__outside_left(w), rh_world_semantics(w)->outside - rh__outside_left(w) + 1);
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++)
        put_actor(w, r, i, to);
    for (uint32_t i = 0; i < rh_world_message_count(w); i++)
        put_message(w, r, i, to);
    for (uint32_t i = 0; i < count; i++) {
        struct rh__timer_message t;
        if (open[i].kind != RH_CHOICE_TIMER || !rh__timer_message(w, open[i].what, &t))
            continue;
        fprintf(to, "# timer %u %s ", open[i].actor, t.type->name);
        put_bytes(to, t.value, t.type->size);
        fprintf(to, " %s\n", t.name);
    }
    struct rh__opening o;
    for (uint32_t i = 0; rh__opening(w, i, &o); i++) {
        fprintf(to, "# opening %u %s ", o.actor, o.type->name);
        if (o.when)
            put_block_of(o.when, to);
        else
            fputs("-\n", to);
    }
    fputs("# end of world\n", to);
}
