/* See why.h.  All runs are made in children that the program may kill.  What is to be done, and what came of it, is in
 * shared memory; the parent ends the run in which a child died. */
#include "findings/why.h"

#include <rehearse/sandbox.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "explore/engine/engine.h"
#include "explore/shrink.h"
#include "findings/why_objects.h"
#include "run/encode.h"
#include "world/live.h"

enum {
    SAMPLES = 24,          /* of each prefix */
    MORE_SAMPLES = 300,    /* of the prefix up to the decisive step, if there are too many continuations */
    MOST_TRIES = 400,      /* runs in which one thing differs */
    MOST_STEPS = 300000,   /* of tries, and again of continuations */
    MOST_RUNS = 3000,      /* of one exhaustive search */
    MOST_SEARCHES = 6,     /* exhaustive ones */
    ALL_POINTS = 48,       /* prefixes of a run of at most so many events are all drawn from */
    NO_EVENT = 0xffffffffu /* before the first event */
};

struct attempt {
    enum rh__why_differs kind;
    uint32_t first, second; /* steps; of another choice: the step, and the index of the choice; else the message */
    bool late;              /* an order: the first one comes as late as possible */
};

enum phase { TRIES, SAMPLING, SEARCH };

struct work {
    struct rh__finding *f;
    const struct rh__run *r; /* of the finding */
    struct rh__shrink *s;    /* for tries */
    uint64_t wanted;
    uint32_t steps, most; /* of the run; of a continuation */
    enum phase phase;
    bool in_run;
    uint64_t runs, made; /* of all phases: runs, and events since the phase began */

    uint32_t try_count, try_at;
    uint32_t best_class, best_places;
    struct attempt tries[MOST_TRIES];

    uint32_t prefix;                 /* so many steps of the run, then at random */
    uint32_t drawn, samples, failed; /* rh_assume ended those that are drawn and no samples */
    uint32_t wanted_samples;
    bool avoided; /* a continuation of the prefix has avoided the failure */

    uint64_t search_runs, search_steps;
    bool searched; /* all continuations were made */
    uint32_t depth;
    uint32_t arrays[]; /* plan; picks and numbers of choices of the search */
};

static uint32_t *plan_of(struct work *x)
{
    return x->arrays;
}

static uint32_t *picks_of(struct work *x)
{
    return x->arrays + x->most + 2;
}

static uint32_t *opens_of(struct work *x)
{
    return x->arrays + 2 * (x->most + 2);
}

/* ---- what may differ --------------------------------------------------------------------------------------------- */

static bool is_receive(const struct rh__run *r, uint32_t step)
{
    const struct rh_event *e = rh__run_event(r, step + 1);
    return (e->choice.kind == RH_CHOICE_DELIVER || e->choice.kind == RH_CHOICE_TIMER) && !(e->flags & RH_EVENT_INSIDE);
}

static bool share_object(const struct rh__run *r, uint32_t a, uint32_t b)
{
    uint32_t use, other;
    return rh__why_shared_uses(r, a + 1, b + 1, &use, &other);
}

static void add_try(struct work *x, enum rh__why_differs kind, uint32_t first, uint32_t second)
{
    if (x->try_count < MOST_TRIES)
        x->tries[x->try_count++] = (struct attempt){ kind, first, second, false };
    if (kind == RH__WHY_ORDER && x->try_count < MOST_TRIES)
        x->tries[x->try_count++] = (struct attempt){ kind, first, second, true };
}

/* Messages to the actor of a receive that were under way at that time, and are not taken in the run. */
static void add_waiting(struct work *x, const struct rh__run *r, uint32_t step)
{
    for (uint32_t i = 0; is_receive(r, step) && i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->event <= step && m->taken_by == RH_NONE && m->receiver == rh__run_choice(r, step + 1)->actor)
            add_try(x, RH__WHY_WAITING, step, i);
    }
}

/* Two receives of one actor, the later ones and the nearer ones first; then two uses of one object; then faults. */
static void collect_tries(struct work *x, const struct rh__run *r)
{
    uint32_t last = x->steps > 200 ? x->steps - 200 : 0;
    for (uint32_t i = x->steps; i-- > last;)
        add_waiting(x, r, i);
    for (uint32_t apart = 0; apart < 2; apart++)
        for (uint32_t b = x->steps; b-- > last;) {
            uint32_t seen = 0;
            for (uint32_t a = b; is_receive(r, b) && a-- > last;) {
                if (!is_receive(r, a) || rh__run_choice(r, a + 1)->actor != rh__run_choice(r, b + 1)->actor)
                    continue;
                if (apart ? seen > 0 : seen == 0)
                    add_try(x, RH__WHY_ORDER, a, b);
                if (++seen == 6)
                    break;
            }
        }
    for (uint32_t i = x->steps; i-- > 0;)
        if (rh__is_fault(rh__run_choice(r, i + 1)))
            add_try(x, RH__WHY_FAULT, i, 0);
    for (uint32_t b = x->steps; b-- > last;)
        for (uint32_t a = b; a-- > last && a + 20 > b;)
            if (rh__run_choice(r, a + 1)->actor != rh__run_choice(r, b + 1)->actor && share_object(r, a, b))
                add_try(x, RH__WHY_ORDER, a, b);
    for (uint32_t i = x->steps; i-- > last;)
        if (rh__why_uses(r, i + 1))
            add_try(x, RH__WHY_USE, i, 0);
    for (uint32_t i = x->steps; i-- > last;)
        for (uint32_t k = 0; k < 4; k++)
            add_try(x, RH__WHY_OTHER, i, k);
}

/* An order is turned round by making the first of the two directly after the second. */
static uint32_t make_plan(struct work *x, const struct attempt *t)
{
    uint32_t *plan = plan_of(x), n = 0;
    for (uint32_t i = 0; i < x->steps; i++) {
        if (t->kind == RH__WHY_OTHER && i == t->first)
            plan[n++] = RH__SHRINK_OTHER + t->second;
        if (t->kind == RH__WHY_OTHER || i != t->first)
            plan[n++] = i;
        if (t->kind == RH__WHY_ORDER && i == t->second && !t->late)
            plan[n++] = t->first;
    }
    return n;
}

/* The index of a message among those of its type, sender and receiver. */
static uint32_t rank_of(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t n = 0;
    for (uint32_t i = 0; i < message; i++) {
        const struct rh__run_message *o = rh__run_message(r, i);
        n += o->seen_as == m->seen_as && o->receiver == m->receiver && strcmp(o->type->name, m->type->name) == 0;
    }
    return n;
}

/* The event of another run that took the same message; RH_NONE for none. */
static uint32_t taken_in(const struct rh__run *other, const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t rank = rank_of(r, message);
    for (uint32_t i = 0; i < other->message_count; i++) {
        const struct rh__run_message *o = rh__run_message(other, i);
        if (strcmp(o->type->name, m->type->name) == 0 &&
            rh__run_actor(other, o->seen_as)->identity == rh__run_actor(r, m->seen_as)->identity &&
            rh__run_actor(other, o->receiver)->identity == rh__run_actor(r, m->receiver)->identity && rank-- == 0)
            return o->taken_by;
    }
    return RH_NONE;
}

/* Whether the message was taken before what the step took, if that was taken at all. */
static bool came_first(const struct rh__run *other, const struct rh__run *r, uint32_t message, uint32_t step)
{
    const struct rh_choice *c = rh__run_choice(r, step + 1);
    uint32_t m = taken_in(other, r, message);
    return m != RH_NONE && (c->kind != RH_CHOICE_DELIVER || m < taken_in(other, r, c->what));
}

static uint32_t position_of(const struct rh__shrink_step *now, uint32_t count, uint32_t step)
{
    uint32_t i = 0;
    while (i < count && now[i].from != step)
        i++;
    return i;
}

/* How many events only one of the two runs has, as far as the failing one goes; RH_NONE if the try was not made as it
 * was meant. */
static uint32_t places_of(const struct work *x, const struct rh__run *other, const struct attempt *t)
{
    uint32_t count, kept = 0, behind = 0, use, change;
    const struct rh__shrink_step *now = rh__shrink_now(x->s, &count);
    for (uint32_t i = 0; i < count; i++)
        if (now[i].from != RH_NONE) {
            kept++;
            behind = i + 1;
        }
    uint32_t a = position_of(now, count, t->first), b = position_of(now, count, t->second);
    if (t->kind == RH__WHY_ORDER && (b == count || a < b || (a == count && !t->late)))
        return RH_NONE;
    /* A step may have taken another message of its kind than it was meant to. */
    if (t->kind == RH__WHY_ORDER && is_receive(x->r, t->first) && is_receive(x->r, t->second) &&
        !came_first(other, x->r, rh__run_choice(x->r, t->second + 1)->what, t->first))
        return RH_NONE;
    if (t->kind == RH__WHY_WAITING && !came_first(other, x->r, t->second, t->first))
        return RH_NONE;
    if (t->kind == RH__WHY_FAULT && a < count)
        return RH_NONE;
    if (t->kind == RH__WHY_USE && !rh__why_later_use(x->r, t->first + 1, other, &use, &change))
        return RH_NONE;
    return 1 + (x->steps - kept) + (behind - kept);
}

/* What differs at the failing event itself says most, another choice somewhere least. */
static uint32_t class_of(const struct work *x, const struct attempt *t)
{
    bool at_end = t->first == x->steps - 1 || (t->kind == RH__WHY_ORDER && t->second == x->steps - 1);
    if (t->kind == RH__WHY_USE ||
        (t->kind == RH__WHY_ORDER && (!is_receive(x->r, t->first) || !is_receive(x->r, t->second))))
        return 3; /* uses of an object, which rows of stories show badly */
    return t->kind == RH__WHY_OTHER ? 4 : t->kind == RH__WHY_FAULT ? 1 : at_end ? 0 : 2;
}

static void end_try(struct work *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    const struct attempt *t = &x->tries[x->try_at++];
    struct rh__why *y = &x->f->why;
    uint32_t places = outcome->kind == RH_OUTCOME_FINISHED ? places_of(x, rh__world_run(w), t) : RH_NONE;
    uint32_t kind = class_of(x, t);
    if (places == RH_NONE || kind > x->best_class || (kind == x->best_class && places >= x->best_places))
        return;
    struct rh__writer to = rh__writer_of(y->passing, RH__PASSING_BYTES);
    rh__run_encode(rh__world_run(w), 256, &to);
    x->best_class = kind;
    x->best_places = places;
    y->differs = t->kind;
    y->first = t->first + 1;
    y->second = t->kind == RH__WHY_ORDER ? t->second + 1 : 0;
    y->message = t->kind == RH__WHY_WAITING ? t->second : RH_NONE;
    y->places = places;
    y->passing_size = to.full ? 0 : to.len;
}

static void run_try(struct work *x, struct rh_world *w)
{
    uint32_t count;
    rh_world_reset(w);
    const struct attempt *t = &x->tries[x->try_at];
    bool late = t->kind == RH__WHY_WAITING || t->kind == RH__WHY_USE || t->late;
    rh__shrink_play(x->s, plan_of(x), make_plan(x, t), late ? t->first : RH_NONE);
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t pick = rh__shrink_choose(x->s, w, open, count);
        if (pick == RH_NONE)
            break;
        rh_world_step(w, &open[pick]);
        x->made++;
    }
}

/* ---- continuations ----------------------------------------------------------------------------------------------- */

/* The choices that are no faults, and those that undo one: their number, and the index of number `which`. */
static bool goes_on(const struct rh_choice *c)
{
    return !rh__is_fault(c) || c->kind == RH_CHOICE_HEAL || c->kind == RH_CHOICE_RESTART;
}

static uint32_t no_faults(const struct rh_choice *open, uint32_t count, uint32_t which, uint32_t *pick)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (goes_on(&open[i]) && n++ == which)
            *pick = i;
    return n;
}

/* Makes the first steps of the run.  False if the program differs. */
static bool go_to_prefix(const struct work *x, struct rh_world *w)
{
    rh_world_reset(w);
    for (uint32_t i = 0; i < x->prefix; i++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (x->f->picks[i] >= count || !rh_world_step(w, &open[x->f->picks[i]]))
            return false;
    }
    return true;
}

static void run_sample(struct work *x, struct rh_world *w)
{
    uint64_t random = rh__random_seed(x->wanted, (uint64_t)x->prefix << 32 | x->drawn);
    uint32_t count, pick = 0;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t events, n = no_faults(open, count, RH_NONE, &pick);
        rh_world_events(w, &events);
        if (!n || events > x->prefix + x->most)
            break;
        no_faults(open, count, rh__random_below(&random, n), &pick);
        rh_world_step(w, &open[pick]);
        x->made++;
    }
}

/* The next sequence of choices after the prefix, in the order of an odometer. */
static void run_search(struct work *x, struct rh_world *w)
{
    uint32_t count, pick = 0, at = 0;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count; at++) {
        uint32_t n = no_faults(open, count, at < x->depth ? picks_of(x)[at] : 0, &pick);
        if (!n || at == x->most)
            break;
        if (at >= x->depth) {
            picks_of(x)[at] = 0;
            x->depth = at + 1;
        }
        opens_of(x)[at] = n;
        rh_world_step(w, &open[pick]);
        x->made++;
        x->search_steps++;
    }
}

/* Turns the odometer to the next sequence; false behind the last. */
static bool advance(struct work *x)
{
    while (x->depth && picks_of(x)[x->depth - 1] + 1 == opens_of(x)[x->depth - 1])
        x->depth--;
    if (x->depth)
        picks_of(x)[x->depth - 1]++;
    return x->depth != 0;
}

static bool is_the_failure(const struct work *x, const struct rh_outcome *outcome)
{
    return rh_outcome_failed(outcome->kind) && rh__finding_signature(outcome) == x->wanted;
}

static void end_continuation(struct work *x, const struct rh_outcome *outcome)
{
    bool failed = is_the_failure(x, outcome);
    x->avoided |= !failed && outcome->kind != RH_OUTCOME_ASSUMED;
    if (x->phase == SAMPLING) {
        x->drawn++;
        x->samples += outcome->kind != RH_OUTCOME_ASSUMED;
        x->failed += failed;
    } else {
        x->search_runs++;
        x->searched = !advance(x);
    }
}

/* ---- children ---------------------------------------------------------------------------------------------------- */

static bool is_done(const struct work *x)
{
    switch (x->phase) {
    case TRIES:
        return x->try_at == x->try_count || x->made >= MOST_STEPS;
    case SAMPLING:
        return x->drawn >= x->wanted_samples || (x->avoided && x->wanted_samples == MORE_SAMPLES);
    default:
        return x->avoided || x->searched || x->search_runs >= MOST_RUNS || x->search_steps >= MOST_STEPS / 4;
    }
}

static void end_run(struct work *x, const struct rh_world *w, const struct rh_outcome *outcome)
{
    x->in_run = false;
    x->runs++;
    if (x->phase == TRIES)
        end_try(x, w, outcome);
    else
        end_continuation(x, outcome);
}

/* In a child process. */
static void drive(struct rh_world *w, void *arg)
{
    struct work *x = arg;
    rh__mute();
    while (!is_done(x)) {
        if (x->phase != TRIES && !go_to_prefix(x, w))
            return;
        x->in_run = true;
        if (x->phase == TRIES)
            run_try(x, w);
        else if (x->phase == SAMPLING)
            run_sample(x, w);
        else
            run_search(x, w);
        end_run(x, w, rh_world_outcome(w));
    }
}

/* Makes all runs of the phase.  False if the tool failed; then, or if the program differs, it is not done. */
static bool make_runs(struct work *x, struct rh_world *w, enum phase phase)
{
    enum rh_sandbox_end end = RH_SANDBOX_DONE;
    x->phase = phase;
    while (!is_done(x) && (end = rh_sandbox_run(w, drive, x)) == RH_SANDBOX_FINDING) {
        if (!x->in_run || rh__world_child_killed(w))
            break;
        end_run(x, w, rh__world_recorded_outcome(w));
    }
    return end != RH_SANDBOX_FAILED;
}

/* ---- the decisive step ------------------------------------------------------------------------------------------- */

static bool sample(struct work *x, struct rh_world *w, uint32_t prefix, uint32_t samples)
{
    struct rh__why *y = &x->f->why;
    x->prefix = prefix;
    x->drawn = x->samples = x->failed = 0;
    x->avoided = false;
    x->wanted_samples = samples;
    if (!make_runs(x, w, SAMPLING))
        return false;
    uint32_t at = 0;
    while (at < y->point_count && y->points[at].event < prefix)
        at++;
    if (at == y->point_count || y->points[at].event != prefix) {
        if (y->point_count == RH__WHY_POINTS)
            return true;
        memmove(&y->points[at + 1], &y->points[at], (y->point_count++ - at) * sizeof *y->points);
        y->points[at] = (struct rh__why_point){ .event = prefix };
    }
    y->points[at].failed += x->failed;
    y->points[at].samples += x->samples;
    return true;
}

static bool search(struct work *x, struct rh_world *w, uint32_t prefix)
{
    x->prefix = prefix;
    x->avoided = x->searched = false;
    x->search_runs = x->search_steps = 0;
    x->depth = 0;
    return make_runs(x, w, SEARCH);
}

/* Draws from the prefixes, and narrows down where the drawn continuations cease to avoid the failure.  `*low`: the
 * longest prefix that is known to have one that does; NO_EVENT for none. */
static bool draw_curve(struct work *x, struct rh_world *w, uint32_t *low)
{
    uint32_t n = x->steps, count = n < ALL_POINTS ? n : 16, high = n;
    *low = NO_EVENT;
    for (uint32_t i = 0; i < count && x->made < MOST_STEPS; i++) {
        uint32_t prefix = n < ALL_POINTS ? i : (uint32_t)((uint64_t)i * n / count);
        if (!sample(x, w, prefix, SAMPLES))
            return false;
        if (x->avoided) {
            *low = prefix;
            high = n;
        } else if (high == n) {
            high = prefix;
        }
    }
    while (high != *low + 1) { /* NO_EVENT + 1 is 0 */
        uint32_t middle = *low + 1 + (high - *low - 1) / 2;
        if (!sample(x, w, middle, SAMPLES))
            return false;
        if (x->avoided)
            *low = middle;
        else
            high = middle;
    }
    return true;
}

/* From there on, is it certain? */
static bool decide(struct work *x, struct rh_world *w, uint32_t low)
{
    struct rh__why *y = &x->f->why;
    uint32_t searches = 0;
    for (uint32_t k = low + 1; k < x->steps; k++) {
        if (searches++ < MOST_SEARCHES) {
            if (!search(x, w, k))
                return false;
            y->exhaustive = x->searched && !x->avoided;
            y->continuations = x->search_runs;
        }
        if (!x->avoided && !y->exhaustive) {
            if (!sample(x, w, k, MORE_SAMPLES))
                return false;
            y->continuations = x->samples;
        }
        if (!x->avoided) {
            y->decisive = k;
            return y->known = true;
        }
        x->avoided = false;
    }
    y->decisive = x->steps;
    y->exhaustive = true; /* it has failed */
    y->continuations = 1;
    return y->known = true;
}

bool rh__why(struct rh_world *w, struct rh__finding *f)
{
    char error[128];
    struct rh__run *r = f->encoded_size ? rh__run_decode(f->encoded, f->encoded_size, error, sizeof error) : NULL;
    unsigned char *passing = f->why.passing;
    bool usable = r && !r->loop && f->pick_count && f->pick_count == r->event_count - 1 &&
                  f->outcome.kind != RH_OUTCOME_NONDETERMINISM && f->outcome.kind != RH_OUTCOME_ENDLESS_RUN &&
                  f->outcome.kind != RH_OUTCOME_ENDLESS && (f->minimised.repeats || !f->minimised.before);
    bool good = true;
    f->why = (struct rh__why){ .passing = passing };
    uint32_t most = usable ? 4 * f->pick_count + 400 : 0;
    size_t size = sizeof(struct work) + 3 * (most + 2) * sizeof(uint32_t);
    struct work *x = usable ? rh_shared_new(size) : NULL;
    size_t shrink_size = usable ? rh__shrink_size(r, most) : 0;
    struct rh__shrink *s = x ? rh_shared_new(shrink_size) : NULL;
    if (s) {
        struct rh__shrink_limits limits = { 0 };
        uint32_t low;
        x->f = f;
        x->s = s;
        x->wanted = rh__finding_signature(&f->outcome);
        x->steps = f->pick_count;
        x->most = most;
        x->best_class = x->best_places = RH_NONE;
        x->r = r;
        rh__shrink_init(s, r, most, x->wanted, &limits);
        collect_tries(x, r);
        good = make_runs(x, w, TRIES);
        x->made = 0;
        good = good && draw_curve(x, w, &low) && decide(x, w, low) && rh__why_name_uses(w, f, r);
        f->why.runs = x->runs;
        rh_shared_free(s, shrink_size);
    }
    if (x)
        rh_shared_free(x, size);
    rh__run_free(r);
    return good;
}
