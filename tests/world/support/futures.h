/* The futures of states by brute force: a hash of the tree of all that can happen from a state.  No notion of what a
 * fingerprint contains enters.  Wherever two paths meet in a fingerprint, their futures are compared. */
#ifndef RH_TESTS_WORLD_SUPPORT_FUTURES_H
#define RH_TESTS_WORLD_SUPPORT_FUTURES_H

#include "world/support/driver.h"

#include "support/generated.h"

/* How many bytes of a state count; the rest of it says nothing to the program (the ticket of a kept request). */
#ifndef SEEN_OF
#define SEEN_OF(type) ((type)->size)
#endif

enum { SLOTS = 1 << 16, MOST_STATES = 12000 };

/* ---- the table of fingerprints --------------------------------------------------------------------------------- */

static struct {
    uint64_t fingerprint, future, digest;
} * seen;
static uint32_t seen_count;
static uint64_t states, met;
static uint64_t failures; /* assertions that failed */
static char clash[9000];
static uint64_t clashing; /* the fingerprint, while the first path to it is sought */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ b;
    return generated_random(&h);
}

static void begin(void)
{
    if (!seen)
        seen = malloc(SLOTS * sizeof *seen);
    assert_non_null(seen);
    memset(seen, 0, SLOTS * sizeof *seen);
    seen_count = 0;
    states = met = failures = 0;
    clash[0] = 0;
    clashing = 0;
}

static void begin_again(void)
{
    memset(seen, 0, SLOTS * sizeof *seen);
    seen_count = 0;
    states = 0;
}

/* The path that led here, for people. */
static void path_text(struct rh_world *w, char *text, size_t size)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    size_t at = 0;
    text[0] = 0;
    for (uint32_t i = 1; i < n && at + 80 < size; i++) {
        char one[128];
        rh_world_choice_text(w, &events[i].choice, one, sizeof one);
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 1 ? "; " : "", one);
    }
}

static void record(struct rh_world *w, uint64_t fingerprint, uint64_t future)
{
    uint32_t i = (uint32_t)(fingerprint % SLOTS);
    while (seen[i].fingerprint && seen[i].fingerprint != fingerprint)
        i = (i + 1) % SLOTS;
    if (!seen[i].fingerprint) {
        assert_in_range(++seen_count, 0, SLOTS - 1);
        seen[i].fingerprint = fingerprint;
        seen[i].future = future;
        if (fingerprint == clashing) {
            size_t n = strlen(clash);
            char path[4000];
            path_text(w, path, sizeof path);
            snprintf(clash + n, sizeof clash - n, "\n    the other by: %s", path);
        }
        return;
    }
    met++;
    if (seen[i].future != future && !clash[0]) {
        char path[4000];
        path_text(w, path, sizeof path);
        snprintf(clash, sizeof clash, "two states with one fingerprint have different futures; one is reached by: %s",
                 path);
        clashing = fingerprint;
    }
}

/* ---- futures --------------------------------------------------------------------------------------------------- */

static uint64_t hash_choice(struct rh_world *w, const struct rh_choice *c)
{
    char text[512];
    rh_world_choice_text(w, c, text, sizeof text);
    uint64_t h = digest_hash(text, strlen(text));
    if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE) {
        struct rh_message_info m = rh_world_message(w, c->what);
        h = mix(h, digest_hash(m.value, m.size) ^ digest_hash(m.tail ? m.tail : "", m.tail_size));
    }
    return h;
}

static uint64_t hash_end(struct rh_world *w)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    failures += o->kind == RH_OUTCOME_ASSERTION;
    uint64_t h = mix(o->kind, digest_hash(o->place, strlen(o->place)));
    if (rh__dead_letters_at_end(w) && o->kind == RH_OUTCOME_DEAD_LETTER) /* of several, the first; otherwise any */
        h = mix(h, digest_hash(o->text, strlen(o->text)));
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        char name[256];
        rh_world_actor_name(w, i, name, sizeof name);
        uint64_t x = digest_hash(name, strlen(name));
        if (!rh_world_actor_ended(w, i))
            x = mix(x, digest_hash(rh_world_actor_state(w, i), SEEN_OF(rh_world_actor_type(w, i))));
        h += x;
    }
    return h;
}

/* What the last step wrote into the log of the run: what the program has seen, even if it keeps nothing of it.  The
 * world's own lines (of dead letters) are in no particular order. */
static uint64_t hash_lines(const struct rh_world *w, uint32_t from)
{
    uint64_t h = 3;
    for (uint32_t i = from; i < w->line_count; i++) {
        const char *line = w->payload + w->lines[i].text;
        h += mix(3, digest_hash(line, strlen(line)));
    }
    return h;
}

/* Of the world as it is, to `depth` steps ahead; records every state whose future is known to the end.  Gives up, with
 * false, after too many. */
static bool future(struct rh_world *w, uint32_t depth, bool keep, uint64_t *result)
{
    uint32_t n;
    if (++states > MOST_STATES || w->event_count > w->semantics.max_steps) /* what a limit cuts has no future */
        return false;
    uint64_t fingerprint = keep ? rh_world_fingerprint(w) : 0;
    struct rh_choice *open = copy_choices(w, &n);
    uint64_t h = n ? 2 : hash_end(w);
    bool fine = true;
    for (uint32_t i = 0; depth && i < n && fine; i++) {
        uint64_t choice = hash_choice(w, &open[i]), rest;
        uint32_t lines = w->line_count;
        assert_true(rh_world_step(w, &open[i]));
        choice = mix(choice, hash_lines(w, lines));
        fine = future(w, depth - 1, keep, &rest);
        if (fine)
            h += mix(choice, rest);
        assert_true(rh_world_undo(w));
    }
    for (uint32_t i = 0; !depth && i < n; i++)
        h += hash_choice(w, &open[i]);
    free(open);
    if (fine && keep && !(w->over && rh_outcome_failed(rh_world_outcome(w)->kind))) /* of a failed step nobody asks */
        record(w, fingerprint, h);
    *result = h;
    return fine;
}

/* Every state of the test; false where there are too many. */
static bool explore(const char *test, const struct rh_semantics *semantics)
{
    uint64_t result;
    uint32_t meaning;
    bool fine;
    struct rh_world *w = open_test(test, semantics);
    do {
        begin();
        meaning = rh_world_fingerprint_meaning(w);
        fine = future(w, UINT32_MAX, true, &result);
        rh_world_reset(w);
    } while (meaning != rh_world_fingerprint_meaning(w));
    if (clash[0]) { /* once more, for the path that came first */
        begin_again();
        future(w, UINT32_MAX, true, &result);
    }
    rh_world_free(w);
    return fine;
}

static inline void require_no_clash(const char *test, const struct rh_semantics *semantics)
{
    if (!explore(test, semantics))
        fail_msg("%s has too many states", test);
    if (clash[0])
        fail_msg("%s: %s", test, clash);
    assert_true(states > 1);
}

#endif
