/* The flow analysis: a points-to analysis over all handlers, by inclusion of sets, until nothing changes.
 *
 *   atom      something that a value may be: a pointer into an object, a reference to an actor type, a function
 *   object    memory: a local, a global, a state, a message under way, a table, ...
 *   node      a set of atoms: of an SSA value, of eight bytes of an object, of the senders of a message, ...
 *   context   who runs a function: an actor type and the type of the message that it handles.  It takes the place of
 *             the paper's object sensitivity: functions are analysed once for each context.
 *
 * References are integers in C, so atoms flow through integers, too.
 *
 * Private to src/target. */
#ifndef RH_TARGET_FLOW_ANALYSIS_H
#define RH_TARGET_FLOW_ANALYSIS_H

#include "target/flow.h"
#include "target/index_sets.h"

enum atom_kind { ATOM_POINTER, ATOM_REF, ATOM_FUNCTION, ATOM_UNKNOWN };
enum object_kind {
    OBJECT_LOCAL,    /* context, instruction */
    OBJECT_GLOBAL,   /* global */
    OBJECT_STATE,    /* node */
    OBJECT_MESSAGE,  /* receiver, message */
    OBJECT_TAIL,     /* receiver, message */
    OBJECT_ENVELOPE, /* context, call */
    OBJECT_RESULT,   /* message */
    OBJECT_TABLE,    /* global */
    OBJECT_STORE,
};
enum node_kind {
    NODE_VALUE,    /* context, value */
    NODE_CONSTANT, /* value */
    NODE_RETURN,   /* context, function */
    NODE_CELL,     /* object, offset */
    NODE_SENDERS,  /* receiver, message */
    NODE_NAME,     /* hash of the name */
    NODE_REF,      /* one reference: node of the graph */
    NODE_RECEIVED, /* context: the messages of a process, as pointers */
    NODE_OPENED,   /* what the outside knows */
};

#define ANY_OFFSET 0xffffffffu
enum { MOST_OFFSET = 4096, CELL_BYTES = 8 };

/* Messages of a context: a message type, or one of these. */
enum { CONTEXT_BODY = 0x7ffffffe, CONTEXT_MERGED = 0x7fffffff };

struct context {
    uint32_t actor, message;
};

struct analysis {
    const struct rh__program *program;
    struct rh__flow *flow;
    bool optimised, changed;
    struct rh__index atoms, objects, nodes, contexts, calls;
    struct rh__set *sets;   /* of the nodes */
    struct rh__set *cells;  /* of the objects: offsets that are in use */
    uint32_t *object_sizes; /* 0: unknown */
    uint32_t set_room, object_room;
    bool *arrived;  /* receiver * message_count + message */
    bool *active;   /* behaviours */
    bool *observed; /* monitors */
    struct rh__index edges, notes;
};

/* ---- atoms, objects, nodes; flow.c ------------------------------------------------------------------------------- */
uint32_t flow__atom(struct analysis *a, enum atom_kind kind, uint64_t what, uint32_t offset);
enum atom_kind flow__atom_kind(const struct analysis *a, uint32_t atom);
uint32_t flow__atom_what(const struct analysis *a, uint32_t atom);
uint32_t flow__atom_offset(const struct analysis *a, uint32_t atom);
uint32_t flow__object(struct analysis *a, enum object_kind kind, uint64_t x, uint64_t y, uint32_t size);
uint32_t flow__global(struct analysis *a, LLVMValueRef global);
uint32_t flow__node(struct analysis *a, enum node_kind kind, uint64_t x, uint64_t y);
uint32_t flow__value(struct analysis *a, uint32_t context, LLVMValueRef v);
struct rh__set flow__copy_set(const struct analysis *a, uint32_t node); /* the caller releases it */
void flow__add(struct analysis *a, uint32_t node, uint32_t atom);
void flow__to(struct analysis *a, uint32_t from, uint32_t to); /* everything in `from` is also in `to` */

/* ---- memory; flow.c ---------------------------------------------------------------------------------------------- */
void flow__load(struct analysis *a, uint32_t pointers, uint32_t bytes, uint32_t to);
void flow__store(struct analysis *a, uint32_t pointers, uint32_t bytes, uint32_t from);
/* Copies memory; `bytes` 0: an unknown number. */
void flow__copy(struct analysis *a, uint32_t to, uint32_t from, uint64_t bytes);
/* From the beginning of an object, and to it. */
void flow__copy_into(struct analysis *a, uint32_t object, uint32_t from, uint64_t bytes);

/* ---- control; flow.c --------------------------------------------------------------------------------------------- */
uint32_t flow__context(struct analysis *a, uint32_t actor, uint32_t message);
struct context flow__context_of(const struct analysis *a, uint32_t context);
/* Calls a function of the program: `arguments` are nodes. */
void flow__call(struct analysis *a, uint32_t context, LLVMValueRef f, const uint32_t *arguments, uint32_t count);
void flow__edge(struct analysis *a, enum rh__flow_kind kind, uint32_t from, uint32_t to, uint32_t message);
void flow__note(struct analysis *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A call of a function without a body; flow_calls.c. */
void flow__outer_call(struct analysis *a, uint32_t context, LLVMValueRef call, const char *name);
/* The object that a message of this type to this receiver is, and who may have sent it. */
uint32_t flow__message_object(struct analysis *a, uint32_t receiver, uint32_t message);
uint32_t flow__senders(struct analysis *a, uint32_t receiver, uint32_t message);

#endif
