/* See rt_tape.h: records as lines of a schedule (docs/schedules.md).
 *
 * An event stands where it began: all that it sends is there for the events behind it, as if handlers were atomic.  The
 * number of a message among those with the same type, sender and receiver is that of this order, and not the order of
 * arrival: with rh_forward the two may differ. */
#include "runtime/rt_tape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/rt_names.h"
#include "runtime/rt_registry.h"

enum { NAME = 4096 };
#define NOTHING UINT32_MAX

/* From a number to the index of a record. */
struct map {
    uint64_t *keys;
    uint32_t *values;
    uint32_t mask;
};

struct writer {
    const struct rh__tape_entry *at;
    uint32_t count, flaws;
    FILE *out;
    struct map actors; /* reference: its spawn */
    struct map blocks; /* message: its send, if it is not taken yet */
    uint32_t *latest;  /* by spawn: the latest event of the actor */
    uint32_t *event;   /* by send: the event that has sent it, NOTHING for none */
    uint32_t *send;    /* by event: the send of the message that it takes */
    uint32_t *rank;    /* by send */
    uint32_t *then;    /* by event and value: the next value of the same event */
    uint32_t *last;    /* by event: its last value */
    uint32_t from_outside, spawned_outside, timeouts, timers, events;
    bool deep;
};

static void map_make(struct map *map, uint32_t count)
{
    uint32_t size = 16;
    while (size < 2 * count)
        size *= 2;
    map->keys = rh__need(size * sizeof *map->keys);
    map->values = rh__need(size * sizeof *map->values);
    map->mask = size - 1;
    memset(map->keys, 0, size * sizeof *map->keys);
}

static uint32_t *map_at(struct map *map, uint64_t key)
{
    uint32_t i = (uint32_t)rh__mix(key, 1) & map->mask;
    while (map->keys[i] && map->keys[i] != key)
        i = (i + 1) & map->mask;
    if (!map->keys[i]) {
        map->keys[i] = key;
        map->values[i] = NOTHING;
    }
    return &map->values[i];
}

static uint32_t kind_of(const struct writer *w, uint32_t i)
{
    return atomic_load_explicit(&w->at[i].kind, memory_order_relaxed);
}

/* ---- which message is which -------------------------------------------------------------------------------------- */

static uint32_t *latest_of(struct writer *w, uint64_t actor)
{
    uint32_t spawn = actor ? *map_at(&w->actors, actor) : NOTHING;
    return spawn == NOTHING ? NULL : &w->latest[spawn];
}

static void follow(struct writer *w, uint32_t i)
{
    const struct rh__tape_entry *r = &w->at[i];
    uint32_t *latest = latest_of(w, r->actor), *open;
    switch ((enum rh__tape_kind)kind_of(w, i)) {
    case RH__TAPE_SPAWN:
        *map_at(&w->actors, r->actor) = i;
        return;
    case RH__TAPE_SEND:
        if (r->what)
            *map_at(&w->blocks, (uintptr_t)r->what) = i;
        w->event[i] = r->how == RH__TIMER ? NOTHING : latest && *latest != NOTHING ? *latest : 0;
        return;
    case RH__TAPE_START:
        *map_at(&w->blocks, (uintptr_t)r->what) = NOTHING; /* no send was recorded for it */
        break;
    case RH__TAPE_FIRE:
        w->timers++;
        break;
    case RH__TAPE_HANDLE:
    case RH__TAPE_RECEIVE:
        open = map_at(&w->blocks, (uintptr_t)r->what);
        w->send[i] = *open;
        if (*open != NOTHING && w->at[*open].how == RH__TIMER && kind_of(w, i) == RH__TAPE_RECEIVE)
            w->event[*open] = i; /* it is sent when it fires */
        *open = NOTHING;
        break;
    case RH__TAPE_TIMEOUT:
        w->timeouts++;
        break;
    case RH__TAPE_VALUE: /* the event goes on with it at once */
        if (latest && *latest != NOTHING) {
            uint32_t *last = &w->last[*latest];
            w->then[*last == NOTHING ? *latest : *last] = i;
            *last = i;
        }
        return;
    default:
        break;
    }
    if (latest && kind_of(w, i) != RH__TAPE_FAILURE)
        *latest = i;
}

static const char *type_name(const struct rh__tape_entry *send)
{
    return send->how == RH__EXIT ? "exit signal" : ((const struct rh_message_type *)send->type)->name;
}

struct sent {
    uint32_t event, send;
};

static int in_order(const void *one, const void *other)
{
    const struct sent *a = one, *b = other;
    return a->event != b->event ? (a->event < b->event ? -1 : 1) : a->send < b->send ? -1 : a->send > b->send;
}

static bool alike(const struct rh__tape_entry *a, const struct rh__tape_entry *b)
{
    return a->from == b->from && a->to == b->to && strcmp(type_name(a), type_name(b)) == 0;
}

/* Counts the messages with the same type, sender and receiver. */
static void count_ranks(struct writer *w)
{
    struct sent *sent = rh__need((size_t)w->count * sizeof *sent);
    uint32_t n = 0, mask = w->blocks.mask;
    uint32_t *table = rh__need((mask + 1) * sizeof *table); /* the latest send of a kind */
    memset(table, 0xff, (mask + 1) * sizeof *table);
    for (uint32_t i = 0; i < w->count; i++)
        if (kind_of(w, i) == RH__TAPE_SEND && w->event[i] != NOTHING)
            sent[n++] = (struct sent){ w->event[i], i };
    qsort(sent, n, sizeof *sent, in_order);
    for (uint32_t k = 0; k < n; k++) {
        const struct rh__tape_entry *r = &w->at[sent[k].send];
        const char *name = type_name(r);
        uint32_t at = (uint32_t)rh__mix(rh__mix(rh__hash(name, strlen(name), 0), r->from), r->to) & mask;
        while (table[at] != NOTHING && !alike(&w->at[table[at]], r))
            at = (at + 1) & mask;
        w->rank[sent[k].send] = table[at] == NOTHING ? 1 : w->rank[table[at]] + 1;
        table[at] = sent[k].send;
    }
    free(table);
    free(sent);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void write_actor(struct writer *w, uint64_t actor)
{
    char name[NAME], escaped[NAME * 2];
    rh_ref who = { actor };
    struct rh__text text;
    rh__text_init(&text, escaped, sizeof escaped);
    if (!actor) {
        fputs("test", w->out);
    } else if (rh__ref_external(who)) {
        rh__external_text(who, name, sizeof name);
        rh__text_escape(&text, name);
        fputs(escaped, w->out);
    } else {
        uint32_t spawn = *map_at(&w->actors, actor);
        if (spawn != NOTHING)
            rh__name_text(w->at[spawn].what, name, sizeof name);
        fputs(spawn == NOTHING ? "somebody" : name, w->out);
        w->deep |= spawn == NOTHING || *name == '~';
    }
}

static void write_takes(struct writer *w, uint64_t actor, const char *type, uint64_t from, uint32_t rank)
{
    write_actor(w, actor);
    fprintf(w->out, " takes %s from ", type);
    write_actor(w, from);
    if (rank > 1)
        fprintf(w->out, " (%" PRIu32 ")", rank);
    fputs("\n", w->out);
}

static void write_fires(struct writer *w, const struct rh__tape_entry *r)
{
    char escaped[NAME];
    struct rh__text text;
    rh__text_init(&text, escaped, sizeof escaped);
    rh__text_escape(&text, r->what);
    write_actor(w, r->actor);
    fprintf(w->out, "'s timer \"%s\" fires\n", escaped);
}

static void write_values(struct writer *w, uint32_t event)
{
    for (uint32_t i = w->then[event]; i != NOTHING; i = w->then[i]) {
        write_actor(w, w->at[i].actor);
        fprintf(w->out, " chooses %" PRIu64 " of %" PRIu64 "\n", w->at[i].from, w->at[i].to);
    }
}

static void write_event(struct writer *w, uint32_t i)
{
    const struct rh__tape_entry *r = &w->at[i];
    uint32_t kind = kind_of(w, i), send = w->send[i];
    if (kind == RH__TAPE_SPAWN || kind == RH__TAPE_SEND || kind == RH__TAPE_VALUE)
        return;
    if ((kind == RH__TAPE_HANDLE || kind == RH__TAPE_RECEIVE) &&
        (send == NOTHING || (kind == RH__TAPE_HANDLE && w->at[send].how == RH__TIMER)))
        return; /* START or FIRE is its line */
    /* When a write became durable is not recorded, and one synchronisation may have told of several: the gap makes both
     * what the next line needs. */
    if (send != NOTHING && strcmp(type_name(&w->at[send]), "rh_stored") == 0)
        return;
    if (w->flaws & RH__UNRECORDED_STORES && kind != RH__TAPE_FAILURE)
        fputs("... without timers\n", w->out); /* timers have lines */
    switch ((enum rh__tape_kind)kind) {
    case RH__TAPE_START:
        write_takes(w, r->actor, "rh_start", r->from, 1);
        break;
    case RH__TAPE_HANDLE:
    case RH__TAPE_RECEIVE:
        write_takes(w, r->actor, type_name(&w->at[send]), w->at[send].from, w->rank[send]);
        break;
    case RH__TAPE_FIRE:
        write_fires(w, r);
        break;
    case RH__TAPE_TIMEOUT:
        write_actor(w, r->actor);
        fputs(" stops waiting\n", w->out);
        break;
    case RH__TAPE_YIELD:
        write_actor(w, r->actor);
        fputs(" goes on\n", w->out);
        break;
    case RH__TAPE_FAILURE:
        fputs("# failure (", w->out);
        fprintf(w->out, "%s): ", (const char *)r->what);
        write_actor(w, r->actor);
        fputs("\n", w->out);
        break;
    default:
        break;
    }
}

/* ---- what the file is worth -------------------------------------------------------------------------------------- */

static void count_outside(struct writer *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t kind = kind_of(w, i);
        w->from_outside += kind == RH__TAPE_SEND && !w->at[i].actor && w->at[i].how != RH__TIMER;
        w->spawned_outside += kind == RH__TAPE_SPAWN && !w->at[i].from;
        w->events += kind != RH__TAPE_SEND && kind != RH__TAPE_SPAWN && kind != RH__TAPE_FAILURE;
    }
}

static void write_head(struct writer *w, bool full)
{
    static const struct {
        uint32_t flaw;
        const char *text;
    } flaws[] = {
        { RH__UNRECORDED_SHARED, "names, tables or ends of actors were read: in handlers that ran at the same time "
                                 "their order is not recorded" },
        { RH__UNRECORDED_RANDOM, "rh_random was called: its values are not recorded, and differ under test" },
        { RH__UNRECORDED_CLOCK, "rh_now_ms was called: the time differs under test" },
        { RH__UNRECORDED_STORES,
          "stores were used: when writes became durable is not recorded (`... without timers`)" },
        { RH__UNRECORDED_DROPS, "messages were dropped because a mailbox was full: under test none is" },
        { RH__UNRECORDED_INFO, "rh_info was called: what it has found is not recorded" },
    };
    fputs("rehearse schedule 1\n", w->out);
    if (rh__rt.options.record_test)
        fprintf(w->out, "test %s\n", rh__rt.options.record_test);
    fputs("set model=fifo\nset granularity=handler\nset time=free\n", w->out);
    fprintf(w->out,
            "# recorded in production, events: %" PRIu32 "\n"
            "# outside of actors, spawned: %" PRIu32 ", sent: %" PRIu32
            "; the test's body must do the same, in this order\n",
            w->events, w->spawned_outside, w->from_outside);
    if (full)
        fprintf(w->out, "# incomplete: record_limit = %" PRIu32 " was reached; what came later is not here\n",
                w->count);
    if (w->timeouts)
        fprintf(w->out, "# not exact: %" PRIu32 " waits ended by their time limit, which depends on speed\n",
                w->timeouts);
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
        if (w->flaws & flaws[i].flaw)
            fprintf(w->out, "# not exact: %s\n", flaws[i].text);
}

void rh__tape_write_lines(struct rh__tape *r, uint32_t count, FILE *out)
{
    struct writer w = { .at = r->at, .count = count, .out = out };
    w.flaws = atomic_load_explicit(&r->flaws, memory_order_relaxed);
    size_t bytes = ((size_t)count + 1) * sizeof(uint32_t);
    uint32_t **arrays[] = { &w.latest, &w.event, &w.send, &w.rank, &w.then, &w.last };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = memset(rh__need(bytes), 0xff, bytes);
    map_make(&w.actors, count);
    map_make(&w.blocks, count);
    for (uint32_t i = 0; i < count; i++)
        follow(&w, i);
    count_ranks(&w);
    count_outside(&w);
    write_head(&w, atomic_load_explicit(&r->full, memory_order_relaxed));
    for (uint32_t i = 0; i < count; i++) {
        write_event(&w, i);
        if (kind_of(&w, i) != RH__TAPE_VALUE)
            write_values(&w, i);
    }
    if (!atomic_load_explicit(&r->failed, memory_order_relaxed))
        fputs("... without timers\n",
              out); /* servers with timers never rest: the recording ends, and so does its replay */
    if (w.deep)
        fputs("# not exact: an actor has more than 64 ancestors; its name is cut\n", out);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(*arrays[i]);
    free(w.actors.keys), free(w.actors.values);
    free(w.blocks.keys), free(w.blocks.values);
}
