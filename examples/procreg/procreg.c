/* See procreg.h.  Checking whether a name is free and taking it are two steps, and others may make steps in between.
 * Both must be one request, or the second must be able to fail.
 *
 * A client or starter that checks first (bugs check_then_act and start_twice) assumes that what it saw still holds.
 * A hasty parent (bug regrace) talks to its child before it gives the child a name; the child may have ended by then.
 * A hasty user (bug too_soon) looks up the name of a service that has just broken; the new one may not have that name
 * yet. */
#include "procreg.h"

/* ---- registry ---------------------------------------------------------------------------------------------------- */
static int name_in(const struct rh_envelope *e)
{
    const struct lookup *l = rh_as(e, lookup);
    const struct claim *c = rh_as(e, claim);
    const struct assign *a = rh_as(e, assign);
    return l ? l->name : c ? c->name : a ? a->name : rh_as(e, release)->name;
}

RH_BODY(registry)
{
    for (;;) {
        const struct rh_envelope *e =
            rh_receive_any(.types = RH_TYPES(lookup, claim, assign, release, rh_down), .idle = true);
        const struct rh_down *down = rh_as(e, rh_down);
        if (down) {
            for (int i = 0; i < MOST_NAMES; i++)
                if (rh_same(state->owners[i], down->who))
                    state->owners[i] = rh_nobody();
            continue;
        }
        rh_ref *at = &state->owners[name_in(e)];
        if (rh_as(e, assign) || (rh_as(e, claim) && rh_is_nobody(*at))) {
            *at = e->sender;
            rh_monitor(e->sender);
        } else if (rh_as(e, release) && rh_same(*at, e->sender)) {
            *at = rh_nobody();
            rh_demonitor(e->sender);
        }
        rh_reply(owner, .who = *at);
    }
}

/* ---- client: takes a name, works for a while, and gives it up or dies with it ------------------------------------ */
RH_BODY(client)
{
    rh_ref who;
    if (state->checks_first) {
        who = rh_ask(state->registry, lookup, owner, .name = state->name)->who;
        if (rh_is_nobody(who))
            who = rh_ask(state->registry, assign, owner, .name = state->name)->who;
    } else {
        who = rh_ask(state->registry, claim, owner, .name = state->name)->who;
    }
    if (!rh_same(who, self))
        return;
    rh_announce(owns, .name = state->name);
    rh_sleep(10);
    rh_announce(gives_up, .name = state->name);
    if (state->dies)
        rh_exit("shutdown");
    rh_ask(state->registry, release, owner, .name = state->name);
}

/* ---- names of the world ------------------------------------------------------------------------------------------ */
RH_HANDLER(service, hello)
{
    rh_reply(hello);
}
RH_HANDLER(service, close_service)
{
    rh_stop();
}
RH_BEHAVIOUR(service, open, hello, close_service);

/* Starts the service unless it is running. */
RH_BODY(starter)
{
    rh_ref there = rh_whereis("service");
    if (rh_is_nobody(there)) {
        rh_ref mine = rh_spawn(service);
        bool first = rh_register("service", mine);
        if (state->checks_first)
            rh_assert(first, "the service was not there, and yet its name is taken");
        if (!first)
            rh_send(mine, close_service);
        there = first ? mine : rh_whereis("service");
    }
    rh_ask(there, hello, hello);
}

/* Keeps a service running.  A user who saw a service end asks for its successor, and waits until there is one. */
static bool can_be_answered(const struct rh_envelope *m, const void *current)
{
    const struct which_service *q = rh_as(m, which_service);
    return !q || !rh_same(q->gone, *(const rh_ref *)current);
}

RH_BODY(supervisor)
{
    rh_trap_exits(true);
    for (;;) {
        rh_ref current = rh_spawn_link(service);
        rh_register("service", current);
        for (;;) {
            const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(which_service, rh_exited),
                                                         .match = can_be_answered, .arg = &current, .idle = true);
            if (rh_as(e, rh_exited))
                break;
            rh_reply(owner, .who = current);
        }
    }
}

RH_BODY(user)
{
    rh_ref s = rh_ask(state->supervisor, which_service, owner)->who;
    rh_monitor(s);
    rh_kill(s, "broken");
    rh_receive(rh_down);
    if (state->hasty) {
        s = rh_whereis("service");
        rh_assert(!rh_is_nobody(s), "there is no service");
    } else {
        s = rh_ask(state->supervisor, which_service, owner, .gone = s)->who;
    }
    rh_ask(s, hello, hello);
}

RH_BODY(child)
{
    rh_receive(hello);
    rh_reply(hello);
}

RH_BODY(parent)
{
    rh_ref c = rh_spawn(child);
    if (state->hasty)
        rh_send(c, hello);
    rh_assert(rh_register("child", c), "the child cannot get its name");
    if (!state->hasty)
        rh_send(rh_whereis("child"), hello);
    rh_receive(hello);
}
