/* See cli_http.h. */
#include "cli/cli_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

enum { MOST_CONNECTIONS = 32, SECONDS = 30 };

enum MHD_Result rh__http_reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text,
                               size_t size)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(size, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    enum MHD_Result queued = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return queued;
}

enum MHD_Result rh__http_refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    return rh__http_reply(c, status, "text/plain; charset=utf-8", why, strlen(why));
}

static bool is_own(const struct rh__http_site *s, const char *text, const char *prefix)
{
    char own[64];
    static const char *const names[] = { "127.0.0.1", "localhost" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s%s:%u", prefix, names[i], s->port);
        if (strcmp(text, own) == 0)
            return true;
    }
    return false;
}

/* Whether the request comes from a page of this server, or from no page. */
static bool is_friendly(const struct rh__http_site *s, struct MHD_Connection *c)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site");
    return host && is_own(s, host, "") && (!origin || is_own(s, origin, "http://")) &&
           (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0);
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct rh__http_site *s = arg;
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (!is_friendly(s, c))
        return rh__http_refuse(c, MHD_HTTP_FORBIDDEN, "this server answers its own page only\n");
    if (strcmp(method, "GET") != 0)
        return rh__http_refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
    return s->get(s->arg, c, url);
}

bool rh__http_take_port(int *argc, char **argv, unsigned *port)
{
    for (int i = 1; i < *argc; i++) {
        char *rest = argv[i] + strlen(argv[i]);
        if (strcmp(argv[i], "--port") != 0)
            continue;
        unsigned long n = i + 1 < *argc ? strtoul(argv[i + 1], &rest, 10) : 1ul << 20;
        if (n > 65535 || *rest)
            return false;
        *port = (unsigned)n;
        memmove(argv + i, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv); /* with the NULL behind */
        *argc -= 2;
        return true;
    }
    return true;
}

bool rh__http_run(struct rh__http_site *site)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    address.sin_port = htons((uint16_t)site->port);
    /* The thread of the server inherits that these are blocked, so that they are for this one. */
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    /* One thread: one request after the other. */
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)site->port, NULL, NULL, handle, site,
                         MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_END);
    if (!daemon) {
        rh__complain("port %u of 127.0.0.1 cannot be used: %s", site->port, strerror(errno));
        return false;
    }
    site->port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("http://127.0.0.1:%u/\n", site->port);
    fflush(stdout);
    int number;
    sigwait(&ends, &number);
    MHD_stop_daemon(daemon);
    return true;
}
