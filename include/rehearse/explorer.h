/* rehearse/explorer.h: who decides which runs to make.
 *
 * An explorer is a const table of a few functions and the size of its state.  The engine asks it before each run how much
 * of the last run to keep, at each step which of the open choices to take, and tells it after each run what came of it:
 *
 *     struct lazy { uint64_t runs; };
 *     static uint32_t lazy_begin(void *s, struct rh_world *w)  { return ((struct lazy *)s)->runs++ < 10; }
 *     static uint32_t lazy_choose(void *s, struct rh_world *w, const struct rh_choice *open, uint32_t n) { return n - 1; }
 *     static const struct rh_explorer lazy = { .name = "lazy", .summary = "always the last choice, ten times",
 *                                              .state_size = sizeof(struct lazy), .begin = lazy_begin,
 *                                              .choose = lazy_choose };
 *     RH_EXPLORER(lazy)
 *
 * Link the file into the test and say --explorer lazy.  The state is zero at first, and lives in memory that a crash of
 * the program under test does not take along: after one, the explorer is told (end) and goes on.  More memory of that
 * kind is had from rh_exploration_memory, in open only.  An explorer must be a function of its seed and what it sees:
 * no clock, no addresses. */
#ifndef REHEARSE_EXPLORER_H
#define REHEARSE_EXPLORER_H

#include <rehearse/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be said when nothing was found. */
enum rh_verdict {
    RH_VERDICT_SAMPLED,    /* some runs */
    RH_VERDICT_BOUNDED,    /* every one within a bound */
    RH_VERDICT_EXHAUSTIVE, /* every one, under the stated semantics */
};
const char *rh_verdict_name(enum rh_verdict verdict);

/* The run that has just ended. */
struct rh_run {
    uint64_t number;              /* from 1 */
    uint32_t events;              /* with the beginning */
    enum rh_outcome_kind outcome; /* RH_OUTCOME_RUNNING: the explorer itself ended it with RH_NONE */
    uint64_t behaviour;           /* hash of which messages each actor took in which order */
    bool is_new;                  /* no run before had this behaviour, as far as is remembered; see wants_new */
};

#define RH_ELSEWHERE 0xfffffffeu /* see choose */

struct rh_exploration; /* what it is part of */
uint64_t rh_exploration_seed(const struct rh_exploration *x);
uint32_t rh_exploration_max_steps(const struct rh_exploration *x);
/* Zero-filled memory that outlives crashes; NULL where there is none.  Address space is cheap: ask for the most that can
 * be needed, only what is touched is used. */
void *rh_exploration_memory(struct rh_exploration *x, size_t bytes);
/* Whether a limit is reached or the user wants to end.  An explorer that works for long between two choices or two runs asks
 * now and then, and returns early if so; it costs next to nothing.  The verdict is `sampled` then. */
bool rh_exploration_is_over(struct rh_exploration *x);

/* An explorer with its state. */
struct rh_inner {
    const struct rh_explorer *explorer;
    void *state;
};
/* Opens an explorer inside of another: for decorators.  False with a sentence in `error`. */
bool rh_exploration_inner(struct rh_exploration *x, const char *name_and_arg, struct rh_inner *inner, char *error,
                          size_t error_size);

/* A part of a decorator's argument that is itself NAME:ARG. */
struct rh_part {
    const char *text;
    size_t length;
};
enum { RH_MOST_PARTS = 8 };

struct rh_explorer {
    const char *name;
    const char *summary; /* one line for people */
    size_t state_size;
    /* Properties; a decorator also has those of its inner explorers. */
    bool objects;   /* it works with granularity object only, which is then used */
    bool reduces;   /* it leaves out runs that differ only in the order of independent steps */
    bool folds;     /* of runs that differ only in which of several actors that are alike did what it makes one */
    bool wants_new; /* it looks at struct rh_run.is_new, which costs some time a run; else that is false */

    /* For decorators, NULL for all others.  A decorator leaves NULL each call below that it does not change: that call then
     * goes to the inner explorer that acts now; `confused` and `notes` go to all of them.  It calls its inner explorers by
     * rh_inner_begin and its kin, never through their tables, which may have gaps.
     *
     * The parts of the argument that are explorers: found without opening anything, also where ARG makes no sense. */
    uint32_t (*parts)(const char *arg, struct rh_part parts[RH_MOST_PARTS]);
    /* The inner explorers that were opened, at most RH_MOST_PARTS, and which of them acts now. */
    const struct rh_inner *(*inner)(const void *state, uint32_t *count, uint32_t *now);

    /* Reads what stands behind the colon in --explorer NAME:ARG ("" for nothing); false with a sentence.  May be NULL if
     * there is nothing to read. */
    bool (*open)(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size);
    /* A run begins: how many events of the last one to keep (1: none but the beginning); 0: there is nothing left. */
    uint32_t (*begin)(void *state, struct rh_world *w);
    /* The index of the choice to take; RH_NONE ends the run here; RH_ELSEWHERE gives it up as if it had not been begun: begin is
     * asked next, and end is not told.  It may be asked about events that begin wanted to keep:
     * after a crash, and inside decorators, a run is made again from its beginning. */
    uint32_t (*choose)(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count);
    /* The run has ended; may be NULL.  After a crash the world holds the run only to look at. */
    void (*end)(void *state, struct rh_world *w, const struct rh_run *run);
    /* May be NULL: sampled. */
    enum rh_verdict (*verdict)(const void *state);
    /* How many runs there are in all, as far as one can tell; may be NULL, or give 0 for unknown. */
    double (*estimate)(const void *state);

    /* What else there is to say of the search, in lines for people; may be NULL. */
    void (*notes)(const void *state, char *buffer, size_t size);

    /* For several workers and checkpoints (-j, --checkpoint); NULL where an explorer cannot share its work.  All are called
     * between runs only.
     *
     * Takes work out and writes it as one item, by which another process, of the same program and settings, can go on.
     * half: about the shallowest half of what is untried, the rest stays; else all that is left, and begin then gives 0.
     * Gives the bytes written; 0, and nothing is changed, where there is nothing to give or no room for it. */
    size_t (*pack)(void *state, void *buffer, size_t room, bool half);
    /* The explorer, which has no work left, has this now: the next begin names how many events of the item's own runs to
     * keep, and choose is asked to lead there.  If what it then sees is not what the item was made from, choose gives
     * RH_NONE on the way.  False if the bytes make no sense, which may be any. */
    bool (*unpack)(void *state, struct rh_world *w, const void *item, size_t size);
    /* Since unpack (or open): which share of the whole tree is done, 0 to 1, and in how many runs; what was given away is
     * not.  NULL where that is not known. */
    double (*share)(const void *state, uint64_t *runs);
    /* May be NULL.  The program did not do again what it had done: then begin gives 0, and nothing is known of the rest. */
    bool (*confused)(const void *state);
};

/* For a decorator whose whole argument is one explorer, and whose state begins with a struct rh_inner:
 *     .parts = rh_only_part, .inner = rh_only_inner, .open = rh_only_open */
uint32_t rh_only_part(const char *arg, struct rh_part parts[RH_MOST_PARTS]);
const struct rh_inner *rh_only_inner(const void *state, uint32_t *count, uint32_t *now);
bool rh_only_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size);

/* The calls of an explorer, with forwarding and the defaults where its table says NULL. */
uint32_t rh_inner_begin(const struct rh_inner *e, struct rh_world *w);
uint32_t rh_inner_choose(const struct rh_inner *e, struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh_inner_end(const struct rh_inner *e, struct rh_world *w, const struct rh_run *run);
enum rh_verdict rh_inner_verdict(const struct rh_inner *e);
/* Whether its verdict can be more than sampled. */
bool rh_inner_can_finish(const struct rh_inner *e);
double rh_inner_estimate(const struct rh_inner *e);
/* Appends nothing where there is nothing to say. */
void rh_inner_notes(const struct rh_inner *e, char *buffer, size_t size);
bool rh_inner_can_share(const struct rh_inner *e);
size_t rh_inner_pack(const struct rh_inner *e, void *buffer, size_t room, bool half);
bool rh_inner_unpack(const struct rh_inner *e, struct rh_world *w, const void *item, size_t size);
double rh_inner_share(const struct rh_inner *e, uint64_t *runs);
bool rh_inner_confused(const struct rh_inner *e);

#define RH_EXPLORER(table)                                                                                             \
    __attribute__((constructor)) static void rh_explorer_register_##table(void)                                        \
    {                                                                                                                  \
        static struct rh_explorer_entry entry;                                                                         \
        entry.explorer = &table;                                                                                       \
        rh_explorer_register_(&entry);                                                                                 \
    }
struct rh_explorer_entry {
    const struct rh_explorer *explorer;
    struct rh_explorer_entry *next;
};
void rh_explorer_register_(struct rh_explorer_entry *entry);
const struct rh_explorer_entry *rh_explorer_first(void);

#ifdef __cplusplus
}
#endif
#endif
