/* See cli_serve_jobs.h.  The page asks for all jobs every second; this process holds the connection to the server, so
 * the browser gets no password. */
#include "cli/cli_serve_jobs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/visible.h"
#include "cli/cli_http.h"
#include "cli/cli_jobs_read.h"
#include "link/setup.h"
#include "report/json_text.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3 };

struct told {
    FILE *to;
    uint32_t count;
};

static void add_text(FILE *to, const char *key, const char *text)
{
    fprintf(to, ",\"%s\":", key);
    rh__json_text(to, text);
}

static void tell(void *arg, const struct rh__job_view *v)
{
    struct told *t = arg;
    fputs(t->count++ ? ",\n{\"name\":" : "{\"name\":", t->to);
    rh__json_text(t->to, v->name);
    add_text(t->to, "state", v->state);
    add_text(t->to, "program", v->program);
    add_text(t->to, "explorer", v->owner);
    add_text(t->to, "settings", v->settings);
    fprintf(t->to,
            ",\"silent\":%s,\"seconds\":%.3f,\"seen\":%.3f,\"runs\":%.0f,\"steps\":%.0f,\"failing\":%lld,\"open\":%lld"
            ",\"workers\":%lld,\"generation\":%lld,\"commits\":%lld,\"agents\":[",
            v->silent ? "true" : "false", v->seconds, v->seen, v->runs, v->steps, v->findings, v->open, v->workers,
            v->generation, v->commits);
    for (size_t i = 0; i < v->agents; i++) {
        fputs(i ? "," : "", t->to);
        rh__json_text(t->to, rh__job_agent(v, i));
    }
    fputs("]}", t->to);
}

/* A connection that is lost is opened again at the next request. */
static bool connected(struct rh__jobs *j)
{
    bool refused;
    if (j->failed) {
        rh__wire_close(j->server->wire);
        j->server->wire = NULL;
        j->failed = false;
    }
    if (!j->server->wire && !rh__server_connect(j->server, &refused, j->error, sizeof j->error))
        j->failed = true;
    return !j->failed;
}

static enum MHD_Result jobs(struct rh__jobs *j, struct MHD_Connection *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct told t = { f, 0 };
    if (!f)
        return rh__http_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
    fputs("{\"jobs\":[", f);
    if (connected(j))
        rh__jobs_each(j, tell, &t);
    fputs("]", f);
    if (j->failed)
        add_text(f, "error", j->error);
    fputs("}\n", f);
    enum MHD_Result done = fclose(f) == 0
                               ? rh__http_reply(c, MHD_HTTP_OK, "application/json; charset=utf-8", text, size)
                               : rh__http_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
    free(text);
    return done;
}

static enum MHD_Result get(void *arg, struct MHD_Connection *c, const char *url)
{
    const struct rh__embedded *page = rh__jobs_page_files;
    if (strcmp(url, "/") == 0)
        return rh__http_reply(c, MHD_HTTP_OK, "text/html; charset=utf-8", (const char *)page->bytes, page->size);
    if (strcmp(url, "/api/jobs") == 0)
        return jobs(arg, c);
    return rh__http_refuse(c, MHD_HTTP_NOT_FOUND, "no such address\n");
}

int rh__cli_serve_jobs(int argc, char **argv)
{
    static struct rh__server server;
    struct rh__jobs j = { .server = &server };
    struct rh__http_site site = { .get = get, .arg = &j };
    if (!rh__http_take_port(&argc, argv, &site.port)) {
        rh__complain("--port wants a number up to 65535");
        return EXIT_USAGE;
    }
    signal(SIGPIPE, SIG_IGN);
    if (!rh__setup_read(&server.setup, argc - 1, argv + 1, j.error, sizeof j.error) || !connected(&j)) {
        rh__complain("%s", j.error);
        return EXIT_USAGE;
    }
    bool good = rh__http_run(&site);
    rh__wire_close(server.wire);
    return good ? 0 : EXIT_TOOL;
}
