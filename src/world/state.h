/* The state of a controlled world.  Private to src/world.
 *
 * Everything that a run can change is in a table of this struct, in an actor's region or stack, or in a tracked page
 * (globals, large heaps).  The log can undo every change.  Tables are changed only through put32 and put64 (log.h).
 * Regions and stacks are copied to the log before use (memory.h).  Pages are compared after each step (pages.h).
 * Messages, their bytes and events are only appended; undo truncates them by their counts.
 *
 * Tables are in memory shared with the parent process.  The log, regions and stacks are private.  No address is random:
 * all are fixed, so that a pointer in a message or a state is the same in every run and every process.
 *
 * Indices identify entries of tables; RH_NONE is no index.  Actor 0 is the test. */
#ifndef RH_WORLD_STATE_H
#define RH_WORLD_STATE_H

#include "base/hash.h"
#include "world/run_record.h"

#include "world/delivery.h"
#include "world/images.h"
#include "world/timer_budgets.h"

struct rh__pages;
struct rh__deeds;
struct world_member;

/* The next action of a preempted actor. */
enum world_then {
    THEN_GO_ON,
    THEN_END,     /* ends with `reason`; `then_what`: ENDS_... */
    THEN_CRASH,   /* crashes; `then_what` writes survive */
    THEN_RESTART, /* restarts, with its state if `then_what`; counts as ended until then */
};

/* How an actor ends. */
enum {
    ENDS,
    ENDS_BY_EXIT,  /* by its own rh_exit, at `place` */
    ENDS_UNNOTICED /* the body of the test has returned: see rh__test_is_over */
};

struct world_log_entry;

struct world_actor {
    union {
        struct rh__run_actor row;
        struct {
            RH__ACTOR_ROW
        };
    };
    char *region;                       /* state, then heap; fixed for the slot */
    void *context;                      /* context of the suspended fiber */
    void *frame;                        /* where the program's own part of its stack ends; NULL: not known */
    uint64_t found;                     /* preempted: what the call has found out in an earlier step, see objects.h */
    const struct rh_filter *filter;     /* while waiting; on the actor's own stack */
    const char *place;                  /* source place of the call that blocks the actor */
    const char *receives;               /* source place of the last receive; NULL before the first */
    uint64_t random, seed;              /* generator now, and before its first number */
    struct rh__wide hash;               /* part of the last fingerprint; 0: of none */
    struct rh__wide region_hash;        /* hash of a large region, updated word by word */
    uint64_t clock;                     /* causal: payload offset of the vector clock, 0 for none */
    int64_t now_ns;                     /* with a clock for each actor: its time, see timers.c */
    uint32_t events;                    /* number of events so far; logged together with `taken` */
    uint32_t taken;                     /* message being handled; of a process: the last one taken */
    uint32_t first_child, next_sibling; /* newest first */
    uint32_t sends;                     /* number of sends so far */
    uint32_t channels;                  /* first channel to this actor */
    uint32_t outbox;                    /* granularity send: channel of messages not yet accepted */
    uint32_t start;                     /* rh_start in transit; the actor takes nothing else before */
    uint32_t received;                  /* after `taken`: last message of rh_ask or, in a handler, of rh_receive */
    uint32_t timers;                    /* first timer, newest first */
    uint32_t wake;                      /* timer that ends the wait or sleep */
    uint32_t wait;                      /* with a clock: number of the wait or sleep that the clock ends, 0 for none */
    uint32_t waits;                     /* number of waits so far */
    uint32_t links, monitors;           /* first entry of each list */
    uint32_t watching;                  /* list of monitored actors, each until its rh_down is taken */
    uint32_t result_size;               /* size of the rh_return value for monitoring actors */
    uint64_t result;                    /* payload offset of the rh_return value */
    uint64_t set;                       /* payload offset of the last rh_receive_set, 0 for none: see sets.h */
    uint32_t set_count;                 /* number of its messages */
    uint64_t result_type;               /* type of the rh_return value, 0 for none */
    uint32_t opened;                    /* open store; RH_NONE for none */
    uint32_t store;                     /* newest write to the open store */
    uint32_t writes_open;               /* number of newest writes not yet complete */
    uint32_t tickets;                   /* write tickets issued so far */
    uint32_t operation, operations;     /* of histories: the newest call, + 1, and the number of calls */
    uint32_t used;                      /* bytes of the region in use */
    uint32_t heap;                      /* offset of the heap in the region; 0 for none yet */
    uint32_t stack;                     /* stack of the suspended fiber */
    uint32_t choices;                   /* number of alternatives in rh_choose */
    uint32_t blocked_messages;          /* messages and bytes of payload when it blocked: it can know of no others */
    uint64_t blocked_payload;
    uint32_t opening; /* the choice is the result of opening the store */
    uint32_t then, then_what;
    uint32_t trapped;   /* granularity object: `events` when it began to trap exits */
    uint32_t points;    /* number of its stops at crash points since it took a message: see crash_points.h */
    uint32_t hot_since; /* of a monitor in a hot behaviour: the event that made it hot */
    uint64_t epoch;     /* the region is in the log since this epoch; not logged */
    const struct world_log_entry *image; /* the last image of the region in the log, or NULL; follows the log */
    uint64_t stale;                      /* the round in which its hash became stale; not logged */
    uint32_t large;                      /* the region is tracked by pages: w->large */
};

enum {
    MARK_AT_ONCE = 1, /* causal: sent together with others under one number; a receiver learns of none of the others */
    MARK_OVER = 2,    /* lost to a fault; granularity object, with faults: or received */
};

struct world_message {
    union {
        struct rh__run_message row;
        struct {
            RH__MESSAGE_ROW
        };
    };
    struct rh__wide hash; /* hash of type, value, tail, sender; computed on demand, 0 before */
    int64_t sent_ns;      /* with a clock for each actor: sender's time at the send */
    uint32_t clock;       /* causal: the sender's vector clock at the send, payload offset / 16 */
    uint32_t send_number; /* causal: index among the sends of its sender, from 1 */
    uint32_t next;        /* next message in the channel */
    uint32_t request;     /* a request for a reply: the first message of a chain of forwards */
    uint32_t marks;       /* MARK_ */
    uint32_t sent_at;     /* source place of the send: see rh__sent_at */
};
_Static_assert(sizeof(struct world_message) == 128, "every step reads rows of messages: two cache lines");

/* Messages in transit from one sender to one receiver.  Under RH_MAILBOX: from all senders (sender RH_NONE).  With
 * granularity send: also the messages that a sender has sent and nobody has accepted (receiver RH_NONE). */
struct world_channel {
    struct rh__wide hash; /* part of the last fingerprint; 0: of none, or it was empty */
    uint32_t sender, receiver;
    uint32_t first, last; /* logged together */
    uint32_t next;        /* next channel to the same receiver */
    uint32_t arrived;     /* messages before this one have arrived, because a later one was taken */
    uint64_t stale;       /* as of an actor */
};

struct world_timer {
    const struct rh_message_type *type; /* NULL: the timer wakes a blocked actor */
    int64_t deadline_ns;
    uint64_t payload, name; /* payload offsets */
    uint32_t actor;
    uint32_t event;        /* event that set the timer */
    uint32_t first_set;    /* event since which a timer of this owner and name is set, perhaps anew */
    uint32_t next;         /* next timer of the same actor, or next free timer */
    uint32_t previous;     /* previous timer of the same actor; RH_NONE for the newest */
    uint32_t next_alike;   /* named timer: next with the same slot in timer_names, + 1 */
    uint32_t newer, older; /* links among all set timers */
    uint32_t clocked;      /* the clock owns the timer; operations on the clock order it */
    uint32_t budget;       /* index of the budget that it spends; RH_NONE for none */
    uint32_t wait, life;   /* if clocked: `wake` and `life` of the message to come */
    uint64_t label;        /* if clocked: owner and name for reports; payload offset */
    struct rh__wide hash;  /* hash of owner, type, value and name; computed on demand, 0 before; not logged */
    uint64_t name_hash;    /* the same of the name alone: see rh__timer_name_hash */
};

struct world_link {
    uint32_t other;
    uint32_t life; /* of a link: restarts of the other actor when it was linked */
    uint32_t next;
};

struct world_name {
    uint64_t text;
    uint32_t actor;
    uint32_t life; /* of the actor that has the name: its restarts; a later one does not have it */
    uint32_t next;
};

/* An operation of a history: see history.h. */
struct world_operation {
    const struct rh_history *history;
    const struct rh_message_type *call_type, *result_type; /* result_type NULL: it has not returned */
    uint64_t key, call, result;                            /* payload offsets */
    uint32_t actor, number;                                /* who called, and number among the calls of that actor */
    uint32_t called, returned;                             /* moments */
    uint32_t returns_before, calls_before; /* of the same object: returns before the call, calls before the return */
    uint32_t older;                        /* earlier operation of the same actor, + 1; 0 for none */
};

struct world_write {
    uint64_t key, bytes;
    uint32_t size; /* RH_NONE: the write removes the key */
    uint32_t ticket;
    uint32_t writer; /* actor to notify */
    uint32_t older;
};

struct world_store {
    uint64_t name;
    uint32_t owner, life; /* the last actor that opened the store, and its life; RH_NONE: none */
    /* While no actor has the store open: as `store` and `writes_open` in struct world_actor. */
    uint32_t newest, under_way;
    uint32_t state; /* enum rh__store_state */
    uint32_t next;
};

struct world_table {
    const struct rh_table *declared;
    uint32_t root; /* root of the tree of items: see tables.c */
    uint32_t count;
};

struct world_item {
    uint64_t key, bytes; /* payload offsets */
    uint64_t rank;       /* hash of the key; a parent has a larger rank than its children */
    uint32_t size;
    uint32_t table; /* RH_NONE for a free item */
    uint32_t left, right;
    uint32_t next; /* next free item */
};

/* A shared object that was accessed in this run. */
struct world_object {
    uint64_t object;
    uint32_t touches, writes; /* accesses so far, and those that changed it */
};

enum { PROPERTY_NAME = 96 };

/* Evaluations of a property in the run so far. */
enum world_evaluated { LAST_FALSE = 1, LAST_TRUE = 2, LAST = 3, WAS_TRUE = 4, WAS_FALSE = 8 };

struct world_property {
    char name[PROPERTY_NAME];
    const char *place;
    uint32_t kind;
    uint32_t run;          /* enum world_evaluated of the current run; undone with its steps */
    uint64_t named;        /* hash of the name: the index depends on which run came first */
    uint64_t held, failed; /* number of evaluations, including repeated steps */
};

/* The parts of the last fingerprint.  Not logged: they belong to one state, `events` and `log`. */
struct world_parts {
    struct rh__wide components; /* exclusive or of all that has a hash of its own */
    struct rh__wide scalars, timers, owed;
    struct rh__wide apart; /* of these three */
    bool others;           /* the fingerprint has further parts */
    uint32_t events;
    const char *log;
};

/* What steps did beyond their own actor, its timers and its sends, since the world began: see foretell.h.  Not logged:
 * counts are compared before and after a step. */
struct world_footprint {
    uint32_t beyond;    /* operations on what several actors share, but announcements */
    uint32_t announced; /* announcements */
    uint32_t recalled;  /* looks for a timer's message in the mailbox */
    bool timer_mail;    /* a timer's message was in a mailbox */
    bool signals;       /* there was an exit signal */
};

/* A list of choices in the table of choices.  The lists of the states on the way to the present one stay there, so that
 * they need not be made again when the run goes back. */
struct world_list {
    uint32_t from;
    uint32_t count; /* RH_NONE: the list was not known when the event was made */
};

/* A pool of indices into a table: the number of indices ever used, and the list of free indices. */
struct world_pool {
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
    MAX_OPERATIONS = 1u << 20,
    MAX_LINES = 1u << 20,
    MAX_PROPERTIES = 1u << 10,
    MAX_SHOWN = 1u << 16,
    MAX_ESCAPES = 64,
    MAX_OBJECTS = 1u << 16,
    MAX_ACCESSES = 1u << 24,
    CHANNEL_CACHE = 1024,
    MAX_OPENINGS = 64,
    MAX_LISTED = 1u << 22,     /* choices in lists that are kept */
    MAX_HOLDS = 16,            /* delays at the same time */
    SMALL_REGION = 8192,       /* larger regions are tracked by pages, others are copied whole at each step */
    SMALL_FOR_RESET = 1 << 20, /* the same without undo: a region is copied once a run, if it is used */
};

/* A delay: holds back a message, or everything that an actor does, until event number `until`. */
struct world_hold {
    uint32_t message; /* RH_NONE: the delay slows the actor */
    uint32_t actor;
    uint32_t until;
};

/* A call of rh_open: see outside.h. */
struct world_opening {
    const struct rh_message_type *type;
    rh_when_fn *when; /* NULL: any value */
    const char *here;
    uint64_t slots; /* payload offset of the values: for each send, `count` of them */
    uint32_t actor, count;
};

/* A value of a schedule, as text. */
struct world_given {
    struct world_given *next;
    char text[];
};

/* Contents of a free stack before a handler runs: see determinism.h. */
enum world_stack_fill { FILL_NOT, FILL_ZERO, FILL_PATTERN, FILL_POSITIVE };

/* Why a fiber returned control. */
enum world_yield { YIELD_DONE, YIELD_BLOCKED, YIELD_ABANDONED };

/* What a fiber does first: it runs the body of a process, or a handler. */
struct world_job {
    rh_body_fn *body; /* NULL: the handler */
    rh_handler_fn *handler;
    void *state;
    const void *value;
};

struct rh_world {
    struct rh_semantics semantics; /* with the defaults filled in */
    struct rh__delivery delivery;  /* row of the delivery model */
    const struct rh_test *test;
    const struct rh_param *params;
    size_t param_count;
    uint64_t *params_asked, *monitors_known; /* see struct rh_world_options */
    struct rh_timer_names *timer_names_seen;
    uint64_t *atomic_met;
    bool no_undo, quiet, begun;
    struct rh__deeds *deeds; /* operations are noted there; NULL: they are not */
    bool never_undoes;       /* the option no_undo: for all explorations of this world */
    bool sandboxed;          /* a parent process reads the shared tables */
    bool driven;             /* the child has completed its work */
    bool killed;             /* something outside killed the last child */
    bool tool_failed;        /* the last child ended with an internal error, and has printed it */
    int fork_errno;          /* errno if the last child could not be started */
    bool supervised;         /* the caller repeats the work of lost children: no message */
    bool can_read_stacks;    /* this process took the steps, so its stacks and regions are valid */
    bool any_faults;         /* some fault has a budget */
    bool heads_first;        /* lists of choices mostly have messages only: see enabled.c */
    /* What the start of a handler has to see to, beyond the handler.  Mostly nothing: `entry_needs`, all of it as one
     * number, is 0. */
    union {
        struct {
            bool asan;          /* the program is built with AddressSanitizer */
            bool isolates;      /* check_isolation */
            bool threaded;      /* each actor has a thread: contexts */
            bool fingerprints;  /* fingerprints are asked for */
            bool watches_twins; /* an explorer needs `told_apart` */
            uint8_t fill;       /* enum world_stack_fill: not FILL_NOT while runs are compared */
        };
        uint64_t entry_needs;
    };
    bool own_clocks; /* each actor has a clock: granularity object, or logical time */
    struct rh__timer_budget timer_budgets[RH__TIMER_BUDGETS];
    uint32_t timer_budget_count;
    bool kill_points;   /* an exit signal may end a process between two operations */
    bool looked_around; /* the program has called rh_info: reductions do not see what it depends on */
    struct {
        uintptr_t address;
        uint64_t met;
    } atomic_calls[256]; /* see atomic.c */
    bool crash_points;   /* actors may crash inside handlers: see crash_points.h */
    int64_t tick_ns;     /* logical time: increment of an actor's clock per message; else 0 */

    /* Tables. */
    struct world_actor *actors;
    struct world_channel *channels;
    uint64_t *ready;       /* bit per channel: the channel is not empty */
    uint32_t ready_logged; /* the word of `ready` that went to the log last in this epoch; RH_NONE: none */
    struct world_message *messages;
    char *payload;
    struct rh_event *events;
    uint32_t *first_sets; /* by event, of timers: see rh__run */
    struct world_timer *timers;
    uint32_t *timer_names; /* hash table by owner and name: first timer of a list, + 1 */
    struct world_link *links;
    struct world_name *names;
    struct world_write *writes;
    struct world_store *stores;
    struct world_table *tables;
    struct world_item *items;
    struct world_operation *operations;
    struct rh__run_line *lines;
    struct world_object *objects; /* open addressing */
    struct rh__access *accesses;  /* in the order of the run */
    struct world_property *properties;
    uint64_t *shown; /* hashes of abstract states, in the order of the run */
    struct rh_choice *choice_table;
    struct world_list *lists;     /* by event: the choices of the state before it; only with undo */
    struct world_member *members; /* scratch: see sets.h */
    uint32_t *stack_next;         /* list of free stacks */
    uint32_t *stale_actors, *stale_channels;
    uint32_t *monitors;              /* actors that observe announcements */
    uint64_t *check_hashes;          /* hostile build (self_check.h): by event, hash of the state before */
    uint32_t *check_meanings;        /* hostile build: by event, rh_world_fingerprint_meaning of the hash */
    struct rh_choice *check_choices; /* hostile build: the last list of choices */
    uint32_t check_choice_count;
    struct rh_choice *choices; /* the last list; in choice_table */
    uint32_t choice_capacity, choice_count;
    uint32_t lists_end;      /* in choice_table: behind the lists of the states before the present one */
    uint32_t cut_short;      /* enabled choices that the limit of steps has hidden; the list still has them */
    uint32_t choices_events; /* number of events when `choices` was filled */
    const char *choices_log; /* position of the log when `choices` was filled */

    /* Counts that the event record restores. */
    uint32_t event_count, message_count;
    uint64_t payload_at;
    uint32_t under_way; /* messages in transit */

    /* Fields that the log restores. */
    uint32_t actor_count, channel_count, line_count, monitor_count, table_count;
    uint32_t shown_count;
    uint64_t announced;                /* the last announcement: the hash of its type's name */
    uint32_t operation_count, moments; /* of histories; a moment is a call or a return */
    struct world_pool timer_pool, link_pool, name_pool, write_pool, store_pool, item_pool;
    uint32_t timer_newest; /* newest of all set timers */
    uint32_t first_name, first_store;
    uint32_t stack_free, stack_count;
    struct {
#define RH_X(field, spends, option, help) uint32_t field;
        RH_BUDGETS(RH_X)
#undef RH_X
    } left;                                  /* rest of the fault budgets */
    uint32_t timers_left[RH__TIMER_BUDGETS]; /* rest of the budgets of timers (timer_budgets.h) */
    struct world_hold holds[MAX_HOLDS];
    uint32_t held_until; /* latest end of a hold */
    struct world_opening openings[MAX_OPENINGS];
    uint32_t opening_count;
    uint32_t cut; /* bit set of the nodes on one side of a partition; 0 for none */
    uint32_t node_count;
    uint32_t chooser;        /* actor in rh_choose; RH_NONE with granularity object, where other actors may move */
    uint32_t demand;         /* what the body of a scenario waits for (enum rh__demand of scenario.h); 0: nothing */
    uint32_t demand_message; /* the message that was taken for it; RH_NONE: none yet */
    const struct rh__demanded *demanded; /* on the stack of the body */
    uint32_t news;                       /* messages in transit with `behind` set */
    uint32_t gathered; /* messages that actor `gatherer` has taken of its set, and more follow; 0: none */
    uint32_t gatherer;
    uint32_t halted; /* preempted actors and, with granularity object, choosing actors */
    uint32_t object_count, access_count;
    uint32_t over;         /* the run has ended, by a finding or by a choice */
    uint32_t loop;         /* the events from this one on repeat for ever; 0: they do not */
    uint32_t loop_monitor; /* the monitor that stays hot then, or RH__NO_MONITOR */
    uint32_t allocations;
    uint32_t writes_open; /* incomplete writes of all actors */
    int64_t now_ns;
    struct rh__wide total;       /* exclusive or of the hashes of all components at the last fingerprint */
    uint64_t hashed_log;         /* end of the log behind the last fingerprint */
    struct rh__wide tables_hash; /* hash of names, links, monitors; 0 while stale */
    struct rh__wide globals_hash;
    uint32_t kept_requests; /* the program has called rh_keep_request: a reply may come from anywhere */
    char logged_end;        /* end marker: all bytes from event_count to here are zero in a new world */

    /* Fields of the whole exploration. */
    struct world_given *given;   /* values that are offered to rh_open in addition */
    const int64_t *draw_numbers; /* numbers that are drawn in addition; see rh__world_draw_from */
    uint32_t draw_count;
    uint32_t property_count;
    char *filled_from, *filled_to;
    uint32_t handler_depth;   /* deepest measured stack use of handlers, in bytes */
    char refused[192];        /* sentence about an invalid parameter, or `no_sets`; "" for none */
    const char *no_sets;      /* why rh_receive_set is refused; NULL: it is not */
    bool no_timed_sets_only;  /* ... only with a time limit */
    char globals_writer[128]; /* name of an actor that has written a global variable; "" for none */
    bool told_apart;          /* the program has asked a question that tells alike actors apart; see alike.h */
    bool sets_used;           /* the program has called rh_receive_set, or has an actor that gathers */
    bool sets_gathered;       /* ... an actor has taken a set (RH_SETS) */
    bool sets_backwards;      /* handlers of sets run in the opposite order */
    uint64_t clock_questions; /* how often the program has asked for the time, in all runs */
    bool clock_used;          /* the program has asked for the time: the fingerprint includes the time from then on */

    struct world_footprint footprint;
    struct world_parts parts;

    /* Fields of the current step. */
    uint32_t current; /* actor whose code runs; RH_NONE for none */
    uint32_t event_sends;
    uint32_t clock;     /* ordered time with granularity object: the clock as an actor; else RH_NONE; see timers.c */
    uint32_t observing; /* monitor whose handler runs, on the announcer's stack */
    uint32_t matching;  /* actor whose receive predicate runs, on the world's stack */
    bool inside;
    uint32_t resumed_with;   /* message that ends a wait, RH_NONE for a timeout; or the chosen value */
    const char *exit_reason; /* reason of rh_exit */
    char exit_text[RH_REASON_SIZE];
    const char *exit_place;
    enum world_yield yield;
    void *back;      /* context of the world while a fiber runs */
    void *suspended; /* context of the last fiber that yielded */
    struct world_job job;
    void *asan_fake; /* AddressSanitizer's fake stack of the world while a fiber runs */
    const void *asan_bottom;
    size_t asan_size;
    uint32_t sought; /* message that rh__message_deliverable searches for */
    bool sought_found;
    uint32_t members_of, member_count; /* actor of `members`, RH_NONE if they are not known */
    bool members_hear;                 /* ... and hears exit signals */

    char name_buffers[RH_NAMES_AT_ONCE][256]; /* results of rh_name in predicates */
    uint32_t names_given;

    struct rh_outcome outcome;
    struct rh_escape escapes[MAX_ESCAPES];
    uint32_t escape_count;
    uint32_t channel_cache[CHANNEL_CACHE];

    /* Undo. */
    char *log, *log_start, *log_end;
    uint64_t epoch;
    char *baseline_log; /* end of the log after rh_world_begin */
    uint32_t baseline_messages, baseline_under_way;
    uint32_t baseline_actors, baseline_channels, baseline_writes, baseline_lines, baseline_accesses,
        baseline_operations, baseline_shown;
    uint64_t baseline_payload;
    uint32_t loaded_events; /* after loading a snapshot: undo does not reach before this event; else 1 */
    struct rh__images images;
    bool hashing;           /* component hashes are maintained */
    uint32_t hashing_since; /* number of events when `hashing` was set */
    uint32_t stale_actor_count, stale_channel_count;
    uint64_t stale_round; /* a list of stale hashes; never the same number again */

    /* Memory. */
    char *regions;
    size_t region_stride, regions_bytes;
    uint64_t region_inverse; /* 2^64 divided by the pages of a region and rounded up: see rh__region_owner */
    char *stacks;
    size_t stack_stride;
    uint32_t stacks_guarded; /* number of stacks with a guard page */
    uint32_t deepest;        /* stacks are cleaned to this depth, in bytes: see fiber.c */
    uint32_t deepest_step;   /* ... the how many-th of the depths this is */
    struct rh__pages *globals;
    uint32_t hot_pages;       /* hot pages of globals */
    uint32_t large_count;     /* number of regions that are or were large */
    struct rh__pages **large; /* by actor; NULL while the region is small; private */
    size_t table_bytes;
    struct rh_world_counts counts;
    volatile uint64_t ticks; /* ticks of the watchdog */
    struct rh__run run;      /* view of these tables; rh__world_run fills in its counts */
};

/* The current world; NULL for none.  Set by rh_world_new, cleared by rh_world_free. */
extern struct rh_world *rh__world;

/* Sets up the view of the tables (run_record.h).  The tables must exist. */
void rh__world_run_begin(struct rh_world *w);

/* References are numbers that programs are unlikely to use otherwise.  So a search for references in memory (alike.c)
 * does not mistake counters for references. */
#define REF_BASE 0x7265660000000001u

static inline rh_ref ref_of(uint32_t actor)
{
    rh_ref ref = { REF_BASE + actor };
    return ref;
}

/* Returns RH_NONE for a null reference, or for a reference that this world never gave. */
static inline uint32_t actor_of(const struct rh_world *w, rh_ref ref)
{
    return ref.id - REF_BASE < w->actor_count ? (uint32_t)(ref.id - REF_BASE) : RH_NONE;
}

/* Returns the actor whose handler or predicate runs now; RH_NONE if none does. */
static inline uint32_t code_of(const struct rh_world *w)
{
    if (!w->inside)
        return w->matching;
    return w->observing != RH_NONE ? w->observing : w->current;
}

/* With granularity object the end of the test is a separate step, like the end of any process.  The step is enabled
 * only while an actor monitors the test, has accessed its life, or is about to.  No other actor can observe the end.
 * If no actor ever does, the step is not made, and the test counts as ended. */
/* With granularity object, a dead letter that fails is found at the end of the run: then it does not matter whether the
 * message was sent before or after the end of its receiver.  So is every message that must not be left over. */
static inline bool rh__dead_letters_at_end(const struct rh_world *w)
{
    return w->semantics.dead_letters == RH_DEAD_LETTER_STRICT ||
           (w->semantics.dead_letters == RH_DEAD_LETTER_FAIL && w->semantics.granularity == RH_GRAIN_OBJECT);
}

static inline bool rh__test_is_over(const struct rh_world *w)
{
    const struct world_actor *test = &w->actors[0];
    return test->status == STATUS_PREEMPTED && test->then == THEN_END && test->then_what == ENDS_UNNOTICED;
}

static inline bool has_ended(const struct world_actor *a)
{
    return a->status == STATUS_ENDED || a->status == STATUS_CRASHED ||
           (a->status == STATUS_PREEMPTED && a->then == THEN_RESTART);
}

#endif
