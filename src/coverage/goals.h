/* Which ordering goals a set of runs has achieved [Bita 2013, Definitions 1 to 4].
 *
 * For two asynchronous receives of one actor, a and b, a run achieves the goal a -> b
 *     pr   if a comes before b,
 *     pcr  if a comes before b and no receive of that actor is between them,
 *     pmr  if a comes before b, a or b changes the actor's handlers, and no receive between them does.
 * Receives of one set (rh_receive_set) come at the same time: no goal is between them, and the set as a whole comes
 * before or after other receives.
 * A pair is covered when both its goals are achieved.  Goals are bits of a matrix for each actor and criterion, so that
 * a run with n receives of one actor is added with n * n / 64 operations.
 *
 * If the identity of b is computed from that of a, over any number of steps (identity.h: parent), then no run has b
 * without a before it: b -> a is impossible.  The coverage also records which pairs were ever free: received in an
 * order that nothing forces (steps.h).  If a always came before b, and never freely, the order was forced in these
 * runs; other runs may show that it need not be.
 *
 * The cost of a run grows with the square of an actor's receives, and programs can have new receives in every run.  So
 * not all are followed: after the first RH__FOLLOWED of an actor one of two, then one of four, and so on, chosen by
 * their identity, and from the beginning by as much as a run has more than that.  A million receives then are some 2000
 * that are followed.  The counts are lower bounds then.
 *
 * Everything is in memory that is shared with child processes and has no pointers out of it. */
#ifndef RH_COVERAGE_GOALS_H
#define RH_COVERAGE_GOALS_H

#include "coverage/steps.h"

#define RH__CRITERIA(X)                                                                                                \
    X(PR, "pr")                                                                                                        \
    X(PMR, "pmr")                                                                                                      \
    X(PCR, "pcr")
enum rh__criterion {
#define RH__X(name, text) RH__##name,
    RH__CRITERIA(RH__X)
#undef RH__X
        RH__CRITERION_COUNT
};
enum { RH__FREE = RH__CRITERION_COUNT, RH__CHAIN, RH__MATRICES };
enum { RH__FOLLOWED = 512 };
const char *rh__criterion_name(enum rh__criterion criterion);
/* Parses "pr,pmr" as a set of bits; "all" means all of them.  Returns 0 with a sentence if the text is invalid. */
uint32_t rh__criteria_parse(const char *text, char *error, size_t error_size);

struct rh__covered_actor {
    uint64_t id;
    uint64_t name;        /* texts are offsets in the coverage's memory */
    uint32_t first, last; /* its receives, as a list; RH_NONE if empty */
    uint32_t count, room; /* number of receives; number of rows of its matrices */
    uint64_t matrices;    /* offset: RH__MATRICES times room rows of room bits */
    uint64_t covered;     /* covered pairs, by pr */
};

struct rh__covered_receive {
    uint64_t id;
    uint64_t text;
    uint32_t actor;
    uint32_t bit;     /* index among the receives of its actor */
    uint32_t next;    /* next receive of the same actor */
    uint32_t becomes; /* changes handlers in some run */
    uint64_t in_run;  /* the last run that had this receive */
    uint64_t text_hash;
    uint32_t same; /* how many earlier receives of its actor have the same text, but other causes */
};

struct rh__count {
    uint64_t goals, pairs; /* goals achieved; pairs covered */
};

struct rh__coverage {
    size_t size, used;
    uint32_t criteria;  /* bits: the criteria that were asked for */
    uint32_t full;      /* memory was short, or not all receives are followed: the counts are lower bounds */
    uint32_t exhausted; /* all runs have been made: what is open is impossible */
    uint32_t grain;     /* enum rh_granularity: a finer one may have more receives */
    uint32_t actor_count, receive_count;
    uint32_t changing;                             /* receives that change handlers in some run */
    uint32_t table_size;                           /* size of the table of receives */
    uint64_t actors, receives, table, actor_table; /* offsets */
    uint64_t runs;
    struct rh__count counts[RH__CRITERION_COUNT];
    uint64_t failures; /* offset: abandoned.h */
    uint32_t failure_count, failure_room;
    uint64_t subject; /* text: test and semantics */
    /* What the last run achieved. */
    struct rh__count news[RH__CRITERION_COUNT];
    uint32_t new_receives;
    uint64_t new_pairs; /* pairs that were free for the first time */
    uint64_t all_free;  /* number of bits in the matrix of free pairs */
};

/* Returns NULL if there is not enough memory.  `subject` says what is covered: coverage of other subjects is not
 * merged. */
struct rh__coverage *rh__coverage_new(uint32_t criteria, const char *subject);
void rh__coverage_free(struct rh__coverage *c);

/* Allocates zero-filled memory in the coverage; returns its offset, or 0 if there is none left. */
uint64_t rh__coverage_take(struct rh__coverage *c, size_t bytes);

/* Clears what the last run achieved. */
void rh__coverage_no_news(struct rh__coverage *c);

/* Adds a run.  `name` writes the text of a step's actor (receive false), or of what the step receives. */
typedef void rh__name_fn(void *arg, uint32_t step, bool receive, char *buffer, size_t size);
void rh__coverage_add(struct rh__coverage *c, const struct rh__steps *s, const uint64_t *actor_ids, rh__name_fn *name,
                      void *arg);

/* For goals from other sources (pack.h).  RH_NONE if memory is short. */
uint32_t rh__coverage_know_actor(struct rh__coverage *c, uint64_t id, const char *name);
uint32_t rh__coverage_know_receive(struct rh__coverage *c, uint64_t id, uint32_t actor, const char *text, bool becomes);
void rh__coverage_achieve(struct rh__coverage *c, uint32_t matrix, uint32_t from, uint32_t to);
/* A row of a matrix: a bit for each of the actor's receives. */
uint64_t *rh__coverage_row(const struct rh__coverage *c, const struct rh__covered_actor *a, uint32_t matrix,
                           uint32_t bit);

/* Inspection. */
/* Grows exactly when something is added. */
uint64_t rh__coverage_changes(const struct rh__coverage *c);
const struct rh__covered_actor *rh__covered_actor(const struct rh__coverage *c, uint32_t actor);
const struct rh__covered_receive *rh__covered_receive(const struct rh__coverage *c, uint32_t receive);
const char *rh__coverage_text(const struct rh__coverage *c, uint64_t text);
uint32_t rh__coverage_find(const struct rh__coverage *c, uint64_t id); /* a receive, or RH_NONE */
/* Whether a goal is achieved; with RH__FREE: whether a came before b freely; with RH__CHAIN: whether b's identity is
 * computed from a's.  Both must be receives of one actor. */
bool rh__achieved(const struct rh__coverage *c, uint32_t matrix, uint32_t a, uint32_t b);

/* The state of a pair of receives of one actor. */
enum rh__pair {
    RH__PAIR_APART,      /* never in the same run */
    RH__PAIR_COVERED,    /* seen in both orders */
    RH__PAIR_OPEN,       /* not seen in both orders yet */
    RH__PAIR_FORCED,     /* the same; and in all runs so far something forced the order */
    RH__PAIR_IMPOSSIBLE, /* one of the orders is impossible */
    RH__PAIR_UNRELATED,  /* pmr: neither changes handlers */
};
enum rh__pair rh__pair_of(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);

#endif
