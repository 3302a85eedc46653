/* Paths, objects and values of symbolic execution (symbolic.h).
 *
 *   value    a bit-vector; of a pointer: an object, and the offset in it as a bit-vector of 64 bits
 *   object   bytes, each a bit-vector of 8 bits; pointers in memory are kept beside the bytes, at multiples of eight
 *   path     frames of functions, objects, and the condition so far */
/* Private to src/target. */
#ifndef RH_TARGET_SYMBOLIC_PATH_H
#define RH_TARGET_SYMBOLIC_PATH_H

#include <z3.h>

#include "target/symbolic.h"

enum { MOST_FRAMES = 24, SYM_MERGES = 8 };

struct sym_value {
    Z3_ast bits;
    uint32_t object; /* 0: a number */
};

struct sym_object {
    uint32_t size;
    Z3_ast *bytes;
    struct sym_value *pointers; /* for every eight bytes; bits NULL: no pointer there */
};

struct sym_known {
    LLVMValueRef of;
    struct sym_value value;
};

struct sym_frame {
    LLVMValueRef next, call; /* the instruction to execute; the call to return to */
    LLVMBasicBlockRef block, previous;
    struct sym_known *known;
    uint32_t known_count, known_room;
};

/* What a path does to others, in the order in which it happens (summary.h). */
enum sym_effect_kind {
    SYM_SEND,   /* a message of `type` to `to` */
    SYM_SPAWN,  /* an actor of `type`; `result` is its reference */
    SYM_TIMER,  /* a timer `name` that will send a message of `type` */
    SYM_CHOOSE, /* rh_choose: `result` is below `most` */
};
struct sym_effect {
    enum sym_effect_kind kind;
    uint32_t type;
    Z3_ast to;
    Z3_ast from; /* of a forwarded message: the sender that is seen; else NULL */
    Z3_ast *bytes;
    uint32_t size;
    Z3_ast result;
    uint64_t most;
    const char *name;
    Z3_ast *tail; /* bytes of the tail, and how many of them there are; NULL: no tail */
    Z3_ast tail_size;
    uint32_t tail_count;
    bool passes_tail; /* its tail is that of the message that is being handled */
};

/* A block that the path has run, and how many clauses and effects it had then.  With `guard`: it runs only if this
 * holds, because ways were merged (symbolic_merge.c). */
struct sym_visit {
    LLVMBasicBlockRef block;
    uint32_t clauses, effects;
    Z3_ast guard;
};

struct sym_path {
    struct sym_frame frames[MOST_FRAMES];
    uint32_t depth;
    struct sym_object *objects; /* 0 is none */
    uint32_t object_count;
    Z3_ast condition; /* changed by sym__require and sym__set_condition only */
    Z3_context z;
    Z3_model model; /* a solution of the condition; NULL: not known */
    uint32_t steps, forks;
    /* With hooks: the parts of the condition, effects (their bytes belong to the run), and blocks. */
    Z3_ast *clauses;
    struct sym_effect *effects;
    struct sym_visit *visits;
    uint32_t clause_count, effect_count, visit_count;
    uint32_t place;          /* the behaviour from now on; RH__NO_INDEX: as before, or: */
    Z3_ast returns;          /* the behaviour to which a handler returns that has waited; NULL: as before */
    bool stops;              /* rh_stop was called */
    bool done;               /* nothing is left to say about it: it has returned, or its copies go on */
    uint32_t state, message; /* objects */
    Z3_ast self, sender;
    uint32_t tail; /* object of the message's tail, once it is asked for; 0: not yet */
    Z3_ast tail_size;
    bool tail_lost; /* the code has waited since, without asking for it */
    /* A way behind a branch, which is to be merged: it stops in this block of the frame at this depth, and fails if it
     * divides, or comes back to the branch, or to one around it. */
    LLVMBasicBlockRef stop;
    uint32_t stop_depth;
    struct {
        LLVMBasicBlockRef block;
        uint32_t depth;
    } origins[SYM_MERGES];
    uint32_t origin_count;
    bool arrived;
};

/* An address in an object as the code computes it: a base and indices in arrays (symbolic_index.c). */
enum { SYM_INDICES = 2 };
struct sym_address {
    Z3_ast bits; /* the whole */
    uint64_t base;
    uint32_t count;
    bool known; /* it has this form */
    struct {
        Z3_ast of;               /* 64 bits */
        uint64_t stride, length; /* of the array; 0: not known */
    } index[SYM_INDICES];
};

struct sym_run;
struct sym_meeting;
enum sym_outcome { SYM_GOES_ON, SYM_ENDS, SYM_UNKNOWN };
/* For summaries (summary.c): what happens at calls without code, and where a path ends. */
struct sym_hooks {
    enum sym_outcome (*call)(struct sym_run *r, struct sym_path *p, LLVMValueRef call, const char *name);
    void (*returned)(struct sym_run *r, struct sym_path *p);
    void (*failed)(struct sym_run *r, struct sym_path *p); /* given up, or ended by a failure */
};

struct sym_run {
    const struct rh__symbolic_question *q;
    struct rh__symbolic_answer *a;
    Z3_context z;
    Z3_solver solver;
    Z3_ast *message; /* bytes */
    Z3_ast accepted; /* of a predicate: under which condition it returns true; NULL while the handler runs */
    uint32_t fresh;
    const struct sym_hooks *hooks;
    void *user;
    const char *const *parameters; /* NAME=VALUE, ended by NULL; NULL for none */
    uint32_t most_forks;
    bool over;    /* no path goes on */
    double until; /* of processor time: with hooks, no path goes on then; 0 for no limit */
    struct sym_meeting *meetings;
    uint32_t meeting_count;
    struct sym_address *addresses; /* a hash table */
    uint32_t address_count, address_room;
    Z3_ast bytes[256]; /* numbers that were made; NULL: not yet */
};

/* Executes the path from where it stands. */
void sym__follow(struct sym_run *r, struct sym_path *p);
/* Goes to a block; false if the path ends there. */
bool sym__enter(struct sym_run *r, struct sym_path *p, LLVMBasicBlockRef block);
void sym__add_visit(struct sym_path *p, struct sym_visit v);
/* Follows both ways behind a branch up to where they meet; SYM_DIVIDES if that cannot be (symbolic_merge.c). */
enum sym_merged { SYM_DIVIDES, SYM_MERGED, SYM_ARRIVED };
enum sym_merged sym__merge(struct sym_run *r, struct sym_path *p, Z3_ast is, LLVMBasicBlockRef yes,
                           LLVMBasicBlockRef no);
/* A call, and a return: true if the path goes on (symbolic_calls.c). */
bool sym__call(struct sym_run *r, struct sym_path *p, LLVMValueRef call);
bool sym__return(struct sym_run *r, struct sym_path *p, LLVMValueRef i);
/* Begins with this function. */
void sym__begin(struct sym_run *r, LLVMValueRef function, const struct sym_value *arguments, uint32_t count,
                struct sym_path *p);
struct sym_path *sym__path_new(struct sym_run *r);
void sym__set_condition(struct sym_path *p, Z3_ast condition);
/* Whether the condition is possible together with this part. */
bool sym__may_be(struct sym_run *r, struct sym_path *p, Z3_ast clause);
/* Adds a part to the condition; false if the condition has become impossible. */
bool sym__require(struct sym_run *r, struct sym_path *p, Z3_ast clause);
/* The text that a pointer points to, if it is constant; NULL if not.  Of the module. */
const char *sym__text_of(LLVMValueRef pointer);
/* The value of a parameter, or NULL. */
const char *sym__parameter(const struct sym_run *r, const char *name);

/* Of this process and of the programs that it has run. */
double sym__processor_seconds(void);
void *sym__must(void *p);

/* A copy with memory of its own. */
struct sym_path *sym__path_copy(const struct sym_path *p);
void sym__path_free(struct sym_path *p);
/* Notes why a path is given up; returns false. */
bool sym__give_up(struct sym_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- bit-vectors ------------------------------------------------------------------------------------------------- */
Z3_ast sym__number(struct sym_run *r, uint64_t n, uint32_t width);
Z3_ast sym__unknown(struct sym_run *r, uint32_t width);
uint32_t sym__width_of(struct sym_run *r, Z3_ast a);
bool sym__is_constant(struct sym_run *r, Z3_ast a, uint64_t *n);
Z3_ast sym__and_of(struct sym_run *r, Z3_ast a, Z3_ast b);
/* i1 from a truth value, and back. */
Z3_ast sym__bit(struct sym_run *r, Z3_ast truth);
Z3_ast sym__truth(struct sym_run *r, Z3_ast b);
/* Whether the solver finds the condition possible; `model` may be NULL, else the caller releases it. */
bool sym__possible(struct sym_run *r, Z3_ast condition, Z3_model *model);

/* The width of a number, integer or not, or of a pointer, 0 for other types; the size in memory. */
uint32_t sym__type_bits(LLVMTypeRef type);
uint64_t sym__type_bytes(struct sym_run *r, LLVMTypeRef type);

/* ---- memory ------------------------------------------------------------------------------------------------------ */
uint32_t sym__object_new(struct sym_run *r, struct sym_path *p, uint64_t size, bool zero);
/* The offset of an access, if it is one number within the object. */
bool sym__offset_of(struct sym_run *r, const struct sym_path *p, struct sym_value pointer, uint64_t size,
                    uint32_t *offset);
bool sym__load(struct sym_run *r, struct sym_path *p, struct sym_value pointer, LLVMTypeRef type, struct sym_value *to);
bool sym__store(struct sym_run *r, struct sym_path *p, struct sym_value pointer, struct sym_value v, LLVMTypeRef type);
bool sym__copy_bytes(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, uint64_t size);

/* ---- places that depend on a value: symbolic_index.c ------------------------------------------------------------- */
/* The form of an address that was kept, or of a number. */
struct sym_address sym__address_of(struct sym_run *r, Z3_ast bits);
void sym__address_add(struct sym_run *r, struct sym_address *a, Z3_ast index, uint64_t stride, uint64_t length);
void sym__address_keep(struct sym_run *r, Z3_ast bits, const struct sym_address *a);
bool sym__is_index(struct sym_run *r, const struct sym_path *p, struct sym_value pointer);
bool sym__load_any(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size, uint32_t bits,
                   struct sym_value *to);
bool sym__store_any(struct sym_run *r, struct sym_path *p, struct sym_value pointer, uint64_t size, Z3_ast all);
/* `from` becomes an object that nobody else has. */
bool sym__copy_from_any(struct sym_run *r, struct sym_path *p, struct sym_value *from, uint64_t size);
bool sym__copy_to_any(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, uint64_t size);
/* As many bytes as `size` says, which is not constant. */
bool sym__copy_some(struct sym_run *r, struct sym_path *p, struct sym_value to, struct sym_value from, Z3_ast size);
Z3_ast sym__bytes_at(struct sym_run *r, const struct sym_object *o, uint32_t at, uint64_t size);

/* ---- operands ---------------------------------------------------------------------------------------------------- */
/* The place of a value in the frame; valid until the next call. */
struct sym_value *sym__slot(struct sym_frame *f, LLVMValueRef v);
bool sym__value_of(struct sym_run *r, struct sym_path *p, LLVMValueRef v, struct sym_value *to);
/* An instruction that computes a value from up to three others; false if it is not known. */
bool sym__compute(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to);
/* Floating point: symbolic_floats.c.  `v` has the operands; false for a call of a function that is not known. */
Z3_ast sym__float_constant(struct sym_run *r, LLVMValueRef v);
bool sym__compute_float(struct sym_run *r, LLVMValueRef i, const struct sym_value *v, struct sym_value *to);
bool sym__call_float(struct sym_run *r, const char *name, LLVMTypeRef type, const struct sym_value *v, uint32_t count,
                     Z3_ast *result);
/* Structures and arrays as values, whose object nobody else has: symbolic_aggregates.c. */
bool sym__is_aggregate(LLVMTypeRef type);
bool sym__load_aggregate(struct sym_run *r, struct sym_path *p, struct sym_value pointer, LLVMTypeRef type,
                         struct sym_value *to);
bool sym__extract(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to);
bool sym__insert(struct sym_run *r, struct sym_path *p, LLVMValueRef i, struct sym_value *to);
/* The address that getelementptr computes, of an instruction or a constant. */
bool sym__offset_in(struct sym_run *r, struct sym_path *p, LLVMValueRef gep, struct sym_value base,
                    struct sym_value *to);

#endif
