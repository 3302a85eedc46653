/* A network between a server and its clients that cuts, holds and delays (a process between two Unix sockets). */
#ifndef RH_TESTS_LINK_PROXY_H
#define RH_TESTS_LINK_PROXY_H

#include <stdbool.h>
#include <sys/types.h>

enum proxy_mode {
    PROXY_PASSES,
    PROXY_DELAYS, /* pieces arrive late */
    PROXY_HOLDS,  /* nothing arrives for now, in both directions; connections stay */
    PROXY_CUTS,   /* connections are closed in the middle of a message, new ones as well */
    PROXY_DROPS,  /* answers are swallowed: what was asked for has happened */
    PROXY_MODE_COUNT
};

struct proxy {
    pid_t pid;
    char url[160];
    volatile enum proxy_mode *mode; /* shared with the process */
    volatile unsigned *passed;      /* messages that were passed on, in both directions */
};

/* `folder`: for its socket; `server`: the path of the socket of the server. */
struct proxy proxy_started(const char *folder, const char *server);
void proxy_end(struct proxy *p);

#endif
