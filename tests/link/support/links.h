/* A link in a process of its own, as in the command. */
#ifndef RH_TESTS_LINK_LINKS_H
#define RH_TESTS_LINK_LINKS_H

#include "link/support/servers.h"

struct test_link {
    pid_t pid;
    int fd; /* the end of the test program */
};

/* `job`: with this process in its name, so that tests do not meet. */
struct test_link link_started(const struct test_server *s, const char *job, bool explorer);
/* Waits until it has ended. */
void link_end(struct test_link *l);

#endif
