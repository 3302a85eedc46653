/* Which ordering goals a set of runs has achieved (Bita, Definitions 1 to 4).
 *
 * For two asynchronous receives of one actor, a and b, a run achieves the goal a -> b
 *     pr   if a comes before b,
 *     pcr  if no receive of that actor is between them,
 *     pmr  if a or b changes the actor's handlers, and no receive between them does.
 * A pair is covered when both its goals are achieved.  Goals are bits of a matrix for each actor and criterion, so that a run
 * of n receives of one actor is entered with n * n / 64 operations.
 *
 * Beside what was achieved we keep which pairs were ever free: received in an order that nothing forces (steps.h).  If a was
 * always before b, and never freely, then b -> a is impossible as far as these runs can tell.
 *
 * All of it is in memory that is shared with child processes, and has no pointers out of it. */
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
enum { RH__FREE = RH__CRITERION_COUNT, RH__MATRICES };
const char *rh__criterion_name(enum rh__criterion criterion);
/* "pr,pmr" as a set of bits; "all" for all of them.  0 with a sentence where that makes no sense. */
uint32_t rh__criteria_parse(const char *text, char *error, size_t error_size);

struct rh__covered_actor {
    uint64_t id;
    uint64_t name;        /* texts are offsets in the memory */
    uint32_t first, last; /* its receives, as a list; RH_NONE for none */
    uint32_t count, room; /* of its receives; rows of its matrices */
    uint64_t matrices;    /* offset: RH__MATRICES times room rows of room bits */
    uint64_t covered;     /* pairs, by pr */
};

struct rh__covered_receive {
    uint64_t id;
    uint64_t text;
    uint32_t actor;
    uint32_t bit;     /* among those of its actor */
    uint32_t next;    /* of the same actor */
    uint32_t becomes; /* in some run */
    uint64_t in_run;  /* the last one that had it */
    uint64_t text_hash;
    uint32_t same; /* receives of its actor with this text that were known before: they have other causes */
};

struct rh__count {
    uint64_t goals, pairs; /* achieved; covered */
};

struct rh__coverage {
    size_t size, used;
    uint32_t criteria;  /* bits: those that somebody asked for */
    uint32_t full;      /* memory was short: these are the least that there are */
    uint32_t exhausted; /* there are no other runs: what is open is impossible */
    uint32_t grain;     /* enum rh_granularity: a finer one may have more */
    uint32_t actor_count, receive_count;
    uint32_t changing;                             /* receives that change handlers in some run */
    uint32_t table_size;                           /* of the table of receives */
    uint64_t actors, receives, table, actor_table; /* offsets */
    uint64_t runs;
    struct rh__count counts[RH__CRITERION_COUNT];
    uint64_t failures; /* offset: hopeless.h */
    uint32_t failure_count, failure_room;
    uint64_t subject; /* text: test and semantics */
    /* What the last run brought. */
    struct rh__count news[RH__CRITERION_COUNT];
    uint32_t new_receives;
    uint64_t new_pairs; /* free for the first time */
    uint64_t all_free;  /* bits of that matrix */
};

/* NULL where there is no memory.  `subject` says what it is the coverage of: sets of other subjects are not merged with it. */
struct rh__coverage *rh__coverage_new(uint32_t criteria, const char *subject);
void rh__coverage_free(struct rh__coverage *c);

/* Zero-filled memory in it: the offset, 0 where there is no more. */
uint64_t rh__coverage_take(struct rh__coverage *c, size_t bytes);

/* As if the last run had brought nothing. */
void rh__coverage_no_news(struct rh__coverage *c);

/* A run: `name` gives the text of a step's actor (receive false) or of what it receives. */
typedef void rh__name_fn(void *arg, uint32_t step, bool receive, char *buffer, size_t size);
void rh__coverage_add(struct rh__coverage *c, const struct rh__steps *s, const uint64_t *actor_ids, rh__name_fn *name,
                      void *arg);

/* For those who have goals from elsewhere (pack.h).  RH_NONE where memory is short. */
uint32_t rh__coverage_know_actor(struct rh__coverage *c, uint64_t id, const char *name);
uint32_t rh__coverage_know_receive(struct rh__coverage *c, uint64_t id, uint32_t actor, const char *text, bool becomes);
void rh__coverage_achieve(struct rh__coverage *c, uint32_t matrix, uint32_t from, uint32_t to);
/* A row of a matrix: bits of the actor's receives. */
uint64_t *rh__coverage_row(const struct rh__coverage *c, const struct rh__covered_actor *a, uint32_t matrix,
                           uint32_t bit);

/* Looking at it. */
/* Grows with whatever is added, and only then. */
uint64_t rh__coverage_changes(const struct rh__coverage *c);
const struct rh__covered_actor *rh__covered_actor(const struct rh__coverage *c, uint32_t actor);
const struct rh__covered_receive *rh__covered_receive(const struct rh__coverage *c, uint32_t receive);
const char *rh__coverage_text(const struct rh__coverage *c, uint64_t text);
uint32_t rh__coverage_find(const struct rh__coverage *c, uint64_t id); /* a receive, RH_NONE for none */
/* Whether a goal is achieved; with RH__FREE: a was before b, freely.  Both receives of one actor. */
bool rh__achieved(const struct rh__coverage *c, uint32_t matrix, uint32_t a, uint32_t b);

/* How a pair of receives of one actor stands. */
enum rh__pair {
    RH__PAIR_APART,      /* never in one run */
    RH__PAIR_COVERED,    /* both orders */
    RH__PAIR_OPEN,       /* not both yet */
    RH__PAIR_IMPOSSIBLE, /* nor ever: one of them cannot be */
    RH__PAIR_UNRELATED,  /* pmr: neither changes handlers */
};
enum rh__pair rh__pair_of(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b);

#endif
