/* rh_receive_set and RH_SETS: several messages are taken at once.
 *
 * While the actor waits, messages that fit are set aside like all others, and only counted.  When enough are there, the
 * first ones that fit leave the mailbox together.  So a wait that times out has taken nothing. */
#include "runtime/actor.h"

#include <stdio.h>
#include <stdlib.h>

#include "actor/name_order.h"
#include "actor/set_items.h"
#include "runtime/failure.h"
#include "runtime/rt_names.h"
#include "runtime/rt_tape.h"

struct rh__set {
    uint32_t count;
    struct rh__message **messages;
    struct rh_envelope envelopes[];
};

/* The program must not see the order of arrival: by the names of the senders.  Messages of one sender are in the order
 * of its sends; those that others sent in its name (rh_forward, rh_send_from) have no such order, and are ordered by
 * the names of those others; what one of them has forwarded comes behind what it has sent.  Whoever has lost its name
 * comes last. */
struct place {
    uint32_t rank;
    uint64_t id;
    char name[192];
};

struct key {
    struct rh__message *message;
    uint32_t at;
    struct place sender, by;
};

static int compare_places(const struct place *a, const struct place *b)
{
    int order = a->rank != b->rank ? (a->rank < b->rank ? -1 : 1)
                : a->rank == 1     ? rh__name_order(a->name, b->name)
                                   : strcmp(a->name, b->name);
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

static int compare(const void *one, const void *other)
{
    const struct key *a = one, *b = other;
    int order = compare_places(&a->sender, &b->sender);
    if (!order)
        order = compare_places(&a->by, &b->by);
    if (!order)
        order = a->message->forwarded - b->message->forwarded;
    return order ? order : a->at < b->at ? -1 : 1;
}

static void find_place(struct place *p, rh_ref who)
{
    bool nameless = !rh_is_nobody(who) && !rh__ref_external(who) && !rh__name_is_known(who);
    p->rank = rh_is_nobody(who) ? 0 : rh__ref_external(who) ? 2 : nameless ? 3 : 1;
    p->id = who.id;
    snprintf(p->name, sizeof p->name, "%s", rh__name_of(who));
}

static void sort(struct rh__set *set, struct key *keys)
{
    for (uint32_t i = 0; i < set->count; i++) {
        keys[i].message = set->messages[i];
        keys[i].at = i;
        find_place(&keys[i].sender, set->messages[i]->sender);
        rh_ref by = rh__message_by(set->messages[i]);
        if (rh_is_nobody(by) && !rh__ref_external(set->messages[i]->sender))
            by = set->messages[i]->sender;
        find_place(&keys[i].by, by);
    }
    qsort(keys, set->count, sizeof *keys, compare);
    for (uint32_t i = 0; i < set->count; i++)
        set->messages[i] = keys[i].message;
}

bool rh__set_holds(const struct rh__actor *actor, const struct rh__message *m)
{
    const struct rh__set *set = actor->set;
    uint32_t i = 0;
    while (set && i < set->count && set->messages[i] != m)
        i++;
    return set && i < set->count;
}

void rh__set_release(struct rh__actor *actor)
{
    struct rh__set *set = actor->set;
    for (uint32_t i = 0; set && i < set->count; i++)
        rh__mailbox_release(actor->slot, &rh__worker()->cache, set->messages[i]);
    free(set);
    actor->set = NULL;
}

void rh__set_clear(struct rh__slot *slot, struct rh__actor *actor)
{
    struct rh__set *set = actor->set;
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->messages[i] != slot->taken)
            rh__block_free(NULL, set->messages[i]);
    free(set);
}

static bool is_member(struct rh__actor *actor, const struct rh_filter *filter, const struct rh__message *m)
{
    return rh__filter_fits(filter, m) && rh__message_stands(actor, m);
}

enum rh__outcome rh__set_offer(struct rh__actor *actor, struct rh__message *m)
{
    bool member = is_member(actor, actor->wait.filter, m);
    rh__actor_set_aside(actor, m);
    actor->attention |= RH__RESCAN;
    return member && --actor->wait.missing == 0 ? RH__DELIVER : RH__DONE;
}

static void collect(struct rh__actor *actor, const struct rh_filter *filter, struct rh__set *set, struct key *keys)
{
    for (struct rh__message **at = &actor->aside; set->count < filter->count;) {
        struct rh__message *m = *at;
        if (!is_member(actor, filter, m)) {
            at = &m->link;
            continue;
        }
        rh__actor_unlink(actor, at);
        rh__message_claim(actor, m);
        rh__message_left(actor->slot, m);
        rh__count(&rh__worker()->tally.handled);
        set->messages[set->count++] = m;
    }
    sort(set, keys);
    for (uint32_t i = 0; i < set->count; i++) {
        rh__envelope_fill(&set->envelopes[i], set->messages[i]);
        if (rh__recording())
            rh__tape_add(RH__TAPE_RECEIVE, actor, set->messages[i]);
    }
}

static void count_aside(struct rh__actor *actor)
{
    for (struct rh__message *m = actor->aside; m && actor->wait.missing; m = m->link)
        actor->wait.missing -= is_member(actor, actor->wait.filter, m);
}

/* Takes the first messages set aside that fit: as many as the filter says, which must be there.  NULL if there is not
 * enough memory. */
static struct rh__set *take(struct rh__actor *actor, const struct rh_filter *filter, const char *here)
{
    size_t n = filter->count;
    struct rh__set *set = malloc(sizeof *set + n * sizeof *set->envelopes + n * sizeof *set->messages);
    struct key *keys = malloc(n * sizeof *keys);
    if (!set || !keys) {
        free(set);
        free(keys);
        rh__rt_fail("limit", here, "it cannot take %zu messages: there is not enough memory", n);
        return NULL;
    }
    set->count = 0;
    set->messages = (struct rh__message **)(void *)(set->envelopes + n);
    collect(actor, filter, set, keys);
    free(keys);
    return set;
}

const struct rh_envelope *rh__rt_receive_set(struct rh__actor *actor, const struct rh_filter *filter, const char *here)
{
    if (rh__set_is_handled(actor, here))
        return NULL;
    actor->tickets++;
    actor->wait.what = RH__WAIT_SET;
    actor->wait.filter = filter;
    actor->wait.missing = filter->count;
    count_aside(actor);
    if (actor->wait.missing)
        rh__wait(actor, filter->timeout_ms, here);
    if (actor->wait.missing && rh__recording())
        rh__tape_add(RH__TAPE_TIMEOUT, actor, NULL);
    if (actor->wait.missing)
        return NULL;
    struct rh__set *set = take(actor, filter, here);
    if (!set)
        rh__actor_exit(actor, "failed", NULL);
    rh__actor_let_go(actor, &actor->answer);
    rh__actor_replace(actor, set->messages[set->count - 1]);
    actor->set = set;
    return set->envelopes;
}

/* Whether the running handler runs for each message of the set, and not one that has received it. */
static bool handles_set(const struct rh__actor *actor)
{
    return actor->type->kind != RH_KIND_PROCESS && actor->current && rh__set_holds(actor, actor->current);
}

void rh__set_turn_to(struct rh__actor *actor, const struct rh_envelope *e, const char *here)
{
    const struct rh__set *set = actor->set;
    uintptr_t at = (uintptr_t)e - (uintptr_t)(set ? set->envelopes : NULL);
    if (set && at < set->count * sizeof *e && at % sizeof *e == 0)
        *(actor->type->kind == RH_KIND_PROCESS || handles_set(actor) ? &actor->current : &actor->received) =
            actor->last = set->messages[at / sizeof *e];
    else
        rh__misuse(here, "rh_turn_to: the envelope is not one of the set that was received last");
}

/* ---- RH_SETS --------------------------------------------------------------------------------------------------- */

void rh__set_attend(struct rh__actor *actor, const char *here)
{
    const char *wrong = actor->behaviour ? rh__set_misuse(actor->behaviour) : NULL;
    if (wrong)
        rh__misuse(here, "behaviour %s: %s", actor->behaviour->name, wrong);
    if (actor->behaviour && rh__set_entry(actor->behaviour))
        actor->attention |= RH__GATHERS;
    else
        actor->attention &= ~(uint32_t)RH__GATHERS;
}

bool rh__set_is_handled(const struct rh__actor *actor, const char *here)
{
    if (!actor->set || !handles_set(actor))
        return false;
    rh__misuse(here, "a handler that runs for a set (RH_SETS) must not receive other messages");
    return true;
}

/* Whether so many messages were seen by the behaviour, and wait for others. */
static bool are_there(struct rh__actor *actor, const struct rh_filter *filter)
{
    uint32_t n = 0;
    for (struct rh__message **at = &actor->aside; n < filter->count && at != actor->seen; at = &(*at)->link)
        n += is_member(actor, filter, *at);
    return n == filter->count;
}

bool rh__set_gather(struct rh__worker *worker, struct rh__actor *actor)
{
    const struct rh_entry *entry = rh__set_entry(actor->behaviour);
    struct rh_filter filter = { .type = entry->type };
    int32_t n = (int32_t)rh__set_number(entry, actor->state);
    filter.count = n < 2 ? 0 : (uint32_t)n;
    if (!filter.count || actor->fiber || !are_there(actor, &filter))
        return false;
    worker->actor = actor;
    struct rh__set *set = take(actor, &filter, "");
    if (!set) {
        rh__rt_actor_end(worker, actor, "failed");
        return false;
    }
    actor->set = set;
    actor->current = actor->last = set->messages[set->count - 1];
    const struct rh__set_call call = { set->envelopes, set->count, false, entry->call, NULL };
    rh__handle_set(actor->self, actor->state, &call);
    actor->current = NULL;
    rh__set_release(actor);
    return true;
}
