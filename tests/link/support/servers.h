/* A redis-server of a test: on a Unix socket in a folder of its own, without a port, ended by its process id. */
#ifndef RH_TESTS_LINK_SERVERS_H
#define RH_TESTS_LINK_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

struct test_server {
    pid_t pid;
    char folder[64], url[160]; /* the address, without a job */
    const char *more;          /* lines of its configuration */
};

/* Whether redis-server is installed. */
bool server_is_installed(void);
/* Fails the test if the server does not start.  `more`: lines of its configuration, or "". */
struct test_server server_started(const char *more);
void server_end(struct test_server *s);
/* Kills it; begins it again, with the files that are in its folder. */
void server_kill(struct test_server *s);
void server_begin_again(struct test_server *s);

#endif
