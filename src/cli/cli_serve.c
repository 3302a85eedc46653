/* See cli_serve.h.
 *
 * The server has a child, `BINARY step TEST`, and asks it over two pipes: a path of choices in, a state as one line of
 * JSON out.
 *
 * Anybody who can reach the server can run the test, so it listens on 127.0.0.1 only; and since a browser lets any page
 * send requests there, it refuses every request whose Host is not its own address (a name that was rebound), every one
 * that another origin sent, and everything but GET. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "cli/cli_serve.h"
#include "report/page_form.h"

enum { MOST_PATH = 1 << 16, MOST_CONNECTIONS = 32, SECONDS = 30, MOST_TEXT = 512 };
enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };
enum { ANSWERS = 3 }; /* the file descriptor on which the child answers */

struct server {
    FILE *ask, *answer; /* to and from the child */
    pid_t child;
    unsigned port;
    char *page;
    size_t page_size;
    char *line; /* the last answer */
    size_t line_room;
};

/* ---- the child --------------------------------------------------------------------------------------------------- */

static bool start_child(struct server *s, int argc, char **argv)
{
    int in[2], out[2];
    const char **words = calloc((size_t)argc + 2, sizeof *words);
    if (!words || pipe(in) != 0 || pipe(out) != 0)
        return false;
    words[0] = argv[0];
    words[1] = "step";
    memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
    s->child = fork();
    if (s->child == 0) {
        dup2(in[0], STDIN_FILENO);
        if (!freopen("/dev/null", "w", stdout)) /* for what the program prints */
            _exit(127);
        dup2(out[1], ANSWERS);
        for (int fd = ANSWERS + 1; fd < ANSWERS + 8; fd++)
            close(fd);
        execv(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    free((void *)words);
    close(in[0]);
    close(out[1]);
    s->ask = fdopen(in[1], "w");
    s->answer = fdopen(out[0], "r");
    return s->child > 0 && s->ask && s->answer;
}

/* The state after a path of choices, as one line of JSON; with `until` it goes on to an event that has this text.  With
 * `explorer`, what that one says when it goes on from there.  NULL if the child has gone. */
static const char *ask(struct server *s, const char *path, const char *until, const char *explorer)
{
    fprintf(s->ask, "path %s\n", path);
    if (until)
        fprintf(s->ask, "until %s\n", until);
    if (explorer)
        fprintf(s->ask, "explored %d %s\n", ANSWERS, explorer);
    else
        fprintf(s->ask, "json %d\n", ANSWERS);
    return fflush(s->ask) == 0 && getline(&s->line, &s->line_room, s->answer) > 0 ? s->line : NULL;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *type, const char *text, size_t size)
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

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    return reply(c, status, "text/plain; charset=utf-8", why, strlen(why));
}

static bool is_own(const struct server *s, const char *text, const char *prefix)
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
static bool is_friendly(const struct server *s, struct MHD_Connection *c)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");
    const char *site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site");
    return host && is_own(s, host, "") && (!origin || is_own(s, origin, "http://")) &&
           (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0);
}

/* Numbers with points between: 0.2.1 */
static bool is_path(const char *path)
{
    return strlen(path) < MOST_PATH && path[strspn(path, "0123456789.")] == 0;
}

/* One line, which is a part of the text of an event. */
static bool is_text(const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            return false;
    return n < MOST_TEXT && text[strspn(text, " ")] != 0;
}

/* The name of an explorer with options.  It cannot name a file. */
static bool is_explorer(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-:(),.= ";
    return strlen(text) < MOST_TEXT && text[strspn(text, allowed)] == 0 && text[strspn(text, " ")] != 0 &&
           !strstr(text, "replay");
}

static const char *argument(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    struct server *s = arg;
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (!is_friendly(s, c))
        return refuse(c, MHD_HTTP_FORBIDDEN, "this server answers its own page only\n");
    if (strcmp(method, "GET") != 0)
        return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET only\n");
    if (strcmp(url, "/") == 0)
        return reply(c, MHD_HTTP_OK, "text/html; charset=utf-8", s->page, s->page_size);
    bool explores = strcmp(url, "/api/explore") == 0;
    if (!explores && strcmp(url, "/api/state") != 0)
        return refuse(c, MHD_HTTP_NOT_FOUND, "no such address\n");
    const char *path = argument(c, "path"), *until = explores ? NULL : argument(c, "until");
    const char *explorer = explores ? argument(c, "explorer") : NULL;
    if (path && !is_path(path))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "path wants numbers with points between\n");
    if (until && !is_text(until))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "until wants a text of one line\n");
    if (explores && (!explorer || !is_explorer(explorer)))
        return refuse(c, MHD_HTTP_BAD_REQUEST, "explorer wants the name of an explorer\n");
    const char *answer = ask(s, path ? path : "", until, explorer);
    if (!answer)
        return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the test program has gone\n");
    return reply(c, MHD_HTTP_OK, "application/json; charset=utf-8", answer, strlen(answer));
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool make_page(struct server *s, const char *program, const char *test)
{
    FILE *f = open_memstream(&s->page, &s->page_size);
    bool good = f && rh__page_write_served(f, program, test);
    return f && fclose(f) == 0 && good;
}

/* --port N is the server's own; everything else is for `step`. */
static bool take_port(int *argc, char **argv, unsigned *port)
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

int rh__cli_serve(int argc, char **argv)
{
    static struct server s;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    unsigned port = 0;
    if (!take_port(&argc, argv, &port)) {
        rh__complain("--port wants a number up to 65535");
        return EXIT_USAGE;
    }
    if (argc < 2 || argv[1][0] == '-') {
        rh__complain("serve wants a test");
        return EXIT_USAGE;
    }
    address.sin_port = htons((uint16_t)port);
    signal(SIGPIPE, SIG_IGN);
    if (!make_page(&s, argv[0], argv[1]) || !start_child(&s, argc, argv)) {
        rh__complain("serve cannot start: %s", strerror(errno));
        return EXIT_TOOL;
    }
    if (!ask(&s, "", NULL, NULL)) { /* the child has said why */
        int status = 0;
        waitpid(s.child, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_TOOL;
    }
    /* The thread of the server inherits that these are blocked, so that they are for this one. */
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    /* One thread: one request after the other. */
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, handle, &s, MHD_OPTION_SOCK_ADDR,
                         &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS, MHD_OPTION_END);
    if (!daemon) {
        rh__complain("port %u of 127.0.0.1 cannot be used: %s", port, strerror(errno));
        fclose(s.ask);
        waitpid(s.child, NULL, 0);
        return EXIT_TOOL;
    }
    s.port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("http://127.0.0.1:%u/\n", s.port);
    fflush(stdout);
    int number;
    sigwait(&ends, &number);
    MHD_stop_daemon(daemon);
    fclose(s.ask); /* the child ends at the end of its input */
    waitpid(s.child, NULL, 0);
    fclose(s.answer);
    free(s.line);
    free(s.page);
    return 0;
}
