/* Links, monitors and exit signals, after Erlang's: all are messages, so that each actor keeps its own sets and nothing
 * is locked.  A signal takes effect when it is taken out of the mailbox. */
#include <stdio.h>

#include "runtime/actor.h"

#include "runtime/store.h"

/* The ticket of an RH__EXIT. */
enum { BY_LINK = 1 }; /* from one that ended; otherwise from rh_kill */
/* The ticket of an RH__EXITED. */
enum { TAKEN_BACK = 1 };

_Static_assert(sizeof(struct rh_exited) == sizeof(struct rh_down), "both say who and why");

static void tell(struct rh__worker *worker, rh_ref to, enum rh__kind kind, uint32_t ticket, rh_ref who,
                 const char *reason)
{
    const struct rh_message_type *type = kind == RH__DOWN ? &rh_message_rh_down : &rh_message_rh_exited;
    struct rh__message *m = rh__message_make(worker, kind, who, type, sizeof(struct rh_exited));
    struct rh_exited *value = rh__message_value(m);
    memset(value, 0, sizeof *value);
    value->who = who;
    snprintf(value->reason, sizeof value->reason, "%s", reason);
    m->ticket = ticket;
    rh__post(worker, to, m);
}

static void ask_for(struct rh__worker *worker, rh_ref from, rh_ref to, enum rh__kind kind)
{
    rh__post(worker, to, rh__message_make(worker, kind, from, &rh_message_rh_exited, 0));
}

void rh__undeliverable(struct rh__worker *worker, rh_ref to, struct rh__message *m)
{
    switch ((enum rh__kind)m->kind) {
    case RH__LINK:
        tell(worker, m->sender, RH__EXIT, BY_LINK, to, "noproc");
        break;
    case RH__WATCH:
        tell(worker, m->sender, RH__DOWN, 0, to, "noproc");
        break;
    case RH__PLAIN:
    case RH__REPLY:
    case RH__TIMER:
    case RH__DOWN:
    case RH__EXITED:
    case RH__STORED:
        rh__count_dropped(worker);
        break;
    default:
        break;
    }
}

static enum rh__outcome exit_signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    struct rh_exited *value = rh__message_value(m);
    bool by_link = m->ticket & BY_LINK;
    if (by_link && !rh__refs_remove(&actor->links, value->who))
        return RH__DONE; /* unlinked meanwhile */
    if (!by_link && strcmp(value->reason, "kill") == 0) {
        rh__actor_end(worker, actor, "killed");
        return RH__ENDED;
    }
    if (actor->traps) {
        m->kind = by_link ? RH__EXITED : RH__PLAIN;
        m->ticket = 0;
        rh__count_sent(worker);
        return RH__DELIVER;
    }
    if (strcmp(value->reason, "normal") == 0)
        return RH__DONE;
    rh__actor_end(worker, actor, value->reason);
    return RH__ENDED;
}

enum rh__outcome rh__signal(struct rh__worker *worker, struct rh__actor *actor, struct rh__message *m)
{
    switch ((enum rh__kind)m->kind) {
    case RH__PLAIN:
        return RH__DELIVER;
    case RH__TIMER:
        if (rh__timer_due(actor, m->ticket, false))
            return RH__DELIVER;
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__DOWN:
        if (rh__refs_has(&actor->watching, m->sender))
            return RH__DELIVER;
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__STORED:
        rh__store_durable(actor->store, m->ticket);
        m->kind = RH__PLAIN;
        m->ticket = 0;
        return RH__DELIVER;
    case RH__REPLY: /* to an ask that is over */
        rh__count_dropped(worker);
        return RH__DONE;
    case RH__EXIT:
        return exit_signal(worker, actor, m);
    case RH__STORE_BAD:
        rh__actor_end(worker, actor, "store");
        return RH__ENDED;
    case RH__LINK:
        rh__refs_add(&actor->links, m->sender);
        return RH__DONE;
    case RH__UNLINK:
        rh__refs_remove(&actor->links, m->sender);
        return RH__DONE;
    case RH__WATCH:
        rh__refs_add(&actor->watchers, m->sender);
        return RH__DONE;
    case RH__UNWATCH:
        rh__refs_remove(&actor->watchers, m->sender);
        return RH__DONE;
    case RH__EXITED: /* only ever made of an RH__EXIT */
    case RH__WAKE:   /* of a wait that is over */
    case RH__BEGIN:
    case RH__STUB:
        return RH__DONE;
    }
    return RH__DONE;
}

void rh__signal_end(struct rh__worker *worker, struct rh__actor *actor, const char *reason)
{
    char kept[RH_REASON_SIZE] = "";
    snprintf(kept, sizeof kept, "%s", reason);
    for (uint32_t i = 0; i < actor->links.count; i++)
        tell(worker, actor->links.at[i], RH__EXIT, BY_LINK, actor->self, kept);
    for (uint32_t i = 0; i < actor->watchers.count; i++)
        tell(worker, actor->watchers.at[i], RH__DOWN, 0, actor->self, kept);
    for (uint32_t i = 0; i < actor->watching.count; i++)
        ask_for(worker, actor->self, actor->watching.at[i], RH__UNWATCH);
}

void rh__signal_link(struct rh__actor *actor, rh_ref who, bool on)
{
    if (rh_same(who, actor->self))
        return;
    bool changed = on ? rh__refs_add(&actor->links, who) : rh__refs_remove(&actor->links, who);
    for (struct rh__message *m = on ? NULL : actor->aside; m; m = m->link)
        if (m->kind == RH__EXITED && rh_same(m->sender, who))
            m->ticket = TAKEN_BACK;
    if (changed)
        ask_for(rh__worker(), actor->self, who, on ? RH__LINK : RH__UNLINK);
}

void rh__signal_watch(struct rh__actor *actor, rh_ref who, bool on)
{
    if (rh_same(who, actor->self))
        return;
    bool changed = on ? rh__refs_add(&actor->watching, who) : rh__refs_remove(&actor->watching, who);
    if (changed)
        ask_for(rh__worker(), actor->self, who, on ? RH__WATCH : RH__UNWATCH);
}

void rh__signal_kill(struct rh__worker *worker, rh_ref from, rh_ref who, const char *reason)
{
    tell(worker, who, RH__EXIT, 0, from, reason);
}
