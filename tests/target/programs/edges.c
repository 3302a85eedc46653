/* The explorer edges(FILE, EXPLORER): what runs show of who creates whom and who sends what to whom, by types, as lines
 * of `rehearse graph`.  Linked into the examples with bitcode; tests/target/graph.sh compares. */
#include <fcntl.h>
#include <rehearse/explorer.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINES = 4096, LINE = 256 };

struct edges {
    struct rh_inner inner;
    const char *path;
    char (*lines)[LINE]; /* those that were written */
    uint32_t count;
};

static bool edges_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct edges *e = state;
    e->path = rh_arguments_text(a, "file", "");
    e->lines = rh_exploration_memory(x, MOST_LINES * LINE);
    return e->lines && rh_exploration_inner(x, a, 0, &e->inner, error, error_size);
}

static void show(struct edges *e, const char *line)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (strcmp(e->lines[i], line) == 0)
            return;
    int fd = open(e->path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (e->count == MOST_LINES || fd < 0 || write(fd, line, strlen(line)) < 0)
        _exit(3);
    close(fd);
    snprintf(e->lines[e->count++], LINE, "%s", line);
}

/* The type's name; of the test's body and of external senders, what the graph calls them. */
static const char *type_name(const struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *t = actor == RH_NONE ? NULL : rh_world_actor_type(w, actor);
    char name[256];
    rh_world_actor_name(w, actor, name, sizeof name);
    if (t && strchr(name, '#'))
        return t->name;
    return strcmp(name, "test") == 0 ? "test" : "(outside)";
}

static const char *parent_name(const struct rh_world *w, uint32_t actor)
{
    char name[256], other[256];
    rh_world_actor_name(w, actor, name, sizeof name);
    char *slash = strrchr(name, '/');
    if (!slash)
        return "test";
    *slash = '\0';
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        rh_world_actor_name(w, i, other, sizeof other);
        if (strcmp(name, other) == 0)
            return type_name(w, i);
    }
    return "?";
}

static void edges_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct edges *e = state;
    char line[LINE];
    for (uint32_t i = 0; i < rh_world_message_count(w); i++) {
        struct rh_message_info m = rh_world_message(w, i);
        if (!m.type || m.sender == RH_NONE || m.receiver == RH_NONE)
            continue;
        snprintf(line, sizeof line, "%s sends to %s: %s\n", type_name(w, m.sender), type_name(w, m.receiver),
                 m.type->name);
        show(e, line);
    }
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        const char *name = type_name(w, i);
        if (strcmp(name, "test") == 0 || strcmp(name, "(outside)") == 0)
            continue;
        snprintf(line, sizeof line, "%s creates %s\n", parent_name(w, i), name);
        show(e, line);
    }
    rh_inner_end(&e->inner, w, run);
}

static const struct rh_argument edges_arguments[] = {
    { .name = "file", .kind = RH_ARGUMENT_FILE, .required = true, .help = "gets the lines" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .required = true, .help = "makes the runs" },
    { .name = NULL },
};
static const struct rh_explorer edges = {
    .name = "edges",
    .summary = "as EXPLORER wants; writes who created whom and who sent what to whom",
    .state_size = sizeof(struct edges),
    .arguments = edges_arguments,
    .open = edges_open,
    .end = edges_end,
    .decorator = &rh_only_decorator,
};
RH_EXPLORER(edges)
