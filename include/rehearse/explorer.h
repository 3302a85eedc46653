/* rehearse/explorer.h: who decides which runs to make.
 *
 * An explorer is a const table of a few functions and the size of its state.  The engine asks the explorer before each
 * run how much of the last run to keep, asks it at each step which of the open choices to take, and tells it after each
 * run what the outcome was:
 *
 *     struct lazy { uint64_t runs; };
 *     static uint32_t lazy_begin(void *s, const struct rh_world *w)  { return ((struct lazy *)s)->runs++ < 10; }
 *     static uint32_t lazy_choose(void *s, const struct rh_world *w, const struct rh_choice *open, uint32_t n)
 *     { return n - 1; }
 *     static const struct rh_explorer lazy = { .name = "lazy", .summary = "always the last choice, ten times",
 *                                              .state_size = sizeof(struct lazy), .begin = lazy_begin,
 *                                              .choose = lazy_choose };
 *     RH_EXPLORER(lazy)
 *
 * Link the file into the test and use --explorer lazy.  The state is zero at first.  It lives in memory that survives a
 * crash of the program under test: after a crash the engine calls `end`, and the explorer continues.  `open` can get
 * more such memory from rh_exploration_memory.  An explorer must be a function of its seed and what it sees: it uses no
 * clock and no addresses.  Only the engine moves the world: an explorer looks at it.
 *
 * Explorers compose: --explorer takes an expression such as `bound(20, symmetry(dfs))`.  docs/cli.md has the
 * grammar. */
#ifndef REHEARSE_EXPLORER_H
#define REHEARSE_EXPLORER_H

#include <rehearse/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a clean result is worth. */
enum rh_verdict {
    RH_VERDICT_SAMPLED,    /* some runs were made */
    RH_VERDICT_BOUNDED,    /* every run within a bound */
    RH_VERDICT_EXHAUSTIVE, /* every run, under the stated semantics */
};
const char *rh_verdict_name(enum rh_verdict verdict);

/* The run that has just ended. */
struct rh_run {
    uint64_t number;              /* from 1 */
    uint32_t events;              /* with the beginning */
    enum rh_outcome_kind outcome; /* RH_OUTCOME_RUNNING: the explorer ended it */
    uint64_t distinct; /* hash of which messages each actor took in which order; two runs are distinct if it differs */
    bool is_new;       /* no run before had this hash, as far as is remembered; see wants_new */
    bool pruned;       /* the explorer ended it with RH_PRUNED */
};

/* What choose may return in place of an index:
 *
 *     RH_NONE      ends the run here.  It counts as cut, so the verdict is at most bounded.
 *     RH_PRUNED    ends the run here, because everything that can follow was or will be explored in other runs: the
 *                  state was visited before, say.  It counts as a pruned run, and the verdict stays as it is.  Its
 *                  events count in coverage.  It is no distinct run.
 *     RH_ABANDON   drops the run as if it had never begun: `begin` is next, and `end` is not called. */
#define RH_ABANDON 0xfffffffeu
#define RH_PRUNED  0xfffffffdu

struct rh_exploration; /* the exploration that the explorer is part of */
uint64_t rh_exploration_seed(const struct rh_exploration *x);
uint32_t rh_exploration_max_steps(const struct rh_exploration *x);
/* Zero-filled memory that survives crashes; NULL where there is none.  Address space is cheap: ask for the most that
 * can be needed, only what is touched is used. */
void *rh_exploration_memory(struct rh_exploration *x, size_t bytes);
/* Whether a limit is reached or the user wants to stop.  An explorer that works for long between two choices or two
 * runs asks now and then, and returns early if so; the call costs next to nothing.  The verdict is `sampled` then. */
bool rh_exploration_is_over(struct rh_exploration *x);

/* ---- arguments --------------------------------------------------------------------------------------------------- */

enum rh_argument_kind {
    RH_ARGUMENT_NUMBER,   /* a whole number */
    RH_ARGUMENT_REAL,     /* a number */
    RH_ARGUMENT_WORD,     /* one of `words`, or any text */
    RH_ARGUMENT_FILE,     /* the name of a file */
    RH_ARGUMENT_FLAG,     /* the argument's own name, or nothing */
    RH_ARGUMENT_EXPLORER, /* an expression */
};

/* One argument that an explorer takes.  The engine checks kind, range and presence before `open` is called. */
struct rh_argument {
    const char *name; /* NULL ends the rows */
    enum rh_argument_kind kind;
    const char *help;
    double least, most; /* of a number; most 0: no upper limit */
    const char *words;  /* of a word: the words allowed, separated by |; NULL: any */
    bool required;
    bool named; /* accepted as NAME=VALUE only, not by its position */
    bool many;  /* of the last row, an explorer: accepted up to RH_MOST_INNER times */
};
enum { RH_MOST_INNER = 8 };

/* The arguments of one explorer in an expression. */
struct rh_arguments;
bool rh_arguments_has(const struct rh_arguments *a, const char *name);
uint64_t rh_arguments_number(const struct rh_arguments *a, const char *name, uint64_t otherwise);
double rh_arguments_real(const struct rh_arguments *a, const char *name, double otherwise);
/* Of a word or a file; valid as long as the exploration. */
const char *rh_arguments_text(const struct rh_arguments *a, const char *name, const char *otherwise);
/* How many explorers there are among the arguments. */
uint32_t rh_arguments_explorers(const struct rh_arguments *a);

/* An explorer with its state. */
struct rh_inner {
    const struct rh_explorer *explorer;
    void *state;
    struct rh_filter_room *room; /* private */
};
/* For the `open` of a decorator: opens explorer `which` of its arguments.  It may do so several times, and gets another
 * explorer each time.  False with a sentence in `error`. */
bool rh_exploration_inner(struct rh_exploration *x, const struct rh_arguments *a, uint32_t which,
                          struct rh_inner *inner, char *error, size_t error_size);

/* ---- the tables -------------------------------------------------------------------------------------------------- */

/* What an explorer can say of its search.  Each call may be NULL. */
struct rh_explorer_report {
    /* A promise about the runs.  NULL: sampled; a decorator without `begin` and `choose` promises what the explorer
     * inside promises. */
    enum rh_verdict (*verdict)(const void *state);
    /* An estimate of the number of all runs; 0 for unknown. */
    double (*estimate)(const void *state);
    /* Lines for people about the search. */
    void (*notes)(const void *state, char *buffer, size_t size);
    /* The program did not repeat what it had done before.  begin then returns 0; the rest of the tree is unexplored. */
    bool (*diverged)(const void *state);
};

/* For several workers and checkpoints (-j, --checkpoint).  All calls are made between runs only.
 *
 * An explorer that can share has no work after `open`.  It gets its first item like any other, by unpack: the root item
 * (rh_item_is_root), which is all of its work, in one process; in a worker, whatever item comes first.  An explorer
 * without unpack has all of its work after `open`. */
struct rh_explorer_share {
    /* Whether it can share with its arguments; NULL: yes. */
    bool (*can)(const void *state);
    /* Takes work out and writes it as one item.  Another process, of the same program and settings, can continue from
     * it.  half: about the shallowest half of what is untried, the rest stays; else all that is left, and begin then
     * gives 0.  Returns the number of bytes written; 0, and nothing is changed, where there is nothing to give or no
     * room for it.  Before the first run of the root item, all that is left is the root item (rh_item_put_root). */
    size_t (*pack)(void *state, void *buffer, size_t room, bool half);
    /* Replaces its work with this item.  The run that the next begin begins keeps no event of the last run.
     * False if the bytes make no sense; they may be any bytes. */
    bool (*unpack)(void *state, const struct rh_world *w, const void *item, size_t size);
    /* Work that others may come upon, too: an item, and a key of it, which is the same whoever writes it.  Of items
     * with one key the queue keeps the first.  It is called until it gives 0, before what is left is packed or lost;
     * what there was no room for is a part of what is left.  NULL: there is no such work. */
    size_t (*claim)(void *state, void *buffer, size_t room, uint64_t key[2]);
    /* The way to the work of an item; both calls may be NULL.  After begin has started a run, lead returns the number
     * of events to replay before the work of the item starts, with the beginning; 0: none.  The engine replays them
     * from the beginning and asks choose for each.  They belong to no run yet.  If choose finds that the program does
     * something else than when the item was made, it returns RH_NONE: the program has diverged.  After the last of
     * these events, arrived returns how many of them the run keeps; NULL: all; 0: the program has diverged. */
    uint32_t (*lead)(const void *state);
    uint32_t (*arrived)(void *state, const struct rh_world *w);
    /* The share of the whole tree that is done since unpack, 0 to 1, and in how many runs.  Work that was
     * given away is not done.  NULL where that is not known. */
    double (*share)(const void *state, uint64_t *runs);
    const struct rh_explorer_rounds *rounds; /* NULL: any item may be explored at any moment */
};

/* For a search in rounds: all items of a round are explored before the next round begins, and what has come of them
 * decides on the next one.  With several workers one explorer keeps the search and makes no run; the others get items
 * of it.  They may look at its memory (rh__exploration_publish).  Only `known` and `learn` may be NULL. */
struct rh_explorer_rounds {
    /* Of the one that keeps the search.  give writes the next item; idle: no item is under way, so that the next round
     * may begin.  Returns the number of bytes; 0: none now.  gather takes what another one has told; false if the bytes
     * make no sense.  has_more: give would have an item, now or later. */
    size_t (*give)(void *state, void *buffer, size_t room, bool idle);
    bool (*gather)(void *state, const void *told, size_t size);
    bool (*has_more)(const void *state);
    /* The search as bytes, for a checkpoint.  Returns the number of bytes that it has, also if there is no room.  load
     * is for a new explorer, and takes any bytes. */
    size_t (*save)(const void *state, void *buffer, size_t room);
    bool (*load)(void *state, const void *saved, size_t size);
    /* Of the others: what has come of the item so far, and was not told yet. */
    size_t (*tell)(void *state, void *buffer, size_t room);
    /* For others that do not share its memory: what they look at there, as bytes that only grow until `life` changes,
     * between two rounds.  Whoever has learned all of them up to a round may explore its items.  Both are NULL where
     * items say everything. */
    const void *(*known)(const void *state, uint64_t *life, size_t *size);
    bool (*learn)(void *state, const void *bytes, size_t size);
};

/* The root item: one byte.  No explorer has another item of this byte alone. */
bool rh_item_is_root(const void *item, size_t size);
/* Returns the number of bytes written; 0 if there is no room. */
size_t rh_item_put_root(void *buffer, size_t room);

/* The key of an item that has one: RH_ITEM_KEY bytes at the beginning, behind which the item follows; NULL: it has
 * none. rh_inner_unpack takes items with and without it. */
enum { RH_ITEM_KEY = 24 };
const void *rh_item_key(const void *item, size_t size);

/* For decorators: explorers around others.
 *
 * A decorator leaves NULL each call that it does not change, and each table: such a call goes to the inner explorer
 * that acts now.  The verdict goes there only if the decorator has no `begin` and no `choose`, for these may leave runs
 * out.  `diverged`, `notes` and the root item go to all inner explorers.  A decorator of several explorers can share
 * only if it has its own pack and unpack.  A decorator calls its inner explorers through the rh_inner_ functions:
 * entries of their tables may be NULL. */
struct rh_explorer_decorator {
    /* The inner explorers that were opened, at most RH_MOST_INNER, and which of them acts now. */
    const struct rh_inner *(*inner)(const void *state, uint32_t *count, uint32_t *now);
    /* A filter: a decorator without `choose` of its own, whose inner explorer does not see all open choices.  Marks
     * those to hide, and returns how many; `hidden` has `count` entries, all false.  hide is called at each step,
     * before the inner explorer chooses, so it can keep account of the run: events so far are in the world, open
     * choices are here.  For the same run it must always hide the same. */
    uint32_t (*hide)(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count, bool *hidden);
    /* Runs with what the filter hides are equivalent to other runs, which are made (symmetry, sleep sets).  The verdict
     * stays as it is, and a run in which all is hidden is pruned.  Else the filter is a bound (preemptions, delays):
     * once it hid something the verdict is at most bounded, and a run in which all is hidden is cut. */
    bool hides_explored;
    /* Of a bound: what it hides depends on the state and on its mark (rh__exploration_mark) alone, so an explorer that
     * matches states stays within the bound, and misses nothing that is within it. */
    bool marks_states;
    /* What reports call an inner explorer.  NULL: by its own name. */
    const char *(*name_of)(const void *state, uint32_t inner);
};

struct rh_explorer {
    const char *name;    /* letters, digits, - and _ */
    const char *summary; /* one line for people */
    size_t state_size;
    const struct rh_argument *arguments; /* rows; NULL: none */

    /* Properties; an expression has those of every explorer in it, and resets_only if all explorers in it have it. */
    bool needs_object_granularity; /* works with granularity object only, which is then used */
    bool prefers_object;           /* uses granularity object if neither the test nor the user states one */
    bool is_reduction;             /* leaves out runs that differ only in the order of independent steps */
    bool needs_beginning;          /* explores from the beginning of the test only: cannot go on from a schedule */
    bool uses_symmetry;            /* leaves out runs that differ only in an exchange of actors that are alike */
    bool matches_states;           /* an exhaustive search visits every state, not every distinct run */
    bool resets_only;              /* each run begins anew: begin never keeps an event of the last run */
    bool wants_new;                /* looks at struct rh_run.is_new, which costs some time a run; else that is false */

    /* May be NULL.  False with a sentence in `error`. */
    bool (*open)(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t error_size);
    /* A run begins.  Returns how many events of the last run to keep (1: none but the beginning); 0: nothing is
     * left. */
    uint32_t (*begin)(void *state, const struct rh_world *w);
    /* The index of the choice to take, or RH_NONE, RH_PRUNED or RH_ABANDON.  choose may be asked about events that
     * begin wanted to keep: after a crash, and inside decorators, a run is made again from its beginning. */
    uint32_t (*choose)(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
    /* The run has ended; may be NULL.  After a crash the world holds the run only to look at.  A decorator with an
     * `end` of its own calls rh_inner_end in it: an explorer that is not told of its runs may take the search for
     * finished. */
    void (*end)(void *state, const struct rh_world *w, const struct rh_run *run);

    const struct rh_explorer_report *report;       /* may be NULL */
    const struct rh_explorer_share *share;         /* NULL: it cannot share its work */
    const struct rh_explorer_decorator *decorator; /* NULL: it is none */
};

/* For a decorator that takes one explorer and nothing else, and whose state begins with a struct rh_inner:
 *     .arguments = rh_only_arguments, .open = rh_only_open, .decorator = &rh_only_decorator
 * and, if it makes every run that the explorer inside asks for, or another equivalent run:
 *     .report = &rh_only_report      promises what the explorer inside promises */
extern const struct rh_argument rh_only_arguments[];
extern const struct rh_explorer_decorator rh_only_decorator;
extern const struct rh_explorer_report rh_only_report;
bool rh_only_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error, size_t error_size);

/* The calls of an explorer, with forwarding, and with the defaults where its tables have a gap. */
uint32_t rh_inner_begin(const struct rh_inner *e, const struct rh_world *w);
uint32_t rh_inner_choose(const struct rh_inner *e, const struct rh_world *w, const struct rh_choice *open,
                         uint32_t count);
void rh_inner_end(const struct rh_inner *e, const struct rh_world *w, const struct rh_run *run);
enum rh_verdict rh_inner_verdict(const struct rh_inner *e);
/* Whether its verdict can be more than sampled. */
bool rh_inner_can_finish(const struct rh_inner *e);
double rh_inner_estimate(const struct rh_inner *e);
/* Writes an empty text where there is nothing to say. */
void rh_inner_notes(const struct rh_inner *e, char *buffer, size_t size);
bool rh_inner_diverged(const struct rh_inner *e);
bool rh_inner_can_share(const struct rh_inner *e);
size_t rh_inner_pack(const struct rh_inner *e, void *buffer, size_t room, bool half);
bool rh_inner_unpack(const struct rh_inner *e, const struct rh_world *w, const void *item, size_t size);
/* Writes an item behind its key (rh_item_key); 0: none. */
size_t rh_inner_claim(const struct rh_inner *e, void *buffer, size_t room);
/* Whether it may have claims. */
bool rh_inner_claims(const struct rh_inner *e);
/* Unpacks the root item.  Also for explorers that cannot share. */
bool rh_inner_unpack_root(const struct rh_inner *e, const struct rh_world *w);
uint32_t rh_inner_lead(const struct rh_inner *e);
uint32_t rh_inner_arrived(const struct rh_inner *e, const struct rh_world *w);
double rh_inner_share(const struct rh_inner *e, uint64_t *runs);
/* The explorer in the tree that has rounds; NULL: none. */
const struct rh_inner *rh_inner_with_rounds(const struct rh_inner *e);

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
