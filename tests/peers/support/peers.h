/* Programs after the tests of other tools, with the numbers of runs that those tests assert.
 *
 * A row names a test of the other tool, a program of ours with the same shape, and the numbers.  peer_check_all
 * explores each program with optimal and compares the numbers with the row, so that every change of the explorer shows
 * here.  If the numbers of the two tools differ, the row must say why.
 *
 * In the environment:
 *   REHEARSE_TABLE=1   print the rows as a table in Markdown, with the numbers as they are now
 *   REHEARSE_ROW=NAME  only rows of this program of ours
 *
 * The programs are processes that are functions, with one type of message. */
#ifndef RH_TESTS_PEERS_SUPPORT_PEERS_H
#define RH_TESTS_PEERS_SUPPORT_PEERS_H

#include "explore/support/runs.h"

#include <rehearse/test.h>

/* ---- programs ---------------------------------------------------------------------------------------------------- */

RH_MESSAGE_IGNORED(val, int v; int tag; rh_ref ref;);
RH_MESSAGE_IGNORED(never);
RH_MESSAGE_IGNORED(done);

struct proc;
RH_PROCESS(proc, void (*fn)(rh_ref self, struct proc *p); rh_ref a; rh_ref b; int n; int m;);

#define FN(name) static void name(RH_UNUSED rh_ref self, RH_UNUSED struct proc *p)
#define GO(...)  rh_spawn(proc, .fn = __VA_ARGS__)

/* Predicates of receives: the tag of the message; one of the tags whose bits are set. */
bool has_tag(const struct rh_envelope *m, const void *tag);
bool has_tag_in(const struct rh_envelope *m, const void *tags);

#define SEND(to, n)           rh_send(to, val, .v = n)
#define SEND_TAGGED(to, t, n) rh_send(to, val, .v = n, .tag = t)
#define SEND_REF(to, r)       rh_send(to, val, .ref = r)
#define TAKE()                rh_receive(val)
#define POLL()                rh_receive(val, .timeout_ms = RH_POLL)
#define TAKE_TAGGED(t)        rh_receive(val, .match = has_tag, .arg = &(int){ t })
#define POLL_TAGGED(t)        rh_receive(val, .match = has_tag, .arg = &(int){ t }, .timeout_ms = RH_POLL)

/* A process that does not go on: the run ends stuck, and counts as blocked. */
#define ASSUME(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            rh_receive(never);                                                                                         \
    } while (0)

/* ---- rows -------------------------------------------------------------------------------------------------------- */

enum {
    PEER_ANY = -1,  /* the other tool's test does not say */
    PEER_MANY = -2, /* more than are explored here */
    PEER_BUG = -3,  /* the other tool's test expects a failure, and no number of runs */
};

struct peer_row {
    const char *source, *program;
    int n; /* parameter n; 0 for none */
    enum rh_model model;
    int theirs, their_blocked;  /* runs that complete, and runs in which a process waits for ever */
    int before, blocked_before; /* our numbers when these programs were first compared */
    int ours, our_blocked;
    const char *reason; /* of a difference; NULL for none */
    bool total;         /* `theirs` counts all runs, also those that fail */
};

void peer_check_all(const struct peer_row *rows, size_t count);

#endif
