/* Small programs that forget: actors are automata of three moods, made from a seed, that use between them all there is.
 *
 * What an actor does with a message is a function of the seed, its number, its mood and the message.  What it learns
 * goes into its mood and into the log of the run, and nowhere else.  So different pasts lead to equal states all the
 * time, and a fingerprint that leaves out something that a later step can see is found soon: the log of the rest of the
 * run says so (futures.h).  Programs that remember their past (explore/support/oracle_program.h) rarely merge. */
#ifndef RH_TESTS_WORLD_SUPPORT_AUTOMATA_H
#define RH_TESTS_WORLD_SUPPORT_AUTOMATA_H

#include <rehearse/test.h>

#define COIN_FIELDS uint8_t ttl, value;
RH_MESSAGE(coin, COIN_FIELDS);
RH_MESSAGE(demand, COIN_FIELDS);
RH_MESSAGE(payback, COIN_FIELDS);
RH_MESSAGE(chime, COIN_FIELDS);
RH_MESSAGE(gossip, COIN_FIELDS);

/* What every automaton has.  A block of the heap has one byte. */
struct soul {
    uint8_t me, mood;
    bool keeps, child;
    uint8_t *block;
    rh_ref friend_;
    struct rh_request kept;
};

RH_ACTOR(cell, struct soul soul;);
RH_ACTOR(riser, struct soul soul;);
RH_PROCESS(strider, struct soul soul;);
RH_MONITOR(onlooker, uint8_t mood;);
RH_TABLE(board);
RH_TABLE_ORDERED(list_);

/* X(name): what an actor can do. */
#define DEEDS(X)                                                                                                       \
    X(SEND)                                                                                                            \
    X(FAN)                                                                                                             \
    X(TAIL)                                                                                                            \
    X(REPLY)                                                                                                           \
    X(FORWARD)                                                                                                         \
    X(KEEP)                                                                                                            \
    X(ASK)                                                                                                             \
    X(WITHIN)                                                                                                          \
    X(SPAWN)                                                                                                           \
    X(BECOME)                                                                                                          \
    X(STOP)                                                                                                            \
    X(EXIT)                                                                                                            \
    X(RETURN)                                                                                                          \
    X(KILL)                                                                                                            \
    X(CHOOSE)                                                                                                          \
    X(TIMER)                                                                                                           \
    X(SLEEP)                                                                                                           \
    X(NOW)                                                                                                             \
    X(NAME)                                                                                                            \
    X(TO_NAME)                                                                                                         \
    X(LINK)                                                                                                            \
    X(TRAP)                                                                                                            \
    X(MONITOR)                                                                                                         \
    X(ALIVE)                                                                                                           \
    X(JOIN)                                                                                                            \
    X(TABLE)                                                                                                           \
    X(ORDERED)                                                                                                         \
    X(STORE)                                                                                                           \
    X(SYNC)                                                                                                            \
    X(ANNOUNCE)                                                                                                        \
    X(EVENTUALLY)                                                                                                      \
    X(RECEIVE)                                                                                                         \
    X(SET)                                                                                                             \
    X(RANDOM)                                                                                                          \
    X(USER)                                                                                                            \
    X(HEAP)                                                                                                            \
    X(GLOBAL)                                                                                                          \
    X(FAIL)                                                                                                            \
    X(OPEN)

enum deed {
#define DEED_X(name) DEED_##name,
    DEEDS(DEED_X)
#undef DEED_X
        DEED_COUNT
};

enum { AUTOMATA_MOST = 4 };

struct automata {
    uint64_t seed;
    enum deed deeds[6]; /* what its actors do, besides sending */
    uint32_t deed_count;
    uint32_t cells, walkers, starts, ttl; /* cells and walkers together: at most AUTOMATA_MOST */
    uint32_t body;                        /* how many things the test's body does of its own */
    bool rises;                           /* cells handle rh_start */
    struct rh_semantics semantics;
};

/* The program that the test `automata` is; written only between worlds. */
extern struct automata automata;

void automata_make(struct automata *p, uint64_t seed);
/* The same, smaller; false if there is nothing smaller. */
bool automata_shrink(struct automata *p);
void automata_write(const struct automata *p, char *text, size_t size);

#endif
