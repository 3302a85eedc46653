/* See determinism.h, and rh_world_check_determinism in rehearse/world.h. */
#include "world/determinism.h"

#include <rehearse/sandbox.h>
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "world/memory.h"
#include "world/network.h"
#include "world/symbol.h"

enum { LONGEST = 10000, MOST_TICKS = 5, MOST_IMAGE = 16 << 20, FILL_WEIGHT = 8 };

struct record {
    struct rh_choice choice;
    uint32_t open, sent;
    uint64_t shape; /* of the messages: types, receivers, sizes */
    uint64_t bytes;
};

/* The memory of an actor at the end of a run, copied to `image`. */
struct kept_region {
    size_t at, size;
};

struct rh__seen {
    uint32_t room, count; /* events, from 1 */
    bool ended, with_open;
    enum rh_outcome_kind outcome;
    char place[128];
    struct record *events;
    size_t mapped;

    /* For the second comparison: all bytes of messages, then the regions. */
    bool imaged;
    uint32_t most_ticks; /* 0: none; the rest of a run that takes longer is not compared */
    uint64_t payload_from;
    size_t payload_size;
    uint32_t actors;
    struct kept_region *regions;
    char *image;
};

enum what { SAME, OPEN, CHOICE, SENT, SHAPE, ENDED, BYTES, MEMORY };

struct difference {
    enum what what;
    uint32_t event;
    uint32_t message; /* for BYTES: the first message that differs */
    uint32_t actor;   /* for MEMORY */
    size_t offset;    /* in its value; from its size on, in its tail */
    struct record was, is;
    enum rh_outcome_kind ended_as;
};

/* ---- noting ------------------------------------------------------------------------------------------------------ */

struct rh__seen *rh__seen_new(uint32_t events)
{
    size_t mapped = sizeof(struct rh__seen) + ((size_t)events + 1) * sizeof(struct record);
    struct rh__seen *s = rh_shared_new(mapped);
    if (!s)
        return NULL;
    s->room = events;
    s->mapped = mapped;
    s->events = (struct record *)(s + 1);
    return s;
}

static void drop_image(struct rh__seen *s)
{
    rh__free(s->regions);
    rh__free(s->image);
    s->regions = NULL;
    s->image = NULL;
    s->imaged = false;
}

void rh__seen_free(struct rh__seen *s)
{
    if (s)
        rh_shared_free(s, s->mapped);
}

static void note_sent(const struct rh_world *w, uint32_t event, struct record *r)
{
    uint32_t end = event + 1 < w->event_count ? w->events[event + 1].first_message : w->message_count;
    r->sent = end - w->events[event].first_message;
    r->shape = r->bytes = 0;
    for (uint32_t i = w->events[event].first_message; i < end; i++) {
        const struct world_message *m = &w->messages[i];
        r->shape = rh__mix(r->shape, rh__mix((uint64_t)m->sender << 32 | m->receiver, (uint64_t)(uintptr_t)m->type));
        r->shape = rh__mix(r->shape, (uint64_t)m->size << 32 | m->tail_size);
        r->bytes = rh__hash(rh__message_value(w, m), m->size, r->bytes);
        r->bytes = rh__hash(rh__message_tail(w, m), m->tail_size, r->bytes);
    }
}

bool rh__seen_note(struct rh__seen *s, struct rh_world *w, const uint32_t *open, bool ended)
{
    if (w->event_count > s->room)
        return false;
    s->count = w->event_count;
    s->ended = ended;
    s->with_open = open != NULL;
    for (uint32_t i = 1; i < s->count; i++) {
        struct record *r = &s->events[i];
        r->choice = w->events[i].choice;
        r->open = open ? open[i] : 0;
        note_sent(w, i, r);
    }
    if (ended) {
        const struct rh_outcome *o = rh_world_outcome(w);
        s->outcome = o->kind;
        memcpy(s->place, o->place, sizeof s->place);
    }
    return true;
}

/* Copies the messages and the memory at the end of the run. */
static void keep_image(struct rh__seen *s, struct rh_world *w)
{
    drop_image(s);
    s->payload_from = w->baseline_payload;
    s->payload_size = (size_t)(w->payload_at - w->baseline_payload);
    s->actors = w->actor_count;
    size_t size = s->payload_size;
    for (uint32_t i = 0; i < w->actor_count; i++)
        size += w->actors[i].region ? w->actors[i].used : 0;
    if (size > MOST_IMAGE)
        return;
    s->regions = rh__alloc_array(s->actors + 1, sizeof *s->regions);
    s->image = rh__alloc_array(size + 1, 1);
    s->imaged = s->regions && s->image;
    if (!s->imaged)
        return;
    memcpy(s->image, w->payload + s->payload_from, s->payload_size);
    size = s->payload_size;
    for (uint32_t i = 0; i < s->actors; i++) {
        s->regions[i] = (struct kept_region){ size, w->actors[i].region ? w->actors[i].used : 0 };
        rh__copy(s->image + size, w->actors[i].region, s->regions[i].size);
        size += s->regions[i].size;
    }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* The first byte of the event's messages that differs from the image. */
static void find_byte(const struct rh__seen *s, const struct rh_world *w, struct difference *d)
{
    uint32_t end = w->message_count;
    d->message = w->events[d->event].first_message;
    for (uint32_t i = d->message; i < end && s->imaged; i++) {
        const struct world_message *m = &w->messages[i];
        const char *was = s->image + (m->payload - s->payload_from), *is = rh__message_value(w, m);
        size_t tail = (size_t)(rh__message_tail(w, m) - is);
        for (size_t at = 0; at < (size_t)m->size + m->tail_size; at++) {
            size_t k = at < m->size ? at : tail + (at - m->size);
            if (was[k] != is[k]) {
                d->message = i;
                d->offset = at;
                return;
            }
        }
    }
}

/* Regions contain red zones, which sanitizers would report. */
RH__NO_SANITIZE static void find_memory(const struct rh__seen *s, const struct rh_world *w, struct difference *d)
{
    for (uint32_t i = 0; i < s->actors && i < w->actor_count; i++) {
        const struct world_actor *a = &w->actors[i];
        const char *was = s->image + s->regions[i].at;
        size_t size = a->region ? a->used : 0;
        size = size < s->regions[i].size ? size : s->regions[i].size;
        for (size_t at = 0; at < size; at++)
            if (was[at] != a->region[at]) {
                *d = (struct difference){ .what = MEMORY, .event = w->event_count - 1, .actor = i, .offset = at };
                return;
            }
    }
}

/* Repeats the recorded run, up to the first observable difference. */
static struct difference make_again(const struct rh__seen *s, struct rh_world *w)
{
    struct difference d = { .what = SAME };
    uint64_t ticks = w->ticks;
    rh_world_reset(w);
    for (uint32_t i = 1; i < s->count; i++) {
        uint32_t open;
        if (s->most_ticks && w->ticks - ticks > s->most_ticks)
            return d;
        struct record r = { .choice = s->events[i].choice };
        rh_world_enabled(w, &open);
        r.open = s->with_open ? open : 0;
        struct difference now = { .what = SAME, .event = i, .was = s->events[i], .is = r };
        if (r.open != s->events[i].open)
            now.what = OPEN;
        else if (!rh_world_step(w, &r.choice))
            now.what = CHOICE;
        if (now.what != SAME)
            return now;
        note_sent(w, i, &r);
        now.is = r;
        now.what = r.sent != now.was.sent     ? SENT
                   : r.shape != now.was.shape ? SHAPE
                   : r.bytes != now.was.bytes ? BYTES
                                              : SAME;
        if (now.what == BYTES && d.what == SAME) {
            d = now;
            find_byte(s, w, &d);
        } else if (now.what == SENT || now.what == SHAPE) {
            return now;
        }
    }
    if (!s->ended)
        return d;
    uint32_t open;
    rh_world_enabled(w, &open);
    const struct rh_outcome *o = rh_world_outcome(w);
    bool elsewhere =
        strcmp(o->place, s->place) != 0 && o->kind != RH_OUTCOME_CRASH; /* libraries have state of their own */
    if (open || o->kind != s->outcome || elsewhere)
        return (struct difference){ .what = ENDED, .event = s->count - 1, .ended_as = o->kind };
    if (d.what == SAME && s->imaged)
        find_memory(s, w, &d);
    return d;
}

static struct difference make_filled(const struct rh__seen *s, struct rh_world *w, enum world_stack_fill fill)
{
    w->fill = fill;
    struct difference d = make_again(s, w);
    w->fill = FILL_NOT;
    return d;
}

static bool is_observable(const struct difference *d)
{
    return d->what != SAME && d->what != BYTES && d->what != MEMORY;
}

/* ---- saying ------------------------------------------------------------------------------------------------------ */

static bool looks_like_address(const struct rh_world *w, const struct difference *d)
{
    const struct world_message *m = &w->messages[d->message];
    size_t at = d->offset & ~(size_t)7;
    uint64_t word;
    if (d->what != BYTES || at + sizeof word > m->size)
        return false;
    memcpy(&word, rh__message_value(w, m) + at, sizeof word);
    return word >> 40 == 0x7f || word >> 40 == 0x55 || word >> 40 == 0x56;
}

static void add_cause(const struct rh_world *w, const struct difference *d, bool of_stack, struct rh__text *t)
{
    if (of_stack)
        rh__text_add(t, "; it depends on memory that was never written: an uninitialised variable");
    else if (looks_like_address(w, d))
        rh__text_add(t, "; the value looks like an address, which differs between processes");
    else if (w->escape_count)
        rh__text_add(t, "; the program calls %s at %s, which is not controlled", w->escapes[0].call,
                     w->escapes[0].place);
    else
        rh__text_add(t,
                     "; the program may have state that is not restored (a thread-local variable, shared memory), or "
                     "use a value that changes from run to run");
}

/* Adds "field `yes` (byte 4)", or only the byte. */
static void add_field(const void *near, const char *type, size_t size, size_t offset, struct rh__text *t)
{
    char field[128];
    if (offset < size && rh__symbol_field(near, type, size, offset, field, sizeof field))
        rh__text_add(t, "in field `%s` (byte %zu)", field, offset);
    else if (offset < size)
        rh__text_add(t, "at byte %zu of its fields", offset);
    else
        rh__text_add(t, "at byte %zu after its fields", offset - size);
}

static void add_what(const struct rh__seen *s, const struct rh_world *w, const struct difference *d, struct rh__text *t)
{
    const struct world_message *m = &w->messages[d->message];
    char to[128];
    switch (d->what) {
    case OPEN:
        rh__text_add(t, "the open choices differ: there were %u, now %u", d->was.open, d->is.open);
        if (!d->is.open)
            rh__text_add(t, ", and the run ends there: %s%s%s", rh_outcome_name(w->outcome.kind),
                         *w->outcome.place ? " at " : "", w->outcome.place);
        break;
    case CHOICE:
        rh__text_add(t, "the open choices differ: this one was open, and is not now");
        break;
    case SENT:
        rh__text_add(t, "the numbers of messages sent differ: %u, then %u", d->was.sent, d->is.sent);
        break;
    case SHAPE:
        rh__text_add(t, "the messages sent differ in type, receiver or size");
        break;
    case ENDED:
        rh__text_add(t, "the outcomes differ: %s, then %s", rh_outcome_name(s->outcome), rh_outcome_name(d->ended_as));
        break;
    case BYTES:
        rh_world_actor_name(w, m->receiver, to, sizeof to);
        rh__text_add(t, "the messages sent differ: %s to %s ", m->type->name, to);
        add_field(m->type, m->type->name, m->size, d->offset, t);
        break;
    default:
        break;
    }
}

static struct rh_outcome tell(const struct rh__seen *s, const struct rh_world *w, const struct difference *d,
                              bool of_stack)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_NONDETERMINISM, .actor = s->events[d->event].choice.actor };
    char choice[256] = "the beginning";
    struct rh__text t;
    rh__text_init(&t, o.text, sizeof o.text);
    if (d->what == CHOICE || d->what == OPEN || d->event >= w->event_count)
        snprintf(choice, sizeof choice, "before it");
    else
        rh_world_choice_text(w, &w->events[d->event].choice, choice, sizeof choice);
    rh__text_add(&t, "the same choices gave different runs at event %u (%s): ", d->event, choice);
    add_what(s, w, d, &t);
    add_cause(w, d, of_stack, &t);
    return o;
}

/* No observable difference. */
static struct rh_outcome note_memory(const struct rh_world *w, const struct difference *d)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_FINISHED, .actor = d->actor };
    const struct world_actor *a = &w->actors[d->actor];
    char name[128];
    struct rh__text t;
    rh__text_init(&t, o.text, sizeof o.text);
    rh_world_actor_name(w, d->actor, name, sizeof name);
    rh__text_add(&t, "equal runs leave different memory in %s: ", name);
    if (d->offset < a->type->size)
        add_field(a->type, a->type->name, a->type->size, d->offset, &t);
    else
        rh__text_add(&t, "at byte %zu of its heap", d->offset - a->heap);
    rh__text_add(&t, "; no choice, message or outcome differs");
    return o;
}

/* A field of a message contains what was on the stack: harmless if nobody reads it, but worth a note. */
static struct rh_outcome note_field(const struct rh_world *w, const struct difference *d)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    const struct world_message *m = &w->messages[d->message];
    char field[128];
    if (d->what != BYTES || d->offset >= m->size ||
        !rh__symbol_field(m->type, m->type->name, m->size, d->offset, field, sizeof field))
        return o; /* padding, or unknown */
    o.actor = m->sender;
    snprintf(o.text, sizeof o.text,
             "field `%s` of message %s, sent at event %u, was never written: it contains what was left on the stack",
             field, m->type->name, d->event);
    return o;
}

/* ---- the second look --------------------------------------------------------------------------------------------- */

static uint32_t *counts_of(const struct rh__seen *s)
{
    uint32_t *open = rh__alloc_array(s->count + 1, sizeof *open);
    for (uint32_t i = 1; open && i < s->count; i++)
        open[i] = s->events[i].open;
    return open;
}

/* Only bytes differ: find out whether they are a value or leftovers on the stack, by two runs on equal stacks. */
static struct rh_outcome look_again(struct rh__seen *s, struct rh_world *w, uint64_t *steps)
{
    struct rh_outcome fine = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    uint32_t *open = counts_of(s);
    struct difference d = make_filled(s, w, FILL_ZERO);
    if (!is_observable(&d)) {
        rh__seen_note(s, w, s->with_open ? open : NULL, s->ended);
        keep_image(s, w);
        d = make_filled(s, w, FILL_ZERO);
    }
    *steps += 2ull * FILL_WEIGHT * s->count;
    rh__free(open);
    struct rh_outcome o = is_observable(&d)  ? tell(s, w, &d, false)
                          : d.what == BYTES  ? tell(s, w, &d, false)
                          : d.what == MEMORY ? note_memory(w, &d)
                                             : fine;
    drop_image(s);
    return o;
}

struct rh_outcome rh__seen_again(struct rh__seen *s, struct rh_world *w, uint64_t *steps)
{
    struct rh_outcome fine = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    *steps += s->count;
    struct difference d = make_again(s, w);
    if (d.what == SAME)
        return fine;
    return is_observable(&d) ? tell(s, w, &d, false) : look_again(s, w, steps);
}

/* ---- before the first run ---------------------------------------------------------------------------------------- */

/* Makes random choices, on clean stacks; stores the numbers of open choices in `open`. */
static void make_random_run(struct rh_world *w, uint64_t seed, uint32_t *open)
{
    uint64_t random = seed, ticks = w->ticks;
    rh_world_reset(w);
    w->fill = FILL_ZERO;
    while (w->event_count < LONGEST && w->ticks - ticks <= MOST_TICKS) { /* a part of a slow run must do */
        const struct rh_choice *choices = rh_world_enabled(w, &open[w->event_count]);
        uint32_t count = open[w->event_count];
        if (!count || !rh_world_step(w, &choices[rh__random_below(&random, count)]))
            break;
    }
    w->fill = FILL_NOT;
}

struct rh_outcome rh_world_check_determinism(struct rh_world *w, uint64_t seed)
{
    struct rh_outcome o = { .kind = RH_OUTCOME_FINISHED, .actor = RH_NONE };
    uint32_t *open = rh__alloc_array(LONGEST + 1, sizeof *open), left;
    struct rh__seen *s = rh__seen_new(LONGEST);
    uint64_t steps = 0;
    if (!open || !s)
        goto release;
    s->most_ticks = 2 * MOST_TICKS; /* the run that they are compared with was no slower, most likely */
    make_random_run(w, seed, open);
    rh_world_enabled(w, &left);
    rh__seen_note(s, w, open, !left);
    keep_image(s, w);
    struct difference d = make_filled(s, w, FILL_ZERO);
    if (is_observable(&d))
        o = tell(s, w, &d, false);
    else if (d.what != SAME)
        o = look_again(s, w, &steps); /* the first run may have met a state that exists only once */
    if (o.kind == RH_OUTCOME_FINISHED) {
        if (!s->imaged) {
            make_filled(s, w, FILL_ZERO);
            rh__seen_note(s, w, open, s->ended);
            keep_image(s, w);
        }
        d = make_filled(s, w, FILL_PATTERN);
        struct difference positive = d;
        if (!is_observable(&d)) /* a value that is compared with a number may differ only by its sign */
            positive = make_filled(s, w, FILL_POSITIVE);
        if (is_observable(&positive))
            o = tell(s, w, &positive, true);
        else if (!*o.text)
            o = note_field(w, &d);
    }
    if (o.kind == RH_OUTCOME_FINISHED)
        rh_world_reset(w);
release:
    if (s)
        drop_image(s);
    rh__seen_free(s);
    rh__free(open);
    return o;
}
