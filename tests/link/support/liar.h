/* A server that lies: a process between a server and its clients, which reads each answer as a tree and sends another
 * one now and then.  What is sent may be a well-formed answer that makes no sense, or one of before, or none. */
#ifndef RH_TESTS_LINK_LIAR_H
#define RH_TESTS_LINK_LIAR_H

#include <stdint.h>
#include <sys/types.h>

#define LIES(X)                                                                                                        \
    X(type)    /* a part of another type */                                                                            \
    X(number)  /* another number: 0, -1, the largest, the least, one more */                                           \
    X(text)    /* another text: empty, long, bytes at random, a part of another answer */                              \
    X(shorter) /* parts are left out */                                                                                \
    X(longer)  /* parts are there twice */                                                                             \
    X(earlier) /* an answer of before, perhaps to another question: old values, leases of others */                    \
    X(error)   /* an error of the server: it loads, is busy, has no memory, has lost the script */                     \
    X(huge)    /* parts or bytes are announced that do not come */                                                     \
    X(nested)  /* deeper than any answer is */                                                                         \
    X(silent)  /* no answer: the connection stays */                                                                   \
    X(cut)     /* half an answer, and the connection is closed */                                                      \
    X(info)    /* the answer to INFO only: the texts of `info_was` are replaced by `info_is` */

enum lie {
#define X(name) LIE_##name,
    LIES(X)
#undef X
        LIE_COUNT
};

struct liar {
    pid_t pid;
    char url[160];
    volatile unsigned *told; /* shared: how many lies were told */
};

struct lies {
    unsigned kinds;  /* bits of enum lie */
    unsigned one_in; /* answers */
    unsigned most;   /* then it is honest */
    uint64_t seed;
    const char *info_was, *info_is;
};

/* `folder`: for its socket; `server`: the path of the socket of the server. */
struct liar liar_started(const char *folder, const char *server, const struct lies *lies);
void liar_end(struct liar *l);
const char *lie_name(enum lie kind);

#endif
