/* stateful: every state, once: a depth-first search that stops a run where its state was visited before.
 *
 * The path is that of dfs: at each level the choices after `pick` are untried.  A new level asks the set of visited
 * states (rehearse/visited.h), and its run ends there (RH_PRUNED) if the state is in the set.  A state on the path is a
 * cycle.  Such a state counts as visited even if a full set has dropped it, so the search ends with a set of any size.
 * States at which a run ends are entered at the end of the run.
 *
 * What "exhaustive" promises: with 128 bits, every reachable state was visited.  With fewer bits a collision may have
 * hidden a state, so the verdict is no more than sampled, and the notes have the probability. */
#include <stdio.h>

#include "base/text.h"
#include "explore/explorers.h"
#include "explore/stateful/lasso.h"
#include "explore/stateful/on_path.h"
#include "rehearse/visited.h"

struct level {
    uint32_t pick, count;
};

struct stateful {
    struct rh_exploration *x;
    struct rh_visited *visited;
    struct level *path;
    struct rh__on_path on_path;
    struct rh__lasso *lasso;
    bool follows;     /* the run follows the plan of a lasso, from the state of level `top` on */
    bool starts_over; /* a monitor has appeared: loops matter from the beginning on */
    uint32_t top, room;
    uint32_t floor; /* a decorator takes the choices before this one */
    bool begun, placed, diverged;
    bool certain; /* a fingerprint has 128 bits */
    uint64_t transitions, cycles;
    uint32_t deepest;
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
    bool good = s->path && s->visited && s->lasso && rh__on_path_open(&s->on_path, x, s->room);
    if (!good)
        snprintf(error, error_size, "no memory for explorer stateful");
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
    s->transitions = s->cycles = 0;
    rh__exploration_restart(s->x);
    if (rh__lasso_has_started(s->lasso) || s->starts_over)
        rh__lasso_start(s->lasso);
    s->starts_over = false;
}

static uint32_t stateful_begin(void *state, const struct rh_world *w)
{
    struct stateful *s = state;
    s->follows = false;
    if (rh_visited_restart(s->visited, w) || s->starts_over) /* or fingerprints mean something else: with the clock */
        start_over(s);
    if (!s->begun) {
        s->begun = true;
        return 1;
    }
    while (s->top > s->floor && s->path[s->top - 1].pick + 1 >= s->path[s->top - 1].count) {
        s->follows = rh__lasso_leave(s->lasso, s->top - 1, s->top - 1 == s->floor);
        if (s->follows)
            return s->top;
        go_up(s);
    }
    if (s->top <= s->floor || s->diverged)
        return 0;
    s->path[s->top - 1].pick++;
    s->transitions++;
    return s->top;
}

/* A state below the path.  False if it was visited before. */
static bool enter(struct stateful *s, const struct rh_world *w, uint32_t depth, uint32_t count)
{
    struct rh_fingerprint f = rh__exploration_state(s->x, w);
    bool cycle = rh__on_path_has(&s->on_path, f);
    s->cycles += cycle;
    if (!rh__lasso_has_started(s->lasso) && rh__lasso_matters(w)) {
        if (depth > s->floor)
            s->starts_over = true;
        else
            rh__lasso_start(s->lasso);
    }
    if (rh__lasso_meets(s->lasso, w, depth, f) || cycle || rh_visited_state(s->visited, w) == RH_VISITED_BEFORE)
        return false;
    s->path[depth] = (struct level){ 0, count };
    rh__on_path_enter(&s->on_path, depth, f);
    rh__lasso_enter(s->lasso, w, depth, depth == s->floor, f, count);
    s->top = depth + 1;
    s->deepest = s->top > s->deepest ? s->top : s->deepest;
    s->transitions++;
    return true;
}

static uint32_t stateful_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct stateful *s = state;
    uint32_t depth = rh__depth(w) - 1;
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
    } else if (!enter(s, w, depth, count)) {
        return RH_PRUNED;
    }
    rh__lasso_step(s->lasso, w, depth, &open[s->path[depth].pick]);
    return s->path[depth].pick;
}

/* A run that ends with nothing left to do ends in a state like any other.  After a failed step there is none. */
static void stateful_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct stateful *s = state;
    if (run->outcome == RH_OUTCOME_FINISHED || run->outcome == RH_OUTCOME_STUCK || run->outcome == RH_OUTCOME_MONITOR ||
        run->outcome == RH_OUTCOME_HISTORY)
        rh_visited_state(s->visited, w);
}

static enum rh_verdict stateful_verdict(const void *state)
{
    const struct stateful *s = state;
    return s->certain && !s->diverged && !rh__lasso_missed(s->lasso) ? RH_VERDICT_EXHAUSTIVE : RH_VERDICT_SAMPLED;
}

static bool stateful_diverged(const void *state)
{
    return ((const struct stateful *)state)->diverged;
}

static void stateful_notes(const void *state, char *buffer, size_t size)
{
    const struct stateful *s = state;
    struct rh_visited_counts c = rh_visited_count(s->visited);
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu states, %llu transitions, depth %u, %.1f bytes a state", (unsigned long long)c.states,
                 (unsigned long long)s->transitions, s->deepest, c.bytes_per_state);
    if (s->cycles)
        rh__text_add(&t, ", %llu steps back into a cycle", (unsigned long long)s->cycles);
    if (c.replaced)
        rh__text_add(&t, "; %llu states were dropped for lack of memory and may be counted again",
                     (unsigned long long)c.replaced);
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
};
