/* See cli_serve.h.
 *
 * The server has a child, `BINARY step TEST`, and asks it over two pipes: a path of choices in, a state as one line of
 * JSON out. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "cli/cli_http.h"
#include "cli/cli_serve.h"
#include "report/page_form.h"

enum { MOST_PATH = 1 << 16, MOST_TEXT = 512 };
enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };
enum { ANSWERS = 3 }; /* the file descriptor on which the child answers */

struct server {
    FILE *ask, *answer; /* to and from the child */
    pid_t child;
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

static enum MHD_Result get(void *arg, struct MHD_Connection *c, const char *url)
{
    struct server *s = arg;
    if (strcmp(url, "/") == 0)
        return rh__http_reply(c, MHD_HTTP_OK, "text/html; charset=utf-8", s->page, s->page_size);
    bool explores = strcmp(url, "/api/explore") == 0;
    if (!explores && strcmp(url, "/api/state") != 0)
        return rh__http_refuse(c, MHD_HTTP_NOT_FOUND, "no such address\n");
    const char *path = argument(c, "path"), *until = explores ? NULL : argument(c, "until");
    const char *explorer = explores ? argument(c, "explorer") : NULL;
    if (path && !is_path(path))
        return rh__http_refuse(c, MHD_HTTP_BAD_REQUEST, "path wants numbers with points between\n");
    if (until && !is_text(until))
        return rh__http_refuse(c, MHD_HTTP_BAD_REQUEST, "until wants a text of one line\n");
    if (explores && (!explorer || !is_explorer(explorer)))
        return rh__http_refuse(c, MHD_HTTP_BAD_REQUEST, "explorer wants the name of an explorer\n");
    const char *answer = ask(s, path ? path : "", until, explorer);
    if (!answer)
        return rh__http_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the test program has gone\n");
    return rh__http_reply(c, MHD_HTTP_OK, "application/json; charset=utf-8", answer, strlen(answer));
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool make_page(struct server *s, const char *program, const char *test)
{
    FILE *f = open_memstream(&s->page, &s->page_size);
    bool good = f && rh__page_write_served(f, program, test);
    return f && fclose(f) == 0 && good;
}

int rh__cli_serve(int argc, char **argv)
{
    static struct server s;
    struct rh__http_site site = { .get = get, .arg = &s };
    if (!rh__http_take_port(&argc, argv, &site.port)) {
        rh__complain("--port wants a number up to 65535");
        return EXIT_USAGE;
    }
    if (argc < 2 || argv[1][0] == '-') {
        rh__complain("serve wants a test");
        return EXIT_USAGE;
    }
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
    bool good = rh__http_run(&site);
    fclose(s.ask); /* the child ends at the end of its input */
    waitpid(s.child, NULL, 0);
    fclose(s.answer);
    free(s.line);
    free(s.page);
    return good ? 0 : EXIT_TOOL;
}
