/* Summaries: what an actor may do with a message, path by path [TAP, section 5].
 *
 * The state of an actor is a vector of bytes: its struct; its place; whether it lives; and, for code that waits, what
 * the code keeps.  A place is a behaviour, `before rh_start`, or a wait inside of a handler or a process.  A step takes
 * one message and leads from a vector to the next one.  Every path of the code from one place to the next is a step:
 * a condition over the vector, the message and its sender, the bytes that it changes, and what it does to others.
 *
 * An actor's summaries begin with the state that a snapshot has.  Bytes that no path changes stay the numbers that
 * they are: loops over them end, and references lead to one actor.  The others are unknown.  This is a fixpoint: what a
 * path changes becomes unknown, and the paths are made again.
 *
 * A path that cannot be followed to its end (something is not supported, or a bound was met) is not whole: it shows how
 * a block is reached, and cannot be followed by others.  Summaries propose; a replay decides. */
/* Private to src/target. */
#ifndef RH_TARGET_SUMMARY_H
#define RH_TARGET_SUMMARY_H

#include "target/snapshot.h"
#include "target/symbolic_path.h"

enum { SUM_NEW = 127, SUM_WAITS = 128, SUM_PLACES = 256 }; /* places: behaviours of the actor, before rh_start, waits */
enum { SUM_ANNOUNCE = SYM_CHOOSE + 1 };                    /* an effect: a monitor sees it at once */

enum { SUM_TAIL_BYTES = 256 }; /* of a tail that is followed, at most */
enum sum_var_kind { SUM_STATE, SUM_MESSAGE, SUM_SENDER, SUM_TAIL, SUM_TAIL_SIZE, SUM_FRESH };
struct sum_var {
    Z3_ast var;
    enum sum_var_kind kind;
    uint32_t index;
};

/* Where the message of a path from one state comes from (summary_exact.c). */
enum sum_origin { SUM_ANY_STATE, SUM_FROM_OUTSIDE, SUM_UNDER_WAY, SUM_TIMER };

struct sum_path {
    enum sum_origin origin; /* not SUM_ANY_STATE: it is the first step of its actor, with this message */
    uint32_t from;          /* the opening, message or timer of the snapshot */
    uint32_t message;       /* the type that it takes; RH__NO_INDEX: the end of a wait by time */
    uint32_t place;         /* where it begins; RH__NO_INDEX: in one of several behaviours */
    bool is_reply;          /* the answer to rh_ask */
    bool whole;             /* it comes to its end */
    bool ignores;           /* the message is taken and dropped */
    bool shared;            /* its parts are of a path that the models keep (summary_exact.c) */
    Z3_ast *clauses;
    struct sym_effect *effects;
    Z3_ast *post; /* for each byte of the vector; NULL: as before */
    struct sym_visit *visits;
    struct sum_var *vars;
    uint32_t clause_count, effect_count, post_count, visit_count, var_count;
};

/* A wait inside of code: see summary_waits.c. */
struct sum_wait;

struct sum_actor {
    uint32_t type;
    Z3_ast self;
    uint32_t size;   /* of its struct; then place, life, and what waits keep */
    uint32_t width;  /* of the vector */
    Z3_ast *initial; /* width bytes */
    Z3_ast *known;   /* constants that no path changes; NULL: unknown */
    struct sum_path *paths;
    uint32_t path_count;
    struct sum_wait **waits;
    uint32_t wait_count;
    bool reached[SUM_PLACES];
    char trouble[128]; /* why a path was given up; "" if none was */
};

struct sum_models {
    const struct rh__program *program;
    struct rh__symbolic_question question;
    struct rh__symbolic_answer answer;
    struct sym_run run;
    Z3_params params;
    struct sum_actor **actors;
    uint32_t actor_count;
    double until;                     /* of processor time; what is not finished then is cut */
    uint32_t handler_paths, handlers; /* made so far, for reports */
    struct sum_vars {
        Z3_ast *all;
        uint32_t count;
    } state_vars, message_vars, tail_vars; /* made so far */
    struct sum_predicate {
        LLVMValueRef when;
        uint32_t type;
        Z3_ast is;
    } * predicates; /* of openings */
    uint32_t predicate_count;
    struct sum_exact {
        uint64_t hash; /* of the state and the message */
        struct sum_path *paths;
        uint32_t count;
    } * exact; /* paths from one state, which other snapshots have as well */
    uint32_t exact_count;
    char **texts;
    uint32_t text_count;
};

struct sum_models *sum__models_new(const struct rh__program *p, const char *const *parameters);
void sum__models_free(struct sum_models *m);

/* An actor as the snapshot has it, without paths; sum__make_paths makes its summaries.  NULL if it cannot be followed.
 * Actors are the models'. */
struct sum_actor *sum__actor_of_snapshot(struct sum_models *m, const struct rh__snapshot *s, uint32_t actor);
void sum__make_paths(struct sum_models *m, struct sum_actor *a);
/* The summaries of an actor that a path spawns: `bytes` are constants and others. */
struct sum_actor *sum__actor_of_spawn(struct sum_models *m, uint32_t type, Z3_ast *const bytes, uint32_t size,
                                      Z3_ast self);
/* The vector of an actor in a snapshot, in the width of its summaries; of the caller. */
Z3_ast *sum__vector_of(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor);
/* One byte of it. */
Z3_ast sum__byte_of(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor,
                    uint32_t byte);

/* Whether what the summaries take for constant is so in this snapshot. */
bool sum__holds(struct sum_models *m, const struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor);

/* Paths from the state that the actor has in the snapshot, with its summaries: how many.  The caller frees them. */
uint32_t sum__exact_paths(struct sum_models *m, struct sum_actor *a, const struct rh__snapshot *s, uint32_t actor,
                          struct sum_path **paths);
void sum__paths_free(struct sum_path *paths, uint32_t count);

/* Under which condition a predicate of rh_open accepts these bytes. */
Z3_ast sum__accepts(struct sum_models *m, LLVMValueRef when, Z3_ast *bytes, uint32_t size);
/* The same of the variables of a message of this type. */
Z3_ast sum__accepts_message(struct sum_models *m, LLVMValueRef when, uint32_t type);

/* The variables of an expression, added to a list; each once. */
void sum__collect(struct sum_models *m, Z3_ast e, struct sum_var **vars, uint32_t *count);

/* All variables of a path, into its list. */
void sum__collect_path(struct sum_models *m, struct sum_path *p);

/* ---- for its parts ----------------------------------------------------------------------------------------------- */

/* What is being made: the run's `user`. */
struct sum_making {
    struct sum_models *models;
    struct sum_actor *actor;
    uint32_t message, place; /* as in struct sum_path */
    bool is_reply;
    uint32_t paths; /* of this entry */
};

Z3_ast sum__state_var(struct sum_models *m, uint32_t index);
Z3_ast sum__message_var(struct sum_models *m, uint32_t index);
Z3_ast sum__sender_var(struct sum_models *m);
/* The tail of the message is any, of up to SUM_TAIL_BYTES bytes. */
bool sum__any_tail(struct sum_models *m, struct sym_path *p);
/* The tail of the message is this one. */
void sum__set_tail(struct sum_models *m, struct sym_path *p, const uint8_t *tail, uint32_t size);
/* The byte of a vector as a path finds it. */
Z3_ast sum__entry_byte(struct sum_models *m, const struct sum_actor *a, uint32_t index);
/* Ends a path as a step of the actor; `place` RH__NO_INDEX: the behaviour that it has. */
struct sum_path *sum__add_path(struct sum_making *x, struct sym_path *p, bool whole);
/* A path that is about to begin, in places for which the condition holds; and the run for it. */
struct sym_path *sum__begin_path(struct sum_models *m, struct sum_actor *a, uint32_t message, Z3_ast places);
void sum__reset_run(struct sum_models *m, struct sum_making *x);
/* The number of a behaviour among those of its actor type. */
uint32_t sum__place_of(const struct rh__program *p, uint32_t behaviour);
/* Calls without code: summary_calls.c. */
enum sym_outcome sum__call(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name);
/* Texts: summary_text.c.  The text there, if all its bytes are known; a copy that lives as long as the models; what
 * snprintf writes, if its arguments are known. */
bool sum__text_at(struct sym_run *r, const struct sym_path *p, struct sym_value at, char *text, uint32_t room);
const char *sum__keep_text(struct sum_models *m, const char *text);
bool sum__print(struct sym_run *r, struct sym_path *p, LLVMValueRef call, uint32_t *length);
/* Waits: summary_waits.c. */
enum sym_outcome sum__wait(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name);
void sum__resume_all(struct sum_models *m, struct sum_actor *a, uint32_t wait);
void sum__wait_free(struct sum_wait *w);
/* Writes a constant number of places into a vector. */
void sum__set_known(struct sum_actor *a, uint32_t width);

#endif
