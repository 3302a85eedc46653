/* stateful: every state, once: a depth-first search that stops a run where its state was visited before.
 *
 * At a new state, the fingerprints of its successors are foretold where that is possible (world/foretell.h).  A step to
 * a visited state is not made then.  Each step that is made is compared with what was foretold: if one differs, the
 * program does something that is not seen, and the search starts over without foretelling.
 *
 * The path is that of dfs: at each level the choices after `pick` are untried.  A new level asks the set of visited
 * states (rehearse/visited.h), and its run ends there (RH_PRUNED) if the state is in the set.  A state on the path is a
 * cycle.  Such a state counts as visited even if a full set has dropped it, so the search ends with a set of any size.
 * States at which a run ends are entered at the end of the run.
 *
 * With several workers (-j) the states are those of a search by strata (explore/delaying/search.h), which can be
 * divided; so are the notes.  It foretells nothing, and looks for no loops.
 *
 * What "exhaustive" promises: with 128 bits, every reachable state was visited.  With fewer bits a collision may have
 * hidden a state, so the verdict is no more than sampled, and the notes have the probability. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explore/delaying/search.h"
#include "explore/explorers.h"
#include "explore/stateful/lasso.h"
#include "explore/stateful/merges.h"
#include "explore/stateful/on_path.h"
#include "rehearse/visited.h"
#include "world/foretell.h"
#include "world/live.h"

enum { TOLD_ROOM = 1 << 20, LOOK_AGAIN = 8 };

struct level {
    uint32_t pick, end; /* the choices from pick + 1 to end are untried */
    uint32_t count;
    uint32_t told; /* where the foretold states of its choices are, + 1; 0: nothing is foretold */
    bool again;    /* the state was visited before: its steps are compared with those of the first visit */
};

struct stateful {
    struct rh_exploration *x;
    struct rh_visited *visited;
    struct level *path;
    struct rh__foretelling *foretelling;
    struct rh_fingerprint *told; /* of the levels of the path; zero: not known */
    bool tells, checks, reduces; /* foretells; makes also steps to visited states; one step where that is enough */
    bool fits;                   /* gives up when a state does not fit into memory */
    bool gave_up;
    uint64_t begins;
    bool mistaken; /* something was foretold that did not happen */
    bool again;    /* starts over */
    struct rh__on_path on_path;
    struct rh__lasso *lasso;
    bool follows;     /* the run follows the plan of a lasso, from the state of level `top` on */
    bool starts_over; /* a monitor has appeared: loops matter from the beginning on */
    uint32_t top, room;
    uint32_t floor; /* a decorator takes the choices before this one */
    bool begun, placed, diverged;
    bool certain; /* a fingerprint has 128 bits */
    uint64_t transitions, cycles, foretold, reduced;
    uint32_t deepest;
    struct rh__splits *splits;
    struct rh__merges *merges;     /* with `check` */
    struct rh_fingerprint *states; /* of the levels, with `check` */
    uint64_t met;                  /* states that were visited before, with `check` */
    struct rh__ses *crew;          /* the search of several workers; NULL: it cannot be shared */
    bool in_crew;
    bool active; /* one process: it has work */
};

/* Memory for loops: as much as for visited states, but enough for small programs. */
static size_t loop_bytes(size_t visited_bytes)
{
    enum { LEAST = 16 << 20 };
    return visited_bytes > LEAST ? visited_bytes : LEAST;
}

static bool stateful_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                          size_t error_size)
{
    struct stateful *s = state;
    uint64_t bits = rh_arguments_number(a, "bits", 128);
    bool bit_state = rh_arguments_has(a, "bitstate");
    if (bits != 64 && bits != 128) {
        snprintf(error, error_size, "explorer stateful: a fingerprint has 64 or 128 bits");
        return false;
    }
    struct rh_visited_options options = { .memory_bytes = (size_t)rh_arguments_number(a, "kb", 1 << 20) << 10,
                                          .bits = (uint32_t)bits,
                                          .bit_state = bit_state,
                                          .marks = (uint32_t)rh_arguments_number(a, "marks", 3) };
    s->x = x;
    s->certain = bits == 128 && !bit_state;
    s->room = rh_exploration_max_steps(x) + 2;
    s->path = rh_exploration_memory(x, (size_t)s->room * sizeof *s->path);
    s->visited = rh_exploration_visited(x, &options);
    s->lasso = rh__lasso_new(x, loop_bytes(options.memory_bytes), s->room);
    s->tells = !rh_arguments_has(a, "plain");
    s->checks = rh_arguments_has(a, "check");
    s->fits = rh_arguments_has(a, "fits");
    s->reduces = rh_arguments_has(a, "reduce");
    bool shares = s->certain && !s->reduces && !s->fits;
    s->crew = shares ? rh__ses_open(x, &(struct rh__delay_options){ .kilobytes = options.memory_bytes >> 10,
                                                                    .frontier_kilobytes = 1 << 20,
                                                                    .seed = rh_exploration_seed(x),
                                                                    .narrows = true })
                     : NULL;
    s->splits = rh__splits_new(x);
    s->merges = s->checks ? rh__merges_new(x) : NULL;
    s->states = s->checks ? rh_exploration_memory(x, (size_t)s->room * sizeof *s->states) : NULL;
    s->foretelling = rh_exploration_memory(x, rh__foretelling_size());
    s->told = rh_exploration_memory(x, TOLD_ROOM * sizeof *s->told);
    bool good = s->splits && (!s->checks || (s->merges && s->states)) && s->path && s->visited && s->lasso &&
                s->foretelling && s->told && (s->crew || !shares) && rh__on_path_open(&s->on_path, x, s->room);
    if (!good)
        snprintf(error, error_size, "no memory for explorer stateful");
    else
        rh__visited_alone(s->visited);
    return good;
}

static void go_up(struct stateful *s)
{
    s->top--;
    rh__on_path_leave(&s->on_path, s->top);
}

static void start_over(struct stateful *s)
{
    while (s->top > s->floor)
        go_up(s);
    s->begun = false;
    s->transitions = s->cycles = s->foretold = s->reduced = 0;
    s->again = false;
    rh__splits_clear(s->splits);
    if (s->checks)
        rh__merges_clear(s->merges);
    rh__foretelling_clear(s->foretelling);
    rh__exploration_restart(s->x);
    if (rh__lasso_has_started(s->lasso) || s->starts_over)
        rh__lasso_start(s->lasso);
    s->starts_over = false;
}

/* ---- successors -------------------------------------------------------------------------------------------------- */

static struct rh_fingerprint told(const struct stateful *s, const struct level *l)
{
    return l->told ? s->told[l->told - 1 + l->pick] : (struct rh_fingerprint){ 0, 0 };
}

static bool is_known(struct rh_fingerprint f)
{
    return f.high | f.low;
}

static bool was_visited(struct stateful *s, struct rh_fingerprint f)
{
    bool cycle = rh__on_path_has(&s->on_path, f);
    s->cycles += cycle;
    return cycle || rh_visited_has(s->visited, f);
}

/* Goes to the next choice whose step has to be made, from `pick` on; false if there is none. */
static bool advance(struct stateful *s, struct level *l, uint32_t pick)
{
    for (l->pick = pick; l->pick < l->end; l->pick++) {
        struct rh_fingerprint f = told(s, l);
        s->transitions += !l->again;
        if (s->checks || !is_known(f) || !was_visited(s, f))
            return true;
        if (!s->foretold++)
            rh__exploration_leaves_out(s->x);
    }
    l->pick = l->end - 1;
    return false;
}

static bool may_foretell(const struct stateful *s, const struct rh_world *w)
{
    return s->tells && !rh__lasso_has_started(s->lasso) && !rh__lasso_matters(w) && !rh__exploration_needs_steps(s->x);
}

/* The level of a new state. */
static struct level level_of(struct stateful *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                             uint32_t count)
{
    struct level l = { .end = count, .count = count };
    const struct level *above = depth > s->floor ? &s->path[depth - 1] : NULL;
    uint32_t at = above && above->told ? above->told - 1 + above->count : 0;
    if (!may_foretell(s, w) || count > TOLD_ROOM - at || (above && !above->told))
        return l;
    l.told = at + 1;
    rh__foretell(s->foretelling, w, open, count, s->told + at);
    for (uint32_t i = 0; i < count; i++)
        if (is_known(s->told[at + i]))
            rh__visited_prefetch(s->visited, s->told[at + i]);
    uint32_t enough = s->reduces ? rh__foretold_enough(s->foretelling, w, open, count) : RH_NONE;
    if (enough != RH_NONE) {
        l.pick = enough;
        l.end = enough + 1;
        s->reduced += count > 1;
        rh__exploration_leaves_out(s->x);
    }
    return l;
}

/* A step was made: compares its state with what was foretold, or learns what the step does. */
static void compare(struct stateful *s, const struct rh_world *w, uint32_t depth, struct rh_fingerprint f)
{
    if (depth <= s->floor || !s->path[depth - 1].told)
        return;
    struct rh_fingerprint before = told(s, &s->path[depth - 1]);
    if (!is_known(before)) {
        rh__foretell_after(s->foretelling, w);
    } else if (before.high != f.high || before.low != f.low) {
        s->mistaken = s->again = true;
        s->tells = false;
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* A search that drops states may take for ever, and one that may have missed a loop promises nothing. */
static bool is_too_large(const struct stateful *s)
{
    return rh_visited_count(s->visited).replaced || rh__lasso_missed(s->lasso);
}

static uint32_t stateful_begin(void *state, const struct rh_world *w)
{
    enum { LOOK = 256 };
    struct stateful *s = state;
    if (s->in_crew)
        return rh__ses_begin(s->crew, w);
    if (!s->active && s->crew)
        return 0;
    if (s->fits && s->begins++ % LOOK == 0)
        s->gave_up |= is_too_large(s);
    if (s->gave_up)
        return 0;
    s->follows = false;
    rh__foretell_nothing(s->foretelling);
    if (s->reduces && rh__is_enough_spoilt(w)) {
        s->reduces = false;
        s->again |= s->reduced != 0;
    }
    /* Or fingerprints mean something else: with the clock. */
    if (rh_visited_restart(s->visited, w) || s->starts_over || s->again)
        start_over(s);
    if (!s->begun) {
        s->begun = true;
        return 1;
    }
    while (s->top > s->floor && !advance(s, &s->path[s->top - 1], s->path[s->top - 1].pick + 1)) {
        s->follows = rh__lasso_leave(s->lasso, s->top - 1, s->top - 1 == s->floor);
        if (s->follows)
            return s->top;
        go_up(s);
    }
    return s->top <= s->floor || s->diverged ? 0 : s->top;
}

/* With `check`, the steps of some visited states are made again, to see that they lead where they did at first. */
static bool looks_again(struct stateful *s, uint32_t depth)
{
    bool above = depth > s->floor && s->path[depth - 1].again;
    return s->checks && !above && !rh__lasso_has_started(s->lasso) && s->met++ % LOOK_AGAIN == 0;
}

/* A state below the path.  False if there is no step to make: it was visited before, or all its successors were. */
static bool enter(struct stateful *s, const struct rh_world *w, uint32_t depth, const struct rh_choice *open,
                  uint32_t count)
{
    struct rh_fingerprint f = rh__exploration_state(s->x, w);
    compare(s, w, depth, f);
    bool cycle = rh__on_path_has(&s->on_path, f);
    s->cycles += cycle;
    if (!rh__lasso_has_started(s->lasso) && rh__lasso_matters(w)) {
        if (depth > s->floor)
            s->starts_over = true;
        else
            rh__lasso_start(s->lasso);
    }
    if (rh__lasso_meets(s->lasso, w, depth, f) || cycle)
        return false;
    bool visited = rh_visited_state(s->visited, w) == RH_VISITED_BEFORE;
    if (visited && !looks_again(s, depth))
        return false;
    if (visited) {
        s->path[depth] = (struct level){ .end = count, .count = count, .again = true };
    } else {
        rh__splits_note(s->splits, w);
        s->path[depth] = level_of(s, w, depth, open, count);
    }
    if (s->checks)
        s->states[depth] = f;
    rh__on_path_enter(&s->on_path, depth, f);
    rh__lasso_enter(s->lasso, w, depth, depth == s->floor, f, count);
    s->top = depth + 1;
    s->deepest = s->top > s->deepest ? s->top : s->deepest;
    return advance(s, &s->path[depth], s->path[depth].pick);
}

static uint32_t stateful_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct stateful *s = state;
    if (s->in_crew)
        return rh__ses_choose(s->crew, w, open, count);
    uint32_t depth = rh__depth(w) - 1;
    count = rh__world_narrows(w, open, count);
    if (!s->placed) {
        s->placed = true;
        s->floor = s->top = depth;
    }
    if (s->follows && depth + 1 >= s->top)
        return rh__lasso_follow(s->lasso, s->x, w, depth + 1 - s->top, open, count);
    if (depth < s->top) {
        s->diverged |= s->path[depth].count != count; /* the program is not deterministic */
        if (s->diverged)
            return RH_NONE;
    } else {
        if (s->checks)
            rh__merges_after(s->merges, w, open, count);
        if (!enter(s, w, depth, open, count))
            return RH_PRUNED;
    }
    const struct level *l = &s->path[depth];
    if (s->checks && depth == s->top - 1)
        rh__merges_before(s->merges, w, s->states[depth], &open[l->pick]);
    if (depth == s->top - 1 && l->told && !is_known(told(s, l)))
        rh__foretell_before(s->foretelling, w, &open[l->pick]);
    rh__lasso_step(s->lasso, w, depth, &open[l->pick]);
    return l->pick;
}

/* A run that ends with nothing left to do ends in a state like any other.  After a failed step there is none. */
static void stateful_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct stateful *s = state;
    if (s->in_crew) {
        rh__ses_end(s->crew, w, run);
        return;
    }
    if (s->checks && !run->pruned)
        rh__merges_after(s->merges, w, NULL, 0);
    if (run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK || run->outcome == RH_OUTCOME_MONITOR ||
        run->outcome == RH_OUTCOME_HISTORY) {
        if (rh_visited_state(s->visited, w) == RH_VISITED_FIRST)
            rh__splits_note(s->splits, w);
        if (run->events - 1 == s->top)
            compare(s, w, s->top, rh__exploration_state(s->x, w));
    }
}

static enum rh_verdict stateful_verdict(const void *state)
{
    const struct stateful *s = state;
    if (s->in_crew)
        return rh__ses_was_hot(s->crew) ? RH_VERDICT_SAMPLED : rh__ses_verdict(s->crew);
    bool merges = !s->checks || !rh__merges_wrong(s->merges);
    bool whole = !s->gave_up && !s->diverged && !rh__lasso_missed(s->lasso);
    return s->certain && merges && whole ? RH_VERDICT_EXHAUSTIVE : RH_VERDICT_SAMPLED;
}

static bool stateful_diverged(const void *state)
{
    const struct stateful *s = state;
    return s->in_crew ? rh__ses_diverged(s->crew) : s->diverged;
}

static void crew_notes(const struct stateful *s, char *buffer, size_t size)
{
    struct rh__text t;
    rh__ses_notes(s->crew, buffer, size);
    size_t used = strlen(buffer);
    rh__text_init(&t, buffer + used, size - used);
    if (rh__ses_was_hot(s->crew))
        rh__text_add(&t, "\nwith several workers loops with hot monitors are not looked for; without -j they are");
}

static void stateful_notes(const void *state, char *buffer, size_t size)
{
    const struct stateful *s = state;
    struct rh_visited_counts c = rh_visited_count(s->visited);
    struct rh__text t;
    if (s->in_crew) {
        crew_notes(s, buffer, size);
        return;
    }
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu states, %llu transitions, depth %u, %.1f bytes a state", (unsigned long long)c.states,
                 (unsigned long long)s->transitions, s->deepest, c.bytes_per_state);
    if (s->cycles)
        rh__text_add(&t, ", %llu steps back into a cycle", (unsigned long long)s->cycles);
    if (c.replaced)
        rh__text_add(&t, "; %llu states were dropped for lack of memory and may be counted again",
                     (unsigned long long)c.replaced);
    if (s->gave_up && c.replaced)
        rh__text_add(&t, "\nthe memory was full, so the search gave up (fits)");
    if (s->foretold)
        rh__text_add(&t, "\n%llu of the transitions were foretold: they lead to visited states, and were not made",
                     (unsigned long long)s->foretold);
    if (s->reduced)
        rh__text_add(&t,
                     "\nin %llu states one step was enough: it commutes with all others (reduce), so not every state "
                     "was visited",
                     (unsigned long long)s->reduced);
    if (s->mistaken)
        rh__text_add(&t, "\na step did something else than foretold, so the search started over and made every step");
    if (s->checks)
        rh__text_add(&t, "\n%llu steps from states that were visited before led where they did at first",
                     (unsigned long long)rh__merges_compared(s->merges));
    if (s->checks && rh__merges_wrong(s->merges))
        rh__text_add(&t, ", but: %s", rh__merges_wrong(s->merges));
    char splits[512] = "";
    rh__splits_text(s->splits, rh__exploration_world(s->x), c.states, s->transitions, splits, sizeof splits);
    rh__text_add(&t, "%s", splits);
    rh__text_add(&t, "\nprobability that a collision hid a state: %.2g", c.missed);
    if (!s->certain)
        rh__text_add(&t, " (a search with 128 bits can be exhaustive)");
    uint32_t temperature = rh__exploration_unused_temperature(s->x);
    if (temperature)
        rh__text_add(
            &t,
            "\ntemperature %u was not used, because it depends on the run and not on the state: loops of states "
            "were looked for instead",
            temperature);
    if (rh__lasso_most_open(s->lasso))
        rh__text_add(&t, "\nloops with hot monitors: at most %llu states were kept at once",
                     (unsigned long long)rh__lasso_most_open(s->lasso));
    if (rh__lasso_missed(s->lasso))
        rh__text_add(&t, "\n%s", rh__lasso_missed(s->lasso));
}

/* ---- several workers --------------------------------------------------------------------------------------------- */

static bool stateful_can(const void *state)
{
    return ((const struct stateful *)state)->crew != NULL;
}

static size_t stateful_pack(void *state, void *buffer, size_t room, bool half)
{
    struct stateful *s = state;
    if (s->in_crew)
        return rh__ses_pack(s->crew, buffer, room, half);
    if (half || !s->active || s->begun)
        return 0; /* one process keeps it all */
    size_t size = rh_item_put_root(buffer, room);
    s->active = !size;
    return size;
}

/* The root item is for one process. */
static bool stateful_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct stateful *s = state;
    (void)w;
    s->in_crew = !rh_item_is_root(item, size);
    s->active = !s->in_crew;
    return !s->in_crew || rh__ses_unpack(s->crew, item, size);
}

static size_t stateful_give(void *state, void *buffer, size_t room, bool idle)
{
    struct stateful *s = state;
    s->in_crew = true;
    return rh__ses_give(s->crew, buffer, room, idle);
}

static bool stateful_gather(void *state, const void *told, size_t size)
{
    return rh__ses_gather(((struct stateful *)state)->crew, told, size);
}

static bool stateful_has_more(const void *state)
{
    return rh__ses_has_more(((const struct stateful *)state)->crew);
}

static size_t stateful_save(const void *state, void *buffer, size_t room)
{
    return rh__ses_save(((const struct stateful *)state)->crew, buffer, room);
}

static bool stateful_load(void *state, const void *saved, size_t size)
{
    struct stateful *s = state;
    s->in_crew = true;
    return rh__ses_load(s->crew, saved, size);
}

static size_t stateful_tell(void *state, void *buffer, size_t room)
{
    return rh__ses_tell(((struct stateful *)state)->crew, buffer, room);
}

static const void *stateful_known(const void *state, uint64_t *life, size_t *size)
{
    return rh__ses_known(((const struct stateful *)state)->crew, life, size);
}

static bool stateful_learn(void *state, const void *bytes, size_t size)
{
    return rh__ses_learn(((struct stateful *)state)->crew, bytes, size);
}

static const struct rh_explorer_rounds stateful_rounds = { .give = stateful_give,
                                                           .gather = stateful_gather,
                                                           .has_more = stateful_has_more,
                                                           .save = stateful_save,
                                                           .load = stateful_load,
                                                           .tell = stateful_tell,
                                                           .known = stateful_known,
                                                           .learn = stateful_learn };
static const struct rh_explorer_share stateful_share = {
    .can = stateful_can, .pack = stateful_pack, .unpack = stateful_unpack, .rounds = &stateful_rounds
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct rh_explorer_report stateful_report = { .verdict = stateful_verdict,
                                                           .notes = stateful_notes,
                                                           .diverged = stateful_diverged };
static const struct rh_argument stateful_arguments[] = {
    { .name = "kb",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 30,
      .named = true,
      .help = "memory for visited states, in KiB (1048576)" },
    { .name = "bits",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 64,
      .most = 128,
      .named = true,
      .help = "bits of a fingerprint, 64 or 128 (128)" },
    { .name = "bitstate", .kind = RH_ARGUMENT_FLAG, .help = "keep a few bits for each state, not its fingerprint" },
    { .name = "marks",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 16,
      .named = true,
      .help = "bits for each state with bitstate (3)" },
    { .name = "reduce",
      .kind = RH_ARGUMENT_FLAG,
      .help = "model mailbox: a receive that nobody else can notice is made alone" },
    { .name = "fits", .kind = RH_ARGUMENT_FLAG, .help = "give up when a state does not fit into the memory" },
    { .name = "plain", .kind = RH_ARGUMENT_FLAG, .help = "make every step, also to states that are known before" },
    { .name = "check",
      .kind = RH_ARGUMENT_FLAG,
      .help = "foretell, and make every step to compare; make steps of some visited states again" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_stateful = {
    .name = "stateful",
    .summary = "every state, once",
    .state_size = sizeof(struct stateful),
    .arguments = stateful_arguments,
    .matches_states = true,
    .open = stateful_open,
    .begin = stateful_begin,
    .choose = stateful_choose,
    .end = stateful_end,
    .report = &stateful_report,
    .share = &stateful_share,
};
