/* Small programs made from a seed that between them use all there is, for comparing explorers.
 *
 * One struct features is one program.  What an actor does next is a pure function of the program's seed, its own number
 * and its history: a hash of all that it has received, chosen and been told so far.  Each such moment is a decision,
 * known by a number; a decision that is listed in `cut` does nothing, so a program can be made smaller piece by piece
 * (oracle.h).
 *
 * Nothing here fails on purpose unless `fails` is set; runs may end stuck, or with an abnormal exit where links meet
 * ends. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_ORACLE_PROGRAM_H
#define RH_TESTS_EXPLORE_SUPPORT_ORACLE_PROGRAM_H

#include <rehearse/test.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/support/scramble.h"

/* name, text, needs: another one without which it does nothing (itself for none), whether actors do it of themselves */
#define FEATURES(X)                                                                                                    \
    X(FAN, "fan", FAN, true)                                                                                           \
    X(REPLY, "reply", REPLY, true)                                                                                     \
    X(FORWARD, "forward", FORWARD, true)                                                                               \
    X(SPAWN, "spawn", SPAWN, true)                                                                                     \
    X(BECOME, "become", BECOME, true)                                                                                  \
    X(STOP, "stop", STOP, true)                                                                                        \
    X(EXIT, "exit", EXIT, true)                                                                                        \
    X(CHOOSE, "choose", CHOOSE, true)                                                                                  \
    X(TIMER, "timer", TIMER, true)                                                                                     \
    X(ASK, "ask", ASK, true)                                                                                           \
    X(WITHIN, "within", WITHIN, true)                                                                                  \
    X(KEEP, "keep", ASK, true)                                                                                         \
    X(NAME, "name", NAME, true)                                                                                        \
    X(LINK, "link", LINK, true)                                                                                        \
    X(MONITOR, "monitor", MONITOR, true)                                                                               \
    X(TRAP, "trap", LINK, true)                                                                                        \
    X(KILL, "kill", KILL, true)                                                                                        \
    X(ALIVE, "alive", ALIVE, true)                                                                                     \
    X(TABLE, "table", TABLE, true)                                                                                     \
    X(ORDERED, "ordered", ORDERED, true)                                                                               \
    X(STORE, "store", STORE, true)                                                                                     \
    X(SYNC, "sync", STORE, true)                                                                                       \
    X(ANNOUNCE, "announce", ANNOUNCE, true)                                                                            \
    X(NOW, "now", NOW, true)                                                                                           \
    X(LATE, "late", LATE, true) /* sends only from some time on */                                                     \
    X(EVENTUALLY, "eventually", EVENTUALLY, true)                                                                      \
    X(RECEIVE, "receive", RECEIVE, true)                                                                               \
    X(SLEEP, "sleep", SLEEP, true)                                                                                     \
    X(RANDOM, "random", RANDOM, true)                                                                                  \
    X(USER, "user", USER, true)    /* sends as somebody outside */                                                     \
    X(TYPE, "type", WALKER, false) /* the rest: how processes wait */                                                  \
    X(FROM, "from", WALKER, false)                                                                                     \
    X(MATCH, "match", WALKER, false)                                                                                   \
    X(TIMEOUT, "timeout", WALKER, false)                                                                               \
    X(POLL, "poll", WALKER, false)                                                                                     \
    X(WALKER, "walker", WALKER, false)    /* there are processes */                                                    \
    X(START, "start", START, false)       /* actors that handle rh_start */                                            \
    X(OUTSIDE, "outside", OUTSIDE, false) /* first messages come from different senders */                             \
    X(TEST, "test", TEST, false)          /* the test's body goes on after its preparations */                         \
    X(BIRTH, "birth", SPAWN, true)        /* spawns, and watches from birth; those from here on came later */          \
    X(JOIN, "join", JOIN, true)                                                                                        \
    X(RETURN, "return", RETURN, true)                                                                                  \
    X(TO_NAME, "to_name", NAME, true)                                                                                  \
    X(ASSUME, "assume", ASSUME, true)                                                                                  \
    X(BODY, "body", BODY, false)         /* and does things while it makes them; others know the test */               \
    X(MIMIC, "mimic", MIMIC, true)       /* sends messages of the types that the world sends */                        \
    X(SET, "set", WALKER, false)         /* processes wait for sets: features_with_sets */                             \
    X(EXITED, "exited", WALKER, false)   /* processes wait for rh_exited: features_make_linked */                      \
    X(GATHER, "gather", GATHER, false)   /* actors take messages in sets: features_make_gathering */                   \
    X(HISTORY, "history", HISTORY, true) /* calls and returns: features_make_clients */                                \
    X(YIELD, "yield", YIELD, true)       /* lets others run: features_make_processes */

enum feature {
#define F_X(name, text, needs, acts) F_##name,
    FEATURES(F_X)
#undef F_X
        F_COUNT
};
extern const char *const feature_names[F_COUNT];
extern const enum feature feature_needs[F_COUNT];

enum { MOST_CUTS = 64, MOST_PLAYERS = 5, MOST_DECISIONS = 4096 };

struct features {
    uint64_t seed;
    uint64_t has; /* bits of enum feature; what a decision picks is picked among these */
    uint64_t off; /* bits: picked, but nothing is done */
    uint32_t actors, walkers, starts, ttl;
    uint32_t model, time, losses, duplicates, crashes, restarts, kept;
    uint32_t unopened, damaged, unstored; /* budgets: failed_opens, damaged_stores, failed_puts */
    uint32_t sure;                        /* half of the puts are synchronous */
    uint32_t shares;                      /* so many stores for all; 0: each has its own */
    uint32_t grain;                       /* granularity; 0: object */
    uint32_t may;                         /* whom faults may befall: 0 all, 1 players, 2 walkers */
    uint32_t crowd;                       /* each gets a message, and does more that others notice */
    uint32_t dead;                        /* dead letters fail */
    uint32_t still;                       /* ordered time: it stands still while a handler runs */
    uint32_t untimed;                     /* sets are awaited without a time limit */
    uint32_t busy;                        /* each does so many things more at a time */
    uint32_t kills;                       /* exit signals end processes anywhere */
    uint32_t fails;                       /* each so many-th history fails an assertion; 0: none */
    uint32_t cut_count;
    uint32_t cut[MOST_CUTS];
};

/* Where the players are spawned. */
#define PREPARATIONS "oracle_program.c:0"

/* The program that the tests `features` and `features_of_a_process` are; written only between worlds. */
extern struct features program;
/* Decisions go to the log; written only between worlds. */
extern bool program_talks;

struct decisions {
    uint32_t count;
    uint32_t list[MOST_DECISIONS];
};
/* Which decisions came up, over all runs: shared memory, so that no world knows of it; NULL where nobody asks. */
extern struct decisions *decisions;

struct mind {
    uint64_t history;
    uint32_t me, thought, mimics;
    bool child, starts, walks, took, keeps, gathers;
    rh_ref friend;
    struct rh_request kept;
    struct rh_call call; /* of a history; 0: none is open */
};

#define CONTENT                                                                                                        \
    int32_t ttl;                                                                                                       \
    uint32_t value, from;                                                                                              \
    rh_ref friend;
RH_MESSAGE(work, CONTENT);
RH_MESSAGE(note, CONTENT);
RH_MESSAGE(wrote, uint32_t value;); /* of histories */
RH_MESSAGE(found, uint32_t value;);
RH_MESSAGE(tick, CONTENT);
RH_MESSAGE(question, CONTENT);
RH_MESSAGE(answer, CONTENT);

RH_ACTOR(player, struct mind mind;);
RH_ACTOR(starter, struct mind mind;);
RH_ACTOR(gatherer, struct mind mind; uint32_t size;);
RH_PROCESS(walker, struct mind mind;);
RH_MONITOR(watcher, struct mind mind;);
RH_TABLE(shared);
RH_TABLE(counted);
RH_TABLE_ORDERED(listed);

/* Whether messages of this type have CONTENT. */
bool has_content(const struct rh_message_type *type);

#endif
