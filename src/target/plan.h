/* Plans: steps of actors that lead from a snapshot to a block, found backwards [TAP, section 5].
 *
 * A plan is a history for each of its actors.  A step takes a message along one path of a summary.  The message comes
 * from outside, was under way in the snapshot, or is sent by another step of the plan; a step whose message is not yet
 * decided is open.  The steps of different actors are ordered only by who sends what to whom.
 *
 * The search begins with one step, along a path that runs the block.  It decides where the message of an open step
 * comes from, which may add a step before.  When no step is open, the conditions of all steps, with the vectors and
 * messages put in, are one formula.  If it has a solution, the plan is a schedule.  If not, the solver tells which
 * conditions contradict each other (an unsatisfiable core), and these say which bytes of which actor need another
 * value: a step that changes one of them is put in, anywhere in that actor's history before.
 *
 * Heuristic 1 of the paper: a handler is one step.  Heuristic 2: few actors first. */
/* Private to src/target. */
#ifndef RH_TARGET_PLAN_H
#define RH_TARGET_PLAN_H

#include "target/flow.h"
#include "target/summary.h"

enum { PLAN_STEPS = 24, PLAN_ACTORS = 16, PLAN_GUARD = 1 << 30 };

enum plan_supply {
    PLAN_OPEN,
    PLAN_OUTSIDE,   /* `from`: the opening of the snapshot */
    PLAN_UNDER_WAY, /* `from`: the message of the snapshot */
    PLAN_SENT,      /* `from`: the step, and `effect` */
    PLAN_TIMER,     /* `from`: the timer of the snapshot */
    PLAN_TIME,      /* no message: the time of a wait is over */
};

struct plan_step {
    uint32_t actor; /* of the plan */
    const struct sum_path *path;
    uint32_t clauses, effects; /* so many of the path's: all, or those before the block */
    enum plan_supply supply;
    uint32_t from, effect;
    Z3_ast guard; /* of the block, if ways were merged there; NULL for none */
};

struct plan_actor {
    uint32_t index; /* in the snapshot; RH__NO_INDEX: spawned by `effect` of `step` */
    uint32_t step, effect;
    struct sum_actor *model;
};

struct plan {
    struct plan_step steps[PLAN_STEPS];
    struct plan_actor actors[PLAN_ACTORS];
    uint8_t history[PLAN_ACTORS][PLAN_STEPS]; /* steps in their order */
    uint8_t lengths[PLAN_ACTORS];
    uint32_t step_count, actor_count;
    double cost;
};

struct plan_settings {
    bool h1, h2, feedback; /* the heuristics and the unsatisfiable cores */
    uint64_t seed;
};

/* ---- a plan as a formula: plan_check.c --------------------------------------------------------------------------- */

struct plan_clause {
    Z3_ast is;
    uint32_t step;
    uint32_t clause; /* of its path; RH__NO_INDEX: about where its message goes, or comes from; PLAN_GUARD: the guard */
};

struct plan_formula {
    uint8_t order[PLAN_STEPS];
    struct plan_clause *clauses;
    uint32_t clause_count;
    bool *core;     /* of each clause: it is in the core */
    bool unknown;   /* the solver gave up */
    Z3_model model; /* if there is a solution */
    struct plan_value {
        Z3_ast of, is;
        uint32_t step;
    } * values; /* computed so far: a hash table */
    uint32_t value_count, value_room;
};

struct plan_search; /* of one snapshot */

/* An order in which every step comes after those that it needs; false if there is none. */
bool plan__order(const struct plan_search *s, const struct plan *p, uint8_t *order);
/* Makes the formula and asks the solver; true if there is a solution.  Release it in any case. */
bool plan__check(struct plan_search *s, const struct plan *p, struct plan_formula *f);
void plan__release(struct plan_search *s, struct plan_formula *f);
/* Prefers small numbers from outside. */
void plan__make_small(struct plan_search *s, const struct plan *p, struct plan_formula *f);
uint64_t plan__value(const struct plan_search *s, const struct plan_formula *f, Z3_ast e);
/* The reference of an actor of the plan, as a number. */
uint64_t plan__reference(const struct plan *p, uint32_t actor);
uint32_t plan__position(const struct plan *p, uint32_t step);

/* ---- values of steps: plan_values.c ------------------------------------------------------------------------------ */

/* An expression of the step's path with its values put in. */
Z3_ast plan__put(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step, Z3_ast e);
/* A byte of the actor before the step; a byte of its message; the sender. */
Z3_ast plan__byte_before(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                         uint32_t byte);
Z3_ast plan__message_byte(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step,
                          uint32_t byte);
Z3_ast plan__sender(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t step);

/* ---- a plan as a schedule: plan_schedule.c ----------------------------------------------------------------------- */

/* The text of the schedule; `loose`: with `...` between its lines.  The caller frees it. */
char *plan__schedule(struct plan_search *s, const struct plan *p, struct plan_formula *f, bool loose);
/* A step whose message some other message must come before, which nobody takes (fifo): true, and who must take what.
 * `late`: it is taken, but too late. */
bool plan__overtakes(struct plan_search *s, const struct plan *p, struct plan_formula *f, uint32_t *step,
                     enum plan_supply *supply, uint32_t *from, uint32_t *effect, bool *late);

/* ---- the search: plan_search.c ----------------------------------------------------------------------------------- */

struct plan_search {
    struct sum_models *models;
    const struct rh__flow *flow; /* of the test: who may send what; NULL: not known */
    const struct rh__snapshot *snapshot;
    struct sum_actor **actors; /* of the snapshot; made when they are needed */
    uint8_t *made;             /* what is: enum plan_made */
    struct sum_path **exact;   /* of each actor of the snapshot: paths from its state */
    uint32_t *exact_counts;
    struct plan_search *others; /* searches from other snapshots, whose summaries may hold here, too */
    uint32_t other_count;
    bool ordered, by_mailbox; /* messages from one sender do not overtake; from all senders */
    struct plan_settings settings;
    uint32_t plans, checks, tried, stale; /* plans looked at, formulas, solutions, solutions that did not replay */
    bool one_step;                        /* no steps are put in */
    bool ended;                           /* the last search: nothing was left to look at */
    uint64_t random;
    double each;       /* processor time for the summaries of one actor */
    double *left;      /* for all summaries together */
    double summaries;  /* spent on summaries so far: it counts for no goal, because all goals use them */
    char trouble[160]; /* why the search was stuck, as far as known; "" if it is not */
};

/* Plans that wait for their turn: plan_queue.c. */
struct plan_queue {
    struct plan **plans; /* a heap */
    uint32_t count;
    uint64_t *seen; /* a hash table */
    uint32_t seen_count, room;
};
/* Adds a copy of the plan, unless it was there. */
void plan__push(struct plan_search *s, struct plan_queue *q, const struct plan *p);
/* Takes the cheapest one, which the caller frees; there must be one. */
struct plan *plan__pop(struct plan_queue *q);

/* Puts a step into the history of an actor, which is open unless its path says otherwise; false if there is no room. */
bool plan__insert(struct plan *p, uint32_t actor, uint32_t position, const struct sum_path *path, uint32_t clauses,
                  uint32_t effects);

/* ---- what contradicts: plan_blame.c ------------------------------------------------------------------------------ */

enum { PLAN_BLAMES = 64 };
/* Bytes of actors that should be others before a step. */
struct plan_blames {
    struct plan_blame {
        uint32_t actor, byte, before;
    } all[PLAN_BLAMES];
    uint32_t count;
};
/* Those that the unsatisfiable core names. */
void plan__blame(struct plan_search *s, const struct plan *p, const struct plan_formula *f, struct plan_blames *found);
/* Plans with one more step, which changes one of them; without feedback, which changes anything. */
void plan__repair(struct plan_search *s, struct plan_queue *q, const struct plan *p, const struct plan_blames *b);

enum plan_made { PLAN_NOT_MADE, PLAN_EXACT, PLAN_ALL };

/* What a search is for. */
struct plan_goal {
    const LLVMBasicBlockRef *blocks;
    uint32_t block_count;
    double until; /* of processor time */
    bool makes;   /* plan__search_step: paths that are not there are made */
    /* Replays a schedule; true if it reaches the block with this index: the search is over. */
    bool (*confirm)(void *arg, const char *schedule, uint32_t block);
    void *arg;
    volatile int *interrupted;
};

/* True if a schedule was confirmed. */
bool plan__search(struct plan_search *s, const struct plan_goal *g);
/* The same with one step, from the state of the snapshot. */
bool plan__search_step(struct plan_search *s, const struct plan_goal *g);
/* Calls `add` with schedules that begin with one message from outside: one for each path of who takes it, so that what
 * follows can be seen by running them. */
void plan__openings(struct plan_search *s, uint32_t most, void (*add)(void *arg, const char *schedule), void *arg);

/* ---- actors and their paths: plan_actors.c ----------------------------------------------------------------------- */

/* The actor of the snapshot, with all its summaries; NULL if it cannot be followed. */
struct sum_actor *plan__actor(struct plan_search *s, uint32_t index);
/* The same with its paths from the state of the snapshot. */
struct sum_actor *plan__exact_actor(struct plan_search *s, uint32_t index);
/* The model of an actor that a step spawns; made once for each place of the code. */
struct sum_actor *plan__spawned(struct plan_search *s, const struct sym_effect *e);
/* The paths of an actor: those from its state in the snapshot, then those from any state; NULL: no more. */
const struct sum_path *plan__path(const struct plan_search *s, const struct plan_actor *a, uint32_t i);

#endif
