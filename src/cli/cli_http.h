/* A server for one page on this machine.
 *
 * Anybody who can reach it can use it, so it listens on 127.0.0.1 only; and since a browser lets any page send requests
 * there, it refuses every request whose Host is not its own address (a name that was rebound), every one that another
 * origin sent, and everything but GET. */
#ifndef RH_CLI_HTTP_H
#define RH_CLI_HTTP_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

struct rh__http_site {
    /* Answers a request for `url` by rh__http_reply or rh__http_refuse; one request after the other. */
    enum MHD_Result (*get)(void *arg, struct MHD_Connection *c, const char *url);
    void *arg;
    unsigned port;
};

enum MHD_Result rh__http_reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text,
                               size_t size);
enum MHD_Result rh__http_refuse(struct MHD_Connection *c, unsigned status, const char *why);

/* --port N is the server's own; it is taken out of the words behind the first.  False if N is no port. */
bool rh__http_take_port(int *argc, char **argv, unsigned *port);
/* Prints the address and answers until the process is asked to end.  `site->port` 0: any.  False, with a sentence, if
 * the port cannot be used. */
bool rh__http_run(struct rh__http_site *site);

#endif
