/* See exchange.h: classes of actors that can be exchanged, and who decides their order. */
#include "explore/exchange.h"

#include "base/bytes.h"
#include "world/alike.h"
#include "world/live.h"

bool rh__exchange_open(struct rh__exchange *e, struct rh_exploration *x, uint32_t most)
{
    e->most = most;
    e->leader = rh_exploration_memory(x, most * sizeof *e->leader);
    e->decider = rh_exploration_memory(x, most * sizeof *e->decider);
    e->in_globals = rh_exploration_memory(x, most);
    e->heard = rh_exploration_memory(x, most);
    if (!e->leader || !e->decider || !e->in_globals || !e->heard)
        return false;
    rh__exchange_reset(e);
    return true;
}

void rh__exchange_reset(struct rh__exchange *e)
{
    for (uint32_t i = 0; i < e->most; i++)
        e->decider[i] = RH_NONE;
    e->decided = e->left_out = false;
    e->version++;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static uint32_t leader_of(const struct rh__exchange *e, struct rh_world *w, uint32_t actor)
{
    if (e->in_globals[actor] || !rh__is_untouched(w, actor))
        return actor;
    for (uint32_t a = 1; a < actor; a++)
        if (e->leader[a] == a && rh__maybe_alike(w, a, actor) && !e->in_globals[a] && rh__is_untouched(w, a) &&
            rh__alike(w, a, actor))
            return a;
    return actor;
}

void rh__exchange_look(struct rh__exchange *e, struct rh_world *w, uint32_t choices)
{
    const struct rh__run *r = rh__world_run(w);
    if (e->found || r->event_count != e->looked + 1)
        return;
    e->looked++;
    if (choices < 2)
        return; /* all runs go on with the same step */
    e->found = true;
    e->actors = r->actor_count < e->most ? r->actor_count : e->most;
    rh__globals_know(w, e->in_globals);
    for (uint32_t i = 0; i < e->actors; i++)
        e->leader[i] = i ? leader_of(e, w, i) : 0;
    e->version++;
}

/* ---- deciders ---------------------------------------------------------------------------------------------------- */

/* How many of the class `by` has heard in this run, not counting itself. */
static uint32_t count_heard(struct rh__exchange *e, const struct rh__run *r, uint32_t leader, uint32_t by)
{
    uint32_t count = 0;
    memset(e->heard, 0, e->actors);
    for (uint32_t i = 0; i < r->event_count; i++) {
        const struct rh_choice *c = rh__run_choice(r, i);
        if (c->kind != RH_CHOICE_DELIVER || c->actor != by)
            continue;
        uint32_t sender = rh__run_message(r, c->what)->sender;
        if (sender < e->actors && sender != by && e->leader[sender] == leader && !e->heard[sender]) {
            e->heard[sender] = 1;
            count++;
        }
    }
    return count;
}

/* Whether the class of `decider` is ordered, over the deciders chosen so far, by one of the class of `leader`. */
static bool makes_a_circle(const struct rh__exchange *e, uint32_t leader, uint32_t decider)
{
    uint32_t at = e->leader[decider];
    while (at != leader && e->decider[at] != RH_NONE && e->leader[e->decider[at]] != at)
        at = e->leader[e->decider[at]];
    return at == leader && e->leader[decider] != leader;
}

void rh__exchange_decide(struct rh__exchange *e, const struct rh__run *r)
{
    if (e->decided || !e->found)
        return;
    for (uint32_t leader = 1; leader < e->actors; leader++) {
        uint32_t most = 1;
        bool has_class = false;
        for (uint32_t i = leader + 1; i < e->actors; i++)
            has_class |= e->leader[i] == leader;
        for (uint32_t by = 1; has_class && by < e->actors; by++) {
            uint32_t count = makes_a_circle(e, leader, by) ? 0 : count_heard(e, r, leader, by);
            if (count > most) {
                most = count;
                e->decider[leader] = by;
                e->decided = true;
            }
        }
    }
    e->version += e->decided;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

void rh__exchange_settle(struct rh__exchange *e)
{
    e->decided = true;
    for (uint32_t i = 0; i < e->most; i++)
        e->left_out |= e->decider[i] != RH_NONE;
}

size_t rh__exchange_pack(const struct rh__exchange *e, void *buffer, size_t room)
{
    struct rh__writer to = rh__writer_of(buffer, room);
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->most; i++)
        count += e->decider[i] != RH_NONE;
    rh__put_small(&to, count);
    for (uint32_t i = 0; i < e->most; i++)
        if (e->decider[i] != RH_NONE) {
            rh__put_small(&to, i);
            rh__put_small(&to, e->decider[i]);
        }
    return to.full ? 0 : to.len;
}

size_t rh__exchange_unpack(struct rh__exchange *e, const void *bytes, size_t size)
{
    struct rh__reader from = rh__reader_of(bytes, size);
    rh__exchange_reset(e);
    uint64_t count = rh__get_small(&from);
    for (uint64_t i = 0; i < count && !from.bad; i++) {
        uint64_t leader = rh__get_small(&from), decider = rh__get_small(&from);
        if (leader >= e->most || decider >= e->most)
            return 0;
        e->decider[leader] = (uint32_t)decider;
    }
    rh__exchange_settle(e);
    return from.bad ? 0 : size - from.left;
}
