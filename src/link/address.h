/* Addresses of servers:
 *
 *     redis://[USER@]HOST[:PORT][/JOB]       plain; other hosts than this one only with `insecure`
 *     rediss://[USER@]HOST[:PORT][/JOB]      TLS
 *     redis+unix://[USER@]/PATH[?JOB]       a Unix socket
 *
 * An address holds no password, because others see command lines. */
#ifndef RH_LINK_ADDRESS_H
#define RH_LINK_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct rh__address {
    char host[256]; /* of a Unix socket: "" */
    char port[8];
    char path[108]; /* of a Unix socket; else "" */
    char user[64];  /* "": none */
    char job[64];
    bool tls;
};

/* False with a sentence. */
bool rh__address_parse(struct rh__address *a, const char *text, char *error, size_t error_size);
/* Whether the host is this machine, by its name or number. */
bool rh__address_is_here(const struct rh__address *a);

#endif
