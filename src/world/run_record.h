/* The rows of a run: the readable record of a run, as tables of plain structs.
 *
 * The tables of a world (state.h) begin with these rows, so a struct rh__run is a view of the live tables without a
 * copy.  A decoded run (run/encode.h) has tables of the bare rows.  The accessors of run/run.h read both: a table is a
 * base address and a stride.
 *
 * The folders above see a world only through this header and the other public headers of src/world. */
#ifndef RH_WORLD_RUN_RECORD_H
#define RH_WORLD_RUN_RECORD_H

#include "world/delivery.h"

/* ---- choices ----------------------------------------------------------------------------------------------------- */

/* The texts of a kind of choice; see RH_CHOICES. */
struct rh__choice_texts {
    const char *line, *people, *word;
};
const struct rh__choice_texts *rh__choice_texts(uint32_t kind);
/* For static assertions over RH_CHOICES: whether a row has a text. */
#define RH__HAS_TEXT(x) _Generic((x), char * : 1, const char * : 1, default : 0)

/* Copies a choice word by word.  The four words were mostly stored just before (rh__offer), and the processor forwards
 * a store only to a load of the same width: a load of all 16 bytes waits until the stores have reached the cache. */
static inline void rh__choice_copy(struct rh_choice *to, const struct rh_choice *from)
{
    uint32_t kind = from->kind, actor = from->actor, what = from->what, arg = from->arg;
    __asm__("" : "+r"(kind), "+r"(actor), "+r"(what), "+r"(arg)); /* no wider loads */
    to->kind = kind;
    to->actor = actor;
    to->what = what;
    to->arg = arg;
}

/* True if a choice is a fault.  Some results of opening a store are faults. */
static inline bool rh__is_fault(const struct rh_choice *c)
{
    return rh_choice_attributes(c->kind) & RH_IS_FAULT || (c->kind == RH_CHOICE_OPEN && c->what);
}

/* True if the choice happens to a message or an actor and is no event of the choice's actor. */
static inline bool rh__befalls(const struct rh_choice *c)
{
    return rh_choice_attributes(c->kind) & RH_BEFALLS;
}

static inline bool rh__is_about_message(const struct rh_choice *c)
{
    return rh_choice_attributes(c->kind) & RH_ABOUT_MESSAGE;
}

/* Of a message from outside: its number among those of its run, from 0.  The lower bits of `what` are the opening and
 * the index of its value (outside.h). */
enum { RH__OUTSIDE_BITS = 20 };
static inline uint32_t rh__outside_number(const struct rh_choice *c)
{
    return c->what >> RH__OUTSIDE_BITS;
}

/* True if a crashed actor may find no restart left, so that crashed actors compete for restarts. */
static inline bool rh__restarts_are_scarce(const struct rh_semantics *s)
{
    return (s->restarts || s->kept_restarts) && s->restarts < s->crashes && s->kept_restarts < s->crashes;
}

/* True if actors may crash inside handlers (crash_points.h).  Memory that a kept restart could keep exists only between
 * handlers. */
static inline bool rh__has_crash_points(const struct rh_semantics *s)
{
    return s->granularity == RH_GRAIN_OBJECT && s->crashes && !s->kept_restarts && s->crash_points == RH_CRASH_ANYWHERE;
}

/* ---- actors ------------------------------------------------------------------------------------------------------ */

enum world_status {
    STATUS_IDLE,      /* between two messages */
    STATUS_RUNNING,   /* the actor's code runs now */
    STATUS_WAITING,   /* blocked in a receive or an ask */
    STATUS_SLEEPING,  /* blocked until the wake timer fires */
    STATUS_SYNCING,   /* blocked until all writes are durable */
    STATUS_CHOOSING,  /* in rh_choose; no other actor moves before the value is chosen */
    STATUS_PREEMPTED, /* before an operation on a shared object, or before its end */
    STATUS_ENDED,
    STATUS_CRASHED, /* may restart */
    STATUS_OUTSIDE, /* an external sender, without code */
};

enum {
    FLAG_STOPPING = 1, /* the actor ends when its handler returns */
    FLAG_TRAPS = 2,    /* the actor receives exit signals as messages */
    FLAG_DEFERS = 4,   /* the behaviour of the actor defers a message type */
    FLAG_DEFERRED = 8, /* this or an earlier behaviour of the actor defers a message type */
    /* Granularity object: the actor has stopped, because what it does next depends on whether an exit signal has
     * arrived before.  One that traps ceases to trap, crashes, or calls rh_exit, a finding if nobody is linked.  One
     * that does not trap begins to, calls rh_exit, or links itself to an actor again that has ended. */
    FLAG_SETTLES = 16,
    FLAG_GATHERS = 32,   /* the behaviour of the actor takes a message type in sets */
    FLAG_ACTED = 64,     /* it has done something since it could crash last: see crash_points.h */
    FLAG_AT_POINT = 128, /* it has stopped, inside a handler, where it may crash */
    FLAG_MORTAL = 256,   /* it has stopped, between two operations of a process, where a signal may end it */
};

/* What an operation does to its shared object, as far as this is known before the operation is made.  A value is a
 * hash; 0 means that there is no value. */
enum rh__when {
    RH__IN_TURN,      /* it is ordered with every other operation on the object */
    RH__LOOKS,        /* it changes nothing */
    RH__SETS,         /* it sets the value `sets` */
    RH__SETS_IF_FREE, /* ... if there is no value, or the value is `expected` */
    RH__SETS_IF_EQUAL,
    RH__ADDS,    /* it adds to a number, if the value is one, or makes one; else it fails */
    RH__CHANGES, /* it changes the object, whatever it finds, to the value `sets` */
    RH__JOINS,   /* it changes a life that has not ended, and only looks at one that has (RH__LIFE_OVER) */
    RH__WATCHES, /* it only looks at a life, and is told of the end of one that has not ended */
};
/* Values of a life: it has ended; an actor has ceased to watch it. */
enum { RH__LIFE_OVER = 2, RH__LIFE_UNWATCHED = 4 };
enum { RH__VALUE_IS_NUMBER = 1 }; /* a bit of a value */
struct rh__action {
    uint64_t key;            /* within the object: of an ordered table; else 0 */
    uint64_t expected, sets; /* values */
    uint32_t when;           /* enum rh__when */
};

/* True if the operation changes an object that has this value.  Setting the value that is there changes nothing. */
static inline bool rh__action_writes(const struct rh__action *a, uint64_t value)
{
    switch ((enum rh__when)a->when) {
    case RH__LOOKS:
    case RH__WATCHES:
        return false;
    case RH__SETS:
        return value != a->sets;
    case RH__SETS_IF_FREE:
        return (!value || value == a->expected) && value != a->sets;
    case RH__SETS_IF_EQUAL:
        return value && value == a->expected && value != a->sets;
    case RH__ADDS:
        return !value || value & RH__VALUE_IS_NUMBER;
    case RH__JOINS:
        return value != RH__LIFE_OVER;
    default:
        return true;
    }
}

/* Whether watching a life is looking at it.  If an actor can begin another life, what it sends there comes behind the
 * news of its end, so whom the end told matters to others, too: then watching is a change. */
static inline bool rh__watching_looks(const struct rh_semantics *s)
{
    return !s->crashes || (!s->restarts && !s->kept_restarts);
}

/* Fields that change (status, behaviour, flags and others) hold their values at the end of the run so far. */
#define RH__ACTOR_ROW                                                                                                  \
    const struct rh_actor_type *type;                                                                                  \
    const struct rh_behaviour *behaviour;                                                                              \
    uint64_t identity;        /* the same in every run */                                                              \
    uint64_t object;          /* while preempted: object of the next operation; 0: a send */                           \
    struct rh__action action; /* while preempted, with granularity object: the next operation */                       \
    uint64_t initial;         /* payload offset of the first state; of an external sender: of its name */              \
    uint32_t status;          /* enum world_status */                                                                  \
    uint32_t flags;                                                                                                    \
    uint32_t born;            /* event that spawned the actor */                                                       \
    uint32_t born_behind;     /* messages that event had sent before the spawn */                                      \
    uint32_t parent, ordinal; /* name: index among the parent's children of the same type */                           \
    uint32_t node;            /* for partitions: 0 .. 15, or RH_NONE */                                                \
    uint32_t asking;          /* request whose reply the actor waits for; RH_NONE for none */                          \
    uint32_t restarts;                                                                                                 \
    uint32_t reason; /* reason of the end: payload offset / 16 */

struct rh__run_actor {
    RH__ACTOR_ROW
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Messages, their bytes and events are only appended.  RH_NONE is no index. */
#define RH__MESSAGE_ROW                                                                                                \
    const struct rh_message_type *type;                                                                                \
    uint64_t payload; /* offset of the value, 16-aligned; the tail follows, 16-aligned */                              \
    uint32_t size, tail_size;                                                                                          \
    uint32_t sender, receiver;                                                                                         \
    uint32_t seen_as;        /* sender that the receiver sees: the first one, if the message was forwarded */          \
    uint32_t event, ordinal; /* event that sent the message, and index among its messages */                           \
    uint32_t answers;        /* a reply: the request */                                                                \
    uint32_t taken_by;       /* event that took, lost or dropped the message */                                        \
    uint32_t copy_of;        /* a duplicate: the original message */                                                   \
    uint32_t channel;                                                                                                  \
    uint32_t posted; /* sent by the program, not by the world */                                                       \
    uint32_t timer;  /* of a process's timer, or from the clock: timer name, payload offset / 16; else 0 */            \
    uint32_t wake;   /* from the clock: number of the wait that is over; else 0 */                                     \
    uint32_t life;   /* from the clock: the receiver's life that it is for, from 1; else 0 */                          \
    uint32_t behind; /* granularity object, news of an end: the first message with this news; 0: none */

struct rh__run_message {
    RH__MESSAGE_ROW
};

/* The types of exit signals, and of the clock's message to an actor whose wait is over.  Handlers see neither. */
extern const struct rh_message_type rh__exit_signal;
extern const struct rh_message_type rh__wake;

/* A program may also send and forward messages of the types that the world sends (rh_start, rh_down, ...).  Such
 * messages are ordinary messages.  `posted`, not the type, identifies the messages of the world. */

/* True if the message starts a life of its receiver. */
static inline bool rh__is_start(const struct rh__run_message *m)
{
    return m->type == &rh_message_rh_start && !m->posted;
}

/* True if the message reports the end of an actor that its receiver monitors. */
static inline bool rh__is_down(const struct rh__run_message *m)
{
    return m->type == &rh_message_rh_down && !m->posted;
}

static inline bool rh__is_exit_signal(const struct rh__run_message *m)
{
    return m->type == &rh__exit_signal;
}

/* True if network faults can affect the message.  They affect neither messages of the world nor messages of an actor to
 * itself. */
static inline bool rh__travels(const struct rh__run_message *m)
{
    return m->posted && m->sender != m->receiver;
}

/* True if a type is in a list of types that faults may affect.  NULL is the list of all types. */
static inline bool rh__is_among(const struct rh_actor_type *const *list, const struct rh_actor_type *type)
{
    while (list && *list && *list != type)
        list++;
    return !list || *list;
}

/* Instead of the monitor of a lasso: messages go in a circle.  The first actor is no monitor. */
enum { RH__NO_MONITOR = 0 };

/* ---- shared objects ---------------------------------------------------------------------------------------------- */

enum rh__object_kind {
    RH__OBJECT_NAME = 1,
    RH__OBJECT_LIFE,
    RH__OBJECT_MONITOR,
    RH__OBJECT_TABLE,
    RH__OBJECT_PROPERTY,
    RH__OBJECT_SENDER, /* an external sender: several actors may send in its name */
    RH__OBJECT_CLOCK,  /* with ordered time and granularity object: see timers.c */
    RH__OBJECT_STORE,
    RH__OBJECT_HISTORY,  /* calls and returns of a history */
    RH__OBJECT_YIELD,    /* of one actor: nobody else touches it (rh_yield) */
    RH__OBJECT_INFO,     /* what actors are doing (rh_info) */
    RH__OBJECT_RESTARTS, /* the budget of restarts, if it is scarce and the granularity is object */
};

/* Returns the identity of an object, which is the same in every run.  `what` is a hash that identifies the object
 * within its kind. */
uint64_t rh__object(enum rh__object_kind kind, uint64_t what);
uint64_t rh__object_named(enum rh__object_kind kind, const char *name);

/* One operation on a shared object (objects.h). */
struct rh__access {
    uint64_t object;
    uint32_t event;
    uint32_t ordinal; /* number of earlier accesses in this run that changed the object: what this access found */
    uint32_t wrote;   /* it changed the object */
    /* Granularity object, live runs only: the value afterwards, with its key (struct rh__action). */
    uint64_t key, value;
};

/* ---- a run ------------------------------------------------------------------------------------------------------- */

struct rh__run_line {
    uint64_t text; /* payload offset */
    uint32_t event, actor;
};

/* Decoded run: the text of what an actor waits for at the end of the run; NULL if the actor does not wait. */
struct rh__run_wait {
    const char *text;
};

struct rh__run {
    const char *test;
    const struct rh_semantics *semantics; /* with the defaults filled in */
    const struct rh_semantics *own;       /* as the test declares them */
    const struct rh__delivery *delivery;  /* the row of the delivery model */
    const struct rh_param *params;
    size_t param_count;

    const struct rh_event *events;
    /* Live run: of the event of a timer, the event since which a timer of its owner and name was set: that timer was
     * set anew, or this one.  NULL for a decoded run. */
    const uint32_t *first_sets;
    const void *messages, *actors; /* tables of rows, with strides */
    const struct rh__access *accesses;
    const struct rh__run_line *lines;
    const char *payload;      /* base of all payload offsets */
    const uint32_t *monitors; /* actors that observe announcements */
    uint32_t message_stride, actor_stride;
    uint32_t event_count, message_count, actor_count, channel_count;
    uint32_t access_count, line_count, monitor_count;
    uint32_t first_actors; /* number of actors after the first event */
    uint32_t clock;        /* ordered time with granularity object: the clock as an actor; else RH_NONE */
    bool clock_used;       /* some run has asked for the time */
    bool own_clocks;       /* each actor has a clock: granularity object, or logical time */
    bool over;             /* a step has ended the run, by a finding or by a choice */
    uint32_t loop;         /* the run is a lasso: the events from this one on repeat for ever; 0: it is none */
    uint32_t loop_monitor; /* the monitor that stays hot then; RH__NO_MONITOR: messages go in a circle, or no lasso */

    const struct rh_world *live;      /* NULL for a decoded run */
    const struct rh__run_wait *waits; /* decoded run: by actor */
    uint32_t most_value;              /* number of bytes kept of each value and of each tail */
};

/* Returns a view of the run so far, without a copy.  The view is valid until the world moves: then call again. */
const struct rh__run *rh__world_run(const struct rh_world *w);

/* Names for reports (names.c).  Omits outer levels of a deep path. */
void rh__run_actor_name(const struct rh__run *r, uint32_t actor, char *buffer, size_t size);
/* The full path of an actor, and a sufficient buffer size for any depth. */
struct rh__text;
void rh__run_actor_path(const struct rh__run *r, uint32_t actor, struct rh__text *t);
size_t rh__run_actor_path_room(const struct rh__run *r, uint32_t actor);

static inline const struct rh__run_actor *rh__run_actor(const struct rh__run *r, uint32_t actor)
{
    return (const void *)((const char *)r->actors + (size_t)actor * r->actor_stride);
}

static inline const struct rh__run_message *rh__run_message(const struct rh__run *r, uint32_t message)
{
    return (const void *)((const char *)r->messages + (size_t)message * r->message_stride);
}

#endif
