/* The state of a controlled world, private to src/world/.
 *
 * All that a run can change is either in a table of this struct, in an actor's region or stack, or in a tracked page
 * (globals, large heaps).  Tables are changed only through put32 and put64 (log.h), regions and stacks are copied to the
 * log before they are used (memory.h), pages are compared after each step (pages.h): so the log can take everything
 * back.  Messages, their bytes, and events are only ever appended, and cut off again by their counts.
 *
 * Tables are in memory shared with the parent process; the log, regions and stacks are private.  No address is random:
 * all lie at fixed places, so that a pointer in a message or a state is the same in every run and every process.
 *
 * Indices name things; RH_NONE is no index.  Actor 0 is the test. */
#ifndef RH_WORLD_STATE_H
#define RH_WORLD_STATE_H

#include <rehearse/world.h>

struct rh__pages;
struct rh__access;

enum status {
    STATUS_IDLE,      /* between two messages */
    STATUS_RUNNING,   /* its code runs now */
    STATUS_WAITING,   /* blocked in a receive or an ask: see `filter` */
    STATUS_SLEEPING,  /* blocked until its wake timer fires */
    STATUS_SYNCING,   /* blocked until its writes are durable */
    STATUS_CHOOSING,  /* in rh_choose; nobody else moves until a value is given */
    STATUS_PREEMPTED, /* before an operation on something shared, or before its end: see `then` */
    STATUS_ENDED,
    STATUS_CRASHED, /* may start again */
    STATUS_OUTSIDE, /* an external sender: has no code */
};

enum {
    FLAG_STOPPING = 1, /* ends when its handler returns */
    FLAG_TRAPS = 2,    /* gets exit signals as messages */
    FLAG_DEFERS = 4,   /* its behaviour defers something, */
    FLAG_DEFERRED = 8, /* or an earlier one did */
};

/* What a preempted actor does when it goes on. */
enum then {
    THEN_GO_ON,
    THEN_END,     /* for `reason`; `then_what`: ENDS_... */
    THEN_CRASH,   /* with `then_what` writes surviving */
    THEN_SIGNAL,  /* sees to exit signal `then_what`; it was in `then_status` */
    THEN_RESTART, /* with its state kept if `then_what`; until then it has ended */
};

/* How one comes to its end. */
enum {
    ENDS,
    ENDS_BY_EXIT,  /* its own, at `place` */
    ENDS_UNNOTICED /* the test's body has returned: see rh__test_is_over */
};

struct actor {
    const struct rh_actor_type *type;
    const struct rh_behaviour *behaviour;
    char *region;                   /* its state, then its heap; fixed for the slot */
    void *context;                  /* of its fiber while that is suspended */
    const struct rh_filter *filter; /* while waiting: on its own stack */
    const char *place;              /* of the call it is blocked in */
    const char *receives;           /* of its last receive; NULL before the first */
    uint64_t random, seed;          /* the latter: before the first number was drawn */
    uint64_t hash;                  /* its part of the fingerprint; 0 while stale */
    uint64_t region_hash;           /* of a large region, kept up word by word */
    uint64_t initial;               /* payload offset of the state it was spawned with */
    uint64_t clock;                 /* causal: payload offset of its vector, 0 for none */
    uint64_t identity;              /* the same in every run */
    uint64_t object;                /* while preempted: of the operation to come */
    int64_t now_ns;                 /* where each has a clock of its own: what that says, see timers.c */
    uint32_t events;                /* how many so far; logged together with the next */
    uint32_t taken;                 /* the message it handles; a process: took last */
    uint32_t status, flags;
    uint32_t born;                      /* the event that made it, */
    uint32_t born_behind;               /* behind so many of its messages */
    uint32_t parent, ordinal;           /* identity: the ordinal-th of its type among the parent's children */
    uint32_t first_child, next_sibling; /* newest first */
    uint32_t sends;                     /* how many so far */
    uint32_t channels;                  /* first channel into it */
    uint32_t outbox;                    /* granularity send: its channel of messages not yet accepted */
    uint32_t start;                     /* rh_start under way; it takes nothing before */
    uint32_t asking;                    /* the message whose reply it waits for */
    uint32_t received;                  /* since then: what rh_ask or, in a handler, rh_receive gave last */
    uint32_t timers;                    /* its timers, newest first */
    uint32_t wake;                      /* the timer that ends its wait or sleep */
    uint32_t wait;            /* with a clock: the number of its wait or sleep that the clock ends, 0 for none */
    uint32_t waits;           /* how many so far */
    uint32_t links, monitors; /* first of each list */
    uint32_t watching;        /* the same: whom it monitors, each until its rh_down is taken */
    uint32_t result_size;     /* of what rh_return left for those who monitor it, */
    uint64_t result;          /* its payload offset */
    uint64_t result_type;     /* and which type it has, 0 for none */
    uint32_t opened;          /* the store that it has; RH_NONE for none */
    uint32_t store;           /* newest write to that */
    uint32_t writes_open;     /* how many of the newest are under way */
    uint32_t tickets;         /* of writes, given out so far */
    uint32_t used;            /* bytes of the region in use */
    uint32_t heap;            /* offset of the heap in the region; 0 for none yet */
    uint32_t stack;           /* its stack while suspended */
    uint32_t choices;         /* of rh_choose */
    uint32_t opening;         /* it chooses what comes of opening its store */
    uint32_t node;            /* for partitions: 0 .. 15, or RH_NONE */
    uint32_t restarts;
    uint32_t reason; /* why it ended: payload offset / 16 */
    uint32_t then, then_what, then_status;
    uint64_t epoch; /* its region is in the log since this epoch; not logged */
    uint32_t stale; /* it is on the list of stale hashes */
    uint32_t large; /* its region is tracked by pages: w->large */
    uint32_t walk;
};

struct message {
    const struct rh_message_type *type;
    uint64_t payload; /* offset of its value, 16-aligned; the tail follows, 16-aligned */
    uint64_t hash;    /* of type, value, tail, sender; 0 until wanted */
    uint64_t clock;   /* causal: payload offset of the sender's vector when sent */
    int64_t sent_ns;  /* the same: what its sender's said */
    uint32_t size, tail_size;
    uint32_t sender, receiver;
    uint32_t seen_as; /* whom the receiver sees as sender: the first one, where it was forwarded */
    uint32_t event, ordinal;
    uint32_t send_number; /* causal: the how-many-th send of its sender, from 1 */
    uint32_t at_once;     /* causal: 1 if others have the same number, who takes it knows of none of them; else 0 */
    uint32_t next;        /* in its channel */
    uint32_t answers;     /* a reply: the request's message */
    uint32_t request;     /* asked for a reply: the first message of a chain of forwards */
    uint32_t taken_by;
    uint32_t copy_of;
    uint32_t channel;
    uint32_t posted; /* by the program, not by the world */
    uint32_t over;   /* granularity object, with faults: it was received, or lost to a fault; else it may still be */
    uint32_t timer;  /* a process's timer, or any the clock has reached: its name, payload offset / 16; else 0 */
    uint32_t wake;   /* from the clock: the number of the wait that is over; else 0 */
    uint32_t life;   /* from the clock: which life of its receiver it is for, from 1; else 0 */
    uint32_t behind; /* granularity object, news: the message that brought them, see network.c; 0 for none */
    uint32_t walk;   /* the last that met it, see knowledge.c; not logged, as in actors and objects */
};

/* Messages under way from one sender to one receiver; under RH_MAILBOX from all senders (sender RH_NONE); with
 * granularity send, messages that a sender has sent and nobody has accepted (receiver RH_NONE). */
struct channel {
    uint64_t hash; /* 0 while stale */
    uint32_t sender, receiver;
    uint32_t first, last; /* logged together */
    uint32_t next;        /* of the same receiver */
    uint32_t arrived;     /* messages before this one have: a later one was taken */
    uint32_t stale;
};

struct timer {
    const struct rh_message_type *type; /* NULL: wakes a blocked actor */
    int64_t deadline_ns;
    uint64_t payload, name; /* offsets */
    uint32_t actor;
    uint32_t event;        /* that set it */
    uint32_t next;         /* of the same actor, or in the list of free ones */
    uint32_t previous;     /* of the same actor; RH_NONE for the newest */
    uint32_t next_alike;   /* with a name: the next whose name has the same place among timer_names, + 1 */
    uint32_t newer, older; /* among all that are set */
    uint32_t clocked;      /* the clock has it: it is a matter of the operations on that */
    uint32_t wait, life;   /* then: as the message will say */
    uint64_t label;        /* then: whose it is and its name, for people; payload offset */
};

struct link {
    uint32_t other;
    uint32_t next;
};

struct name {
    uint64_t text;
    uint32_t actor;
    uint32_t next;
};

struct write {
    uint64_t key, bytes;
    uint32_t size; /* RH_NONE: removes the key */
    uint32_t ticket;
    uint32_t writer; /* the actor that is told */
    uint32_t older;
};

struct store {
    uint64_t name;
    uint32_t owner, life;       /* the last one to open it, and in which of its lives; RH_NONE for none yet */
    uint32_t newest, under_way; /* while nobody has it open: as in struct actor */
    uint32_t state;             /* enum rh__store_state */
    uint32_t next;
};

struct table {
    const struct rh_table *declared;
    uint32_t root; /* of its items, a tree: see tables.c */
    uint32_t count;
};

struct item {
    uint64_t key, bytes; /* payload offsets */
    uint64_t rank;       /* hash of the key; a parent has a larger one than its children */
    uint32_t size;
    uint32_t table; /* RH_NONE for a free one */
    uint32_t left, right;
    uint32_t next; /* free ones */
};

/* One that was touched in this run. */
struct object {
    uint64_t object;
    uint32_t touches;
    uint32_t walk;
};

struct line {
    uint64_t text;
    uint32_t event, actor;
};

enum { PROPERTY_NAME = 96 };

/* What a run has seen of a property so far. */
enum evaluated { LAST_FALSE = 1, LAST_TRUE = 2, LAST = 3, WAS_TRUE = 4, WAS_FALSE = 8 };

struct property {
    char name[PROPERTY_NAME];
    const char *place;
    uint32_t kind;
    uint32_t run;                /* enum evaluated, of the run under way; undone with its steps */
    uint64_t held, failed;       /* evaluations, also of steps that are made again */
    uint64_t held_in, failed_in; /* runs: rh__properties_count */
};

/* A list of indices into a table: how many were ever used, and those free again. */
struct pool {
    uint32_t count, free;
};

enum {
    MAX_CHANNELS = 1u << 20,
    MAX_MESSAGES = 1u << 25,
    MAX_EVENTS = 1u << 25,
    MAX_TIMERS = 1u << 18,
    TIMER_NAMES = 1u << 16,
    MAX_LINKS = 1u << 20,
    MAX_NAMES = 1u << 14,
    MAX_WRITES = 1u << 22,
    MAX_STORES = 1u << 14,
    MAX_TABLES = 1u << 10,
    MAX_ITEMS = 1u << 18,
    MAX_LINES = 1u << 20,
    MAX_PROPERTIES = 1u << 10,
    MAX_ESCAPES = 64,
    MAX_NODES = 16,
    MAX_OBJECTS = 1u << 16,
    MAX_ACCESSES = 1u << 24,
    CHANNEL_CACHE = 1024,
    SMALL_REGION = 8192, /* a region up to this size is copied whole; a larger one is tracked by pages */
};

/* What a free stack holds before a handler runs: see determinism.h. */
enum stack_fill { FILL_NOT, FILL_ZERO, FILL_PATTERN, FILL_POSITIVE };

/* Why a fiber gave control back. */
enum yield { YIELD_DONE, YIELD_BLOCKED, YIELD_ABANDONED };

struct rh_world {
    struct rh_semantics semantics; /* with the defaults filled in */
    const struct rh_test *test;
    const struct rh_param *params;
    size_t param_count;
    uint64_t *params_asked; /* see struct rh_world_options */
    bool no_undo, quiet, begun;
    bool sandboxed;       /* a parent process reads what we leave behind */
    bool driven;          /* the child has done what it was started for */
    bool killed;          /* the last child was, by somebody else */
    int fork_errno;       /* the last child could not be started: why */
    bool supervised;      /* and that is not worth a word: it will be made good */
    bool can_read_stacks; /* this process took the steps: what is on stacks and in regions is really there */
    bool any_faults;      /* a budget of faults is given */
    bool asan;            /* the program is built with AddressSanitizer */
    bool own_clocks;      /* each actor has a clock: granularity object, or logical time */
    int64_t tick_ns;      /* by which that goes on with each message; 0 but for logical time */

    /* Tables. */
    struct actor *actors;
    struct channel *channels;
    uint64_t *ready; /* bit per channel: something is in it */
    struct message *messages;
    char *payload;
    struct rh_event *events;
    struct timer *timers;
    uint32_t *timer_names; /* by owner and name: the first of a list, + 1 */
    struct link *links;
    struct name *names;
    struct write *writes;
    struct store *stores;
    struct table *tables;
    struct item *items;
    struct line *lines;
    struct object *objects;      /* open addressing */
    struct rh__access *accesses; /* in order */
    struct property *properties;
    struct rh_choice *choices;
    uint32_t *stack_next; /* list of free stacks */
    uint32_t *stale_actors, *stale_channels;
    uint32_t *monitors; /* actors that observe announcements */
    uint32_t choice_capacity, choice_count;
    bool cut_short;          /* there would be more, but for the limit of steps */
    uint32_t choices_events; /* when they were filled in: at this event, */
    const char *choices_log; /* and this position of the log */

    /* Counts that the event record restores. */
    uint32_t event_count, message_count;
    uint64_t payload_at;
    uint32_t under_way; /* messages */

    /* Logged. */
    uint32_t actor_count, channel_count, line_count, monitor_count, table_count;
    struct pool timer_pool, link_pool, name_pool, write_pool, store_pool, item_pool;
    uint32_t timer_newest; /* of all that are set */
    uint32_t first_name, first_store;
    uint32_t stack_free, stack_count;
    uint32_t losses, duplicates, crashes, restarts, kept_restarts, partitions; /* what is left */
    uint32_t failed_opens, damaged_stores, failed_puts;
    uint32_t cut; /* the nodes on one side of a partition; 0 for none */
    uint32_t node_count;
    uint32_t chooser; /* the actor in rh_choose; RH_NONE with granularity object, where others go on meanwhile */
    uint32_t news;    /* messages under way that are behind others */
    uint32_t halted;  /* actors that are preempted or, with granularity object, choosing */
    uint32_t object_count, access_count;
    uint32_t over; /* the run has been ended: by a finding or by choice */
    uint32_t allocations;
    uint32_t writes_open; /* of all actors */
    int64_t now_ns;
    uint64_t total; /* of all hashes that are not stale */
    uint32_t stale_actor_count, stale_channel_count;
    uint64_t tables_hash; /* of names, links, monitors; 0 while stale */
    uint64_t globals_hash;
    char logged_end; /* all from event_count to here is zero in a new world */

    /* Of the whole exploration. */
    uint32_t property_count;
    enum stack_fill fill; /* of stacks; not but while runs are compared */
    char *filled_from, *filled_to;
    uint32_t handler_depth;   /* bytes of stack that handlers have used, as far as that was measured */
    char refused[192];        /* a parameter makes no sense: a sentence; "" for none */
    char globals_writer[128]; /* an actor that has changed a global variable; "" for none */
    bool watches_twins;       /* somebody wants to know told_apart: */
    bool told_apart;          /* the program has asked what is different for actors that are alike; see alike.h */
    bool clock_used;          /* the program has asked for the time: from then on it is part of the fingerprint */

    /* Of the step under way. */
    uint32_t current; /* the actor whose code runs, RH_NONE outside */
    uint32_t event_sends;
    uint32_t clock; /* ordered time with granularity object: the actor that the clock is, else RH_NONE; see timers.c */
    uint32_t observing; /* a monitor's handler runs, on the announcer's stack */
    uint32_t matching;  /* the predicate of this actor's receive runs, on the world's stack */
    bool inside;
    uint32_t resumed_with;   /* the message that ends a wait, RH_NONE for a timeout; the value chosen */
    const char *exit_reason; /* of rh_exit */
    char exit_text[RH_REASON_SIZE];
    const char *exit_place;
    enum yield yield;
    void *back;      /* where the world's side waits while a fiber runs */
    void *suspended; /* where the last fiber that yielded waits */
    void *job_state;
    const void *job_value;
    rh_handler_fn *job_handler;
    rh_body_fn *job_body;
    void *asan_fake; /* of the world's side, while a fiber runs */
    const void *asan_bottom;
    size_t asan_size;
    uint32_t walk;   /* number of the last one: see knowledge.c */
    uint32_t sought; /* rh__message_deliverable looks for this one */
    bool sought_found;

    char name_buffers[RH_NAMES_AT_ONCE][256]; /* of rh_name, in predicates */
    uint32_t names_given;

    struct rh_outcome outcome;
    struct rh_escape escapes[MAX_ESCAPES];
    uint32_t escape_count;
    uint32_t channel_cache[CHANNEL_CACHE];

    /* Going back. */
    char *log, *log_start, *log_end;
    uint64_t epoch;
    char *baseline_log; /* after rh_world_begin */
    uint32_t baseline_messages, baseline_under_way;
    uint32_t baseline_actors, baseline_channels, baseline_writes, baseline_lines, baseline_accesses;
    uint64_t baseline_payload;
    uint32_t loaded_events; /* a snapshot was loaded: undo does not reach before this event; else 1 */
    bool hashing;           /* component hashes are kept */
    uint32_t hashing_since; /* event count when that began */

    /* Memory. */
    char *regions;
    size_t region_stride;
    char *stacks;
    size_t stack_stride;
    uint32_t stacks_guarded; /* stacks whose guard page is in place */
    uint32_t deepest;        /* bytes of stack that suspended fibers have had: see fiber.c */
    struct rh__pages *globals;
    uint32_t hot_pages;       /* of globals */
    uint32_t large_count;     /* regions that are or were large */
    struct rh__pages **large; /* per actor, NULL while its region is small; private */
    size_t table_bytes;
    struct rh_world_counts counts;
    volatile uint64_t ticks; /* of the watchdog */
};

/* The world in use, NULL for none.  Set by rh_world_new, cleared by rh_world_free. */
extern struct rh_world *rh__world;

/* References are numbers that programs do not use for anything else: who looks for one in memory (world/alike.c) is not
 * misled by counters. */
#define REF_BASE 0x7265660000000001u

static inline rh_ref ref_of(uint32_t actor)
{
    rh_ref ref = { REF_BASE + actor };
    return ref;
}

/* RH_NONE for nobody or a reference that this world never gave. */
static inline uint32_t actor_of(const struct rh_world *w, rh_ref ref)
{
    return ref.id - REF_BASE < w->actor_count ? (uint32_t)(ref.id - REF_BASE) : RH_NONE;
}

/* Whose code runs now, handler or predicate; RH_NONE: our own. */
static inline uint32_t code_of(const struct rh_world *w)
{
    if (!w->inside)
        return w->matching;
    return w->observing != RH_NONE ? w->observing : w->current;
}

/* With granularity object the end of the test is a step of its own, too, as of every process.  But it is offered only while
 * somebody watches the test, has looked at its life or is about to: nobody else can tell when it is.  Where nobody ever looks it
 * is not made, and the test counts as ended. */
static inline bool rh__test_is_over(const struct rh_world *w)
{
    const struct actor *test = &w->actors[0];
    return test->status == STATUS_PREEMPTED && test->then == THEN_END && test->then_what == ENDS_UNNOTICED;
}

static inline bool has_ended(const struct actor *a)
{
    return a->status == STATUS_ENDED || a->status == STATUS_CRASHED ||
           (a->status == STATUS_PREEMPTED && a->then == THEN_RESTART);
}

#endif
