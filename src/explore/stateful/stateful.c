/* stateful: every state, once: a depth-first search that stops a run where its state was visited
 * before.  The search is in search.c.
 *
 * With several workers (-j) the states are those of a search by strata (explore/delaying/search.h), which can be
 * divided; so are the notes.  It foretells nothing, and looks for no loops.
 *
 * What "exhaustive" promises: with 128 bits, every reachable state was visited.  With fewer bits a collision may have
 * hidden a state, so the verdict is no more than sampled, and the notes have the probability. */
#include "explore/stateful/stateful.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

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
    s->ahead = rh_exploration_memory(x, rh__ahead_size());
    s->told = rh_exploration_memory(x, STATEFUL_TOLD * sizeof *s->told);
    bool good = s->splits && (!s->checks || (s->merges && s->states)) && s->path && s->visited && s->lasso &&
                s->foretelling && s->ahead && s->told && (s->crew || !shares) &&
                rh__on_path_open(&s->on_path, x, s->room);
    if (!good)
        snprintf(error, error_size, "no memory for explorer stateful");
    else
        rh__visited_alone(s->visited);
    return good;
}

static uint32_t stateful_begin(void *state, const struct rh_world *w)
{
    struct stateful *s = state;
    if (s->in_crew)
        return rh__ses_begin(s->crew, w);
    return s->active || !s->crew ? rh__stateful_begin(s, w) : 0;
}

static uint32_t stateful_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct stateful *s = state;
    return s->in_crew ? rh__ses_choose(s->crew, w, open, count) : rh__stateful_choose(s, w, open, count);
}

static void stateful_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct stateful *s = state;
    if (s->in_crew)
        rh__ses_end(s->crew, w, run);
    else
        rh__stateful_end(s, w, run);
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
        rh__text_add(&t, "\n%llu of the transitions were foretold, and not made", (unsigned long long)s->foretold);
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
