/* See fingerprint.h.
 *
 * Left out on purpose, because no program can see it: events and messages of the past, who is how old, free stacks and
 * free list entries, and the clock until the program first asks for it (and with free time the deadlines of timers).
 * What is in: identity, behaviour, status and memory of each actor (a suspended one's stack as well), messages under way
 * by channel and order, timers, names, links, monitors, stores, shared tables, budgets, the partition. */
#include "world/fingerprint.h"

#include <string.h>

#include "base/hash.h"
#include "world/fiber.h"
#include "world/knowledge.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/store.h"
#include "world/tables.h"

void rh__actor_hash_out(struct rh_world *w, uint32_t actor)
{
    struct actor *a = &w->actors[actor];
    put64(w, &w->total, w->total ^ a->hash);
    put64(w, &a->hash, 0);
    put32(w, &a->stale, 1);
    put32(w, &w->stale_actors[w->stale_actor_count], actor);
    put32(w, &w->stale_actor_count, w->stale_actor_count + 1);
}

void rh__channel_hash_out(struct rh_world *w, uint32_t channel)
{
    struct channel *c = &w->channels[channel];
    put64(w, &w->total, w->total ^ c->hash);
    put64(w, &c->hash, 0);
    put32(w, &c->stale, 1);
    put32(w, &w->stale_channels[w->stale_channel_count], channel);
    put32(w, &w->stale_channel_count, w->stale_channel_count + 1);
}

void rh__request_over(struct rh_world *w, uint32_t request)
{
    if (!w->hashing)
        return;
    for (uint32_t i = 0; i < w->actor_count; i++)
        if (w->actors[i].stack != RH_NONE && w->actors[i].taken != RH_NONE &&
            w->messages[w->actors[i].taken].request == request)
            rh__actor_stale(w, i);
    for (uint32_t c = 0; c < w->channel_count; c++)
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (w->messages[i].request == request) {
                rh__channel_stale(w, c);
                break;
            }
}

static uint64_t hash_text(const struct rh_world *w, uint64_t text)
{
    const char *s = w->payload + text;
    return rh__hash(s, strlen(s), 1);
}

static uint64_t hash_message(struct rh_world *w, uint32_t message)
{
    struct message *m = &w->messages[message];
    if (!m->hash) {
        uint64_t h = rh__hash(rh__message_value(w, m), m->size, (uint64_t)(uintptr_t)m->type);
        if (m->tail_size)
            h = rh__mix(h, rh__hash(rh__message_tail(w, m), m->tail_size, 2));
        h = rh__mix(h, ((uint64_t)m->sender << 32 | m->receiver) ^ (uint64_t)m->seen_as << 16);
        if (!m->posted)
            h = rh__mix(h, 5); /* the world's own are not forwarded ones of the same type */
        if (m->at_once)
            h = rh__mix(h, 6); /* who takes it learns less */
        if (m->copy_of != RH_NONE)
            h = rh__mix(h, 3); /* it cannot be duplicated once more */
        m->hash = h ? h : 1;   /* a function of what never changes: need not be logged */
    }
    uint64_t h = w->clock_used && m->sent_ns ? rh__mix(m->hash, (uint64_t)m->sent_ns) : m->hash;
    /* Does someone still wait for an answer to it?  (A reply under way always has someone: see receive.c.) */
    if (m->request != RH_NONE && w->actors[w->messages[m->request].sender].asking == m->request)
        return rh__mix(h, 4);
    return h;
}

static uint64_t hash_channel(struct rh_world *w, uint32_t channel)
{
    const struct channel *c = &w->channels[channel];
    uint64_t h = 0;
    for (uint32_t i = c->first; i != RH_NONE; i = w->messages[i].next)
        h = rh__mix(h, hash_message(w, i) ^
                           (rh__message_original(w, i) < c->arrived)); /* a wait for it cannot end in vain */
    /* An empty channel counts as none. */
    return h ? rh__mix(h, (uint64_t)c->sender << 32 | c->receiver) : 0;
}

static uint64_t hash_actor(struct rh_world *w, uint32_t actor)
{
    const struct actor *a = &w->actors[actor];
    uint64_t h = rh__mix((uint64_t)(uintptr_t)a->type, (uint64_t)a->parent << 32 | a->ordinal);
    h = rh__mix(h, (uint64_t)a->status << 32 | (a->flags & ~(uint32_t)FLAG_DEFERRED));
    h = rh__mix(h, actor); /* references, and so messages, name it by its index */
    if (a->status == STATUS_OUTSIDE)
        return rh__mix(h, hash_text(w, a->initial)) | 1;
    if (a->now_ns &&
        w->clock_used) /* of one that has ended, too: who asks for news of its end gets its time with them */
        h = rh__mix(h, (uint64_t)a->now_ns);
    if (a->status == STATUS_ENDED)
        return h | 1;
    h = rh__mix(h, (uint64_t)(uintptr_t)a->behaviour);
    h = rh__mix(h, rh__region_hash(w, actor) ^ a->random);
    if (a->stack != RH_NONE) {
        uint32_t size;
        const char *live = rh__fiber_live(w, actor, &size);
        h = rh__mix(h, rh__hash(live, size, a->choices));
        if (a->taken != RH_NONE) /* it can still look at it, reply to it, forward it */
            h = rh__mix(h, hash_message(w, a->taken));
        if (a->received != RH_NONE)
            h = rh__mix(h, hash_message(w, a->received));
    }
    if (a->tickets)
        h = rh__mix(h, a->tickets);
    if (a->opened != RH_NONE)
        h = rh__mix(h, rh__store_hash(w, a->store, a->writes_open, actor));
    h = rh__mix(h, (uint64_t)a->restarts << 1 | (a->start != RH_NONE));
    if (a->status == STATUS_PREEMPTED)
        h = rh__mix(h, a->object ^ (uint64_t)a->then << 32 ^ a->then_what);
    if (a->result_type)
        h = rh__mix(h, rh__hash(w->payload + a->result, a->result_size, a->result_type));
    return h | 1;
}

/* What the clock has: of equal deadlines the first is the next; what is stale only passes the time. */
static uint64_t hash_of_clocked(const struct rh_world *w, const struct timer *t)
{
    const struct actor *a = &w->actors[t->actor];
    uint64_t before = 0;
    for (uint32_t i = t->older; i != RH_NONE; i = w->timers[i].older)
        before += w->timers[i].clocked && w->timers[i].deadline_ns == t->deadline_ns;
    return before << 1 | (t->life == a->restarts + 1 && (t->type || t->wait == a->wait));
}

static uint64_t hash_timers(const struct rh_world *w)
{
    bool when = w->semantics.time == RH_TIME_ORDERED || w->clock_used;
    uint64_t h = 0;
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older) {
        const struct timer *t = &w->timers[i];
        uint64_t x = rh__mix((uint64_t)t->actor << 1 | 1, (uint64_t)(uintptr_t)t->type);
        if (t->type)
            x = rh__mix(x, rh__hash(w->payload + t->payload, t->type->size, 5) ^ hash_text(w, t->name));
        if (when)
            x = rh__mix(x, (uint64_t)(t->deadline_ns - w->now_ns));
        if (t->clocked)
            x = rh__mix(x, hash_of_clocked(w, t));
        h += x;
    }
    return h;
}

static uint64_t hash_tables(struct rh_world *w)
{
    uint64_t h = 6;
    for (uint32_t i = w->first_name; i != RH_NONE; i = w->names[i].next)
        h += rh__mix(hash_text(w, w->names[i].text), w->names[i].actor);
    for (uint32_t a = 0; a < w->actor_count; a++) {
        for (uint32_t i = w->actors[a].links; i != RH_NONE; i = w->links[i].next)
            h += rh__mix(7 + (uint64_t)a, w->links[i].other);
        for (uint32_t i = w->actors[a].monitors; i != RH_NONE; i = w->links[i].next)
            h += rh__mix(((uint64_t)1 << 40) + a, w->links[i].other);
        for (uint32_t i = w->actors[a].watching; i != RH_NONE; i = w->links[i].next)
            h += rh__mix(((uint64_t)1 << 41) + a, w->links[i].other);
    }
    h += rh__stores_hash(w);
    return h ? h : 1;
}

static uint64_t hash_scalars(const struct rh_world *w)
{
    uint64_t budgets[] = {
        (uint64_t)w->losses << 32 | w->duplicates,
        (uint64_t)w->crashes << 32 | w->restarts,
        (uint64_t)w->kept_restarts << 32 | w->partitions,
        (uint64_t)w->failed_opens << 32 | w->damaged_stores,
        (uint64_t)w->cut << 32 | w->chooser,
        w->failed_puts,
        w->clock_used ? (uint64_t)w->now_ns : 0,
        w->semantics.fail_allocation ? w->allocations : 0,
        w->over,
    };
    return rh__hash(budgets, sizeof budgets, 8);
}

static uint64_t hash_eventually(const struct rh_world *w)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < w->property_count; i++)
        if (w->properties[i].kind == RH_EVENTUALLY && w->properties[i].run) /* else not yet of this run */
            h += rh__mix(i + 1, w->properties[i].run & LAST);
    return h;
}

static void begin_hashing(struct rh_world *w)
{
    w->hashing = true;
    w->hashing_since = w->event_count;
    w->total = 0;
    w->stale_actor_count = w->stale_channel_count = 0;
    w->tables_hash = 0;
    for (uint32_t i = 0; i < w->actor_count; i++) {
        w->actors[i].stale = 0;
        w->total ^= w->actors[i].hash = hash_actor(w, i);
    }
    for (uint32_t i = 0; i < w->channel_count; i++) {
        w->channels[i].stale = 0;
        w->total ^= w->channels[i].hash = hash_channel(w, i);
    }
    w->total ^= rh__tables_hash(w);
}

/* Which messages under way are in the past of a vector, `of`. */
static uint64_t hash_past(const struct rh_world *w, uint64_t vector, uint64_t of)
{
    uint64_t h = 0;
    if (!vector)
        return 0;
    const uint32_t *v = (const uint32_t *)(const void *)(w->payload + vector);
    for (uint32_t c = 0; c < w->channel_count; c++) {
        uint64_t channel = (uint64_t)w->channels[c].sender << 32 | w->channels[c].receiver;
        uint64_t position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++) {
            const struct message *x = &w->messages[i];
            if (x->sender < v[0] && x->send_number <= v[1 + x->sender])
                h += rh__mix(rh__mix(channel, position), of);
        }
    }
    return h;
}

/* Causal: what each message under way, and each actor, has seen sent of what is under way decides which of the messages
 * still to come must wait for which.  It is not kept up piece by piece: that model pays for all of it. */
static uint64_t hash_causes(const struct rh_world *w)
{
    uint64_t h = 0;
    for (uint32_t a = 0; a < w->actor_count; a++)
        if (w->actors[a].status != STATUS_ENDED)
            h += hash_past(w, w->actors[a].clock, rh__mix(a, 9));
    for (uint32_t c = 0; c < w->channel_count; c++) {
        uint64_t channel = (uint64_t)w->channels[c].sender << 32 | w->channels[c].receiver;
        uint64_t position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++)
            h += hash_past(w, w->messages[i].clock, rh__mix(channel, position));
    }
    return h;
}

/* For how much of what is under way each of the news has to wait. */
static uint64_t hash_news(const struct rh_world *w)
{
    uint64_t h = 0;
    for (uint32_t c = 0; c < w->channel_count; c++) {
        uint64_t channel = (uint64_t)w->channels[c].sender << 32 | w->channels[c].receiver, position = 0;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next, position++)
            if (w->messages[i].behind)
                h += rh__mix(rh__mix(channel, position), rh__count_before_news(w, i));
    }
    return h;
}

uint64_t rh_world_fingerprint(struct rh_world *w)
{
    if (!w->hashing) {
        begin_hashing(w);
    } else {
        for (uint32_t i = 0; i < w->stale_actor_count; i++) {
            uint32_t a = w->stale_actors[i];
            put64(w, &w->actors[a].hash, hash_actor(w, a));
            put64(w, &w->total, w->total ^ w->actors[a].hash);
            put32(w, &w->actors[a].stale, 0);
        }
        if (w->stale_actor_count)
            put32(w, &w->stale_actor_count, 0);
        for (uint32_t i = 0; i < w->stale_channel_count; i++) {
            uint32_t c = w->stale_channels[i];
            put64(w, &w->channels[c].hash, hash_channel(w, c));
            put64(w, &w->total, w->total ^ w->channels[c].hash);
            put32(w, &w->channels[c].stale, 0);
        }
        if (w->stale_channel_count)
            put32(w, &w->stale_channel_count, 0);
    }
    if (!w->tables_hash)
        put64(w, &w->tables_hash, hash_tables(w));
    uint64_t h = w->total ^ w->tables_hash ^ w->globals_hash;
    h = rh__mix(h, hash_scalars(w) ^ hash_timers(w));
    uint64_t owed = w->property_count ? hash_eventually(w) : 0;
    if (owed)
        h = rh__mix(h, owed);
    if (w->semantics.model == RH_MAILBOX && rh__fine(w))
        h = rh__mix(h, rh__knowledge_hash(w));
    if (w->news)
        h = rh__mix(h, hash_news(w));
    return w->semantics.model == RH_CAUSAL ? rh__mix(h, hash_causes(w)) : h;
}
