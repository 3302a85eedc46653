/* See concrete.h. */
#include "target/concrete.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "target/concrete_failures.h"
#include "target/constants.h"

enum { PATH = 512 };

/* ---- files between the processes --------------------------------------------------------------------------------- */

static char *in_folder(const struct rh__concrete *c, const char *name, char *buffer)
{
    snprintf(buffer, PATH, "%s/%s", c->folder, name);
    return buffer;
}

static bool write_numbers(const struct rh__concrete *c, const struct rh__program *p)
{
    enum { MOST = 256 };
    int64_t numbers[MOST];
    char path[PATH];
    uint32_t count = rh__constants_of(p, numbers, MOST);
    FILE *f = fopen(in_folder(c, "numbers", path), "w");
    for (uint32_t i = 0; f && i < count; i++)
        fprintf(f, "%" PRId64 "\n", numbers[i]);
    return f && fclose(f) == 0;
}

bool rh__concrete_prepare(struct rh__concrete *c, const struct rh__program *p, char *error, size_t error_size)
{
    if (write_numbers(c, p))
        return true;
    snprintf(error, error_size, "%s cannot be written: %s", c->folder, strerror(errno));
    return false;
}

bool rh__concrete_open(struct rh__concrete *c, const struct rh__program *p, char *error, size_t error_size)
{
    const char *base = getenv("TMPDIR");
    snprintf(c->folder, sizeof c->folder, "%s/rehearse-target-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(c->folder))
        return rh__concrete_prepare(c, p, error, error_size);
    snprintf(error, error_size, "%s cannot be made: %s", c->folder, strerror(errno));
    c->folder[0] = 0;
    return false;
}

void rh__concrete_close(struct rh__concrete *c)
{
    char path[PATH];
    DIR *folder = c->folder[0] ? opendir(c->folder) : NULL;
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (e->d_name[0] != '.')
            unlink(in_folder(c, e->d_name, path));
    if (folder)
        closedir(folder);
    if (c->folder[0])
        rmdir(c->folder);
    c->folder[0] = 0;
}

char *rh__concrete_read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t size = 0, room = 1 << 16, got = 1;
    char *bytes = malloc(room + 1);
    RH__ASSERT(bytes, "no memory for %s", path);
    while (f && got) {
        if (size == room) {
            bytes = realloc(bytes, (room *= 2) + 1);
            RH__ASSERT(bytes, "no memory for %s", path);
        }
        got = fread(bytes + size, 1, room - size, f);
        size += got;
    }
    if (f)
        fclose(f);
    bytes[size] = 0;
    return bytes;
}

/* ---- running the program ----------------------------------------------------------------------------------------- */

/* Executes the program; its output is dropped, and its errors are kept in a file.  Returns its exit code, 255 if it was
 * ended by a signal. */
static int execute(const struct rh__concrete *c, const char *const *words)
{
    char errors[PATH];
    int status;
    in_folder(c, "errors", errors);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int out = open("/dev/null", O_RDWR), err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 0);
        dup2(out, 1);
        dup2(err, 2);
        execv(words[0], (char *const *)words);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 255;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* What an exploration came to: from the program's JSON, which has no white space. */
struct came_to {
    int code;
    uint64_t runs;
    bool every_run; /* exhaustive, and nothing was out of control */
    bool is_open;   /* messages come from outside */
};

static double number_of(const char *json, const char *name)
{
    const char *at = strstr(json, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

static void read_json(const struct rh__concrete *c, struct came_to *t)
{
    char path[PATH];
    char *json = rh__concrete_read_file(in_folder(c, "json", path));
    t->runs = (uint64_t)number_of(json, "\"executions\":");
    t->is_open = number_of(json, "\"outside\":") != 0;
    t->every_run = strstr(json, "\"verdict\":\"exhaustive\"") && strstr(json, "\"incomplete\":false") &&
                   strstr(json, "\"escapes\":[]") && strstr(json, "\"deterministic\":true");
    free(json);
}

/* `wish`: an argument of the explorer, or "". */
static struct came_to explore(struct rh__concrete *c, const char *explorer, const char *wish, uint64_t seed,
                              double seconds)
{
    char record[PATH], wanted[PATH], numbers[PATH], json[PATH], expression[4 * PATH], seed_text[32], seconds_text[32];
    const char *words[RH__CONCRETE_WORDS + 24] = { c->program, "test", c->test };
    struct came_to t = { .code = 255 };
    uint32_t n = 3;
    snprintf(expression, sizeof expression, "reach(\"%s\", wanted=\"%s\", numbers=\"%s\", %s%s)",
             in_folder(c, "record", record), in_folder(c, "wanted", wanted), in_folder(c, "numbers", numbers), wish,
             explorer);
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    snprintf(seconds_text, sizeof seconds_text, "%g", seconds);
    in_folder(c, "json", json);
    const char *own[] = { "--explorer", expression, "--keep-going",  "--quiet",    "--seed", seed_text, "--no-minimise",
                          "--json",     json,       "--max-seconds", seconds_text, "--save", c->folder };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        words[n++] = own[i];
    for (uint32_t i = 0; i < c->word_count; i++)
        words[n++] = c->words[i];
    unlink(record);
    unlink(json);
    t.code = execute(c, words);
    read_json(c, &t);
    c->runs += t.runs;
    return t;
}

/* ---- what was reached -------------------------------------------------------------------------------------------- */

static bool write_wanted(const struct rh__concrete *c, const struct rh__goals *g)
{
    char path[PATH];
    FILE *f = fopen(in_folder(c, "wanted", path), "w");
    for (uint32_t i = 0; f && i < g->count; i++)
        for (uint32_t k = 0; k < g->at[i].block_count && g->at[i].status == RH__GOAL_OPEN; k++)
            fprintf(f, "%u\n", g->at[i].blocks[k]);
    return f && fclose(f) == 0;
}

/* The schedule up to the line of choice `choices`, without comments.  It begins at `from`. */
static char *cut_schedule(const char *from, const char *end, uint32_t choices)
{
    char *text = malloc((size_t)(end - from) + 1), *to = text;
    RH__ASSERT(text, "no memory for a schedule");
    bool head = true; /* which a comment ends, `# N events` */
    for (const char *at = from, *next; at < end && (head || choices); at = next) {
        next = strchr(at, '\n') + 1;
        if (*at == '#') {
            head = false;
            continue;
        }
        choices -= !head;
        memcpy(to, at, (size_t)(next - at));
        to += next - at;
    }
    *to = 0;
    return text;
}

char *rh__concrete_cut(const char *from, uint32_t choices)
{
    return cut_schedule(from, from + strlen(from), choices);
}

struct reading {
    struct rh__goals *goals;
    enum rh__stage stage;
    const char *how, *from, *end; /* the schedule that is being read */
    uint32_t found;
};

static void reach(struct reading *r, uint32_t block, uint32_t event, bool has_schedule)
{
    for (uint32_t i = 0; i < r->goals->count; i++) {
        struct rh__goal *x = &r->goals->at[i];
        uint32_t k = 0;
        while (k < x->block_count && x->blocks[k] != block)
            k++;
        if (k == x->block_count || x->status != RH__GOAL_OPEN)
            continue;
        x->ran = true;
        if (!has_schedule)
            continue;
        x->schedule = cut_schedule(r->from, r->end, event);
        x->block = block;
        x->choices = event;
        rh__goals_settle(r->goals, x, RH__GOAL_REACHED, r->stage, r->how);
        r->found++;
    }
}

/* Reads the records of the explorer `reach`; a line that is cut short is the last one. */
static uint32_t read_record(const struct rh__concrete *c, struct rh__goals *g, enum rh__stage stage, const char *how,
                            uint32_t most_events)
{
    char path[PATH];
    char *text = rh__concrete_read_file(in_folder(c, "record", path));
    struct reading r = { .goals = g, .stage = stage, .how = how };
    for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1) {
        uint32_t block, event;
        if (strncmp(line, "rehearse schedule", 17) == 0)
            r.from = line;
        else if (sscanf(line, "# reached %" SCNu32 " %" SCNu32, &block, &event) == 2 && r.from && event <= most_events)
            reach(&r, block, event, true);
        else if (sscanf(line, "# ran %" SCNu32, &block) == 1)
            reach(&r, block, 0, false);
        if (line[0] != '#' || strncmp(line, "# reached", 9) != 0)
            r.end = next + 1;
    }
    free(text);
    return r.found;
}

/* Every distinct run was made, and these did not run. */
static void exclude_rest(struct rh__goals *g, uint64_t runs)
{
    char why[128];
    snprintf(why, sizeof why, "optimal made every distinct run of the test (%" PRIu64 ")", runs);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->at[i].status == RH__GOAL_OPEN && !g->at[i].ran)
            rh__goals_settle(g, &g->at[i], RH__GOAL_UNREACHABLE, RH__STAGE_OPTIMAL, why);
}

/* ---- the explorations -------------------------------------------------------------------------------------------- */

static bool is_open(const struct rh__goals *g)
{
    return rh__goals_with(g, RH__GOAL_OPEN) != 0;
}

static bool refuse(const struct rh__concrete *c, const char *doing, char *error, size_t error_size)
{
    char path[PATH];
    char *errors = rh__concrete_read_file(in_folder(c, "errors", path));
    errors[strcspn(errors, "\n")] = 0;
    const char *said = strncmp(errors, "rehearse: ", 10) == 0 ? errors + 10 : errors;
    snprintf(error, error_size, "%s could not %s%s%s", c->program, doing, *said ? ": " : "", said);
    free(errors);
    return false;
}

/* One exploration; false if the program refused it. */
static bool try(struct rh__concrete *c, struct rh__goals *g, const char *explorer, uint64_t seed, double seconds,
                struct came_to *t)
{
    enum rh__stage stage = strcmp(explorer, "optimal") == 0 ? RH__STAGE_OPTIMAL : RH__STAGE_SAMPLERS;
    char path[PATH];
    char how[128];
    if (!write_wanted(c, g))
        return false;
    snprintf(how, sizeof how, "%s, seed %" PRIu64, explorer, seed);
    if (c->doing)
        c->doing(c->doing_arg, how);
    *t = explore(c, explorer, "", seed, seconds);
    char *json = rh__concrete_read_file(in_folder(c, "json", path));
    rh__concrete_keep_failures(c, json);
    free(json);
    read_record(c, g, stage, how, UINT32_MAX);
    return t->code == 0 || t->code == 1;
}

/* An exploration of the rest of the time, with other seeds: other orders and, from outside, other values. */
static void try_other_seeds(struct rh__concrete *c, struct rh__goals *g, double seconds)
{
    static const char *const explorers[] = { "random", "cover", "delayed" };
    enum { SLICES = 6 };
    struct came_to t;
    for (uint32_t i = 0; i < SLICES && is_open(g) && !c->interrupted; i++) {
        if (!try(c, g, explorers[i % 3], c->seed + 1 + i, seconds / SLICES, &t))
            return;
    }
}

bool rh__concrete_explore(struct rh__concrete *c, struct rh__goals *g, char *error, size_t error_size)
{
    struct came_to t;
    if (!is_open(g))
        return true;
    if (!try(c, g, "random", c->seed, c->seconds / 20, &t) && !c->interrupted)
        return refuse(c, "explore the test", error, error_size);
    bool closed = !t.is_open;
    c->is_open = t.is_open;
    if (closed && is_open(g) && !c->interrupted && try(c, g, "optimal", c->seed, c->seconds * 9 / 20, &t) &&
        t.every_run)
        exclude_rest(g, t.runs);
    return true;
}

bool rh__concrete_look(struct rh__concrete *c, char *error, size_t error_size)
{
    char path[PATH];
    FILE *f = fopen(in_folder(c, "wanted", path), "w");
    if (!f || fclose(f) != 0) {
        snprintf(error, error_size, "%s cannot be written: %s", c->folder, strerror(errno));
        return false;
    }
    struct came_to t = explore(c, "random", "worlds=1, ", c->seed, c->seconds);
    c->is_open = t.is_open;
    return t.code == 0 || t.code == 1 || c->interrupted || refuse(c, "explore the test", error, error_size);
}

void rh__concrete_explore_more(struct rh__concrete *c, struct rh__goals *g)
{
    try_other_seeds(c, g, c->seconds * 6 / 20);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

void rh__concrete_states(struct rh__concrete *c, uint32_t block, uint32_t most, uint64_t seed, double seconds,
                         void (*add)(void *arg, char *schedule_kept, const char *state, const char *message), void *arg)
{
    char path[PATH];
    FILE *f = fopen(in_folder(c, "wanted", path), "w");
    if (!f || fprintf(f, "%u\n", block) < 0 || fclose(f) != 0)
        return;
    char wish[32];
    snprintf(wish, sizeof wish, "states=%u, ", most);
    explore(c, "random", wish, seed, seconds);
    char *text = rh__concrete_read_file(in_folder(c, "record", path)), *from = NULL, *end = NULL;
    for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1) {
        uint32_t number, event;
        int at = 0;
        if (strncmp(line, "rehearse schedule", 17) == 0)
            from = line;
        if (*line != '#')
            end = next + 1;
        sscanf(line, "# state %" SCNu32 " %" SCNu32 " %n", &number, &event, &at);
        char *message = at && from ? strchr(line + at, ' ') : NULL;
        if (message && message < next && number == block)
            add(arg, cut_schedule(from, end, event), line + at, message + 1);
    }
    free(text);
}

uint32_t rh__concrete_also(struct rh__concrete *c, struct rh__goals *g, const struct rh__goal *x)
{
    char path[PATH], expression[PATH + 32], how[256], error[256];
    if (!write_wanted(c, g) ||
        !rh__file_write(in_folder(c, "also", path), x->schedule, strlen(x->schedule), error, sizeof error))
        return 0;
    snprintf(expression, sizeof expression, "replay(\"%s\")", path);
    explore(c, expression, "", c->seed, 0.2);
    snprintf(how, sizeof how, "%s for %s", x->how, x->place);
    return read_record(c, g, x->stage, how, x->choices);
}

char *rh__concrete_fitting(struct rh__concrete *c, const char *schedule)
{
    char path[PATH], expression[PATH + 32], error[256];
    if (!rh__file_write(in_folder(c, "fits", path), schedule, strlen(schedule), error, sizeof error))
        return NULL;
    snprintf(expression, sizeof expression, "replay(\"%s\")", path);
    explore(c, expression, "", c->seed, 0.2);
    char *json = rh__concrete_read_file(in_folder(c, "json", path)), *fits = strdup(schedule), *end = fits;
    RH__ASSERT(fits, "no memory for a schedule");
    double wrong = number_of(json, "\"stale\":\"line ");
    for (double line = 1; line < wrong && strchr(end, '\n'); line++)
        end = strchr(end, '\n') + 1;
    if (wrong < 1) { /* it fits, and does not lead there: the last choice is another one */
        end = fits + strlen(fits);
        while (end > fits && end[-1] == '\n')
            end--;
        while (end > fits && end[-1] != '\n')
            end--;
    }
    *end = 0;
    free(json);
    return fits;
}

char *rh__concrete_worlds(struct rh__concrete *c, const struct rh__goals *g, const char *prefix, uint32_t after,
                          uint32_t most, uint32_t each, uint64_t seed, double seconds)
{
    char path[PATH], wish[80], explorer[PATH + 32] = "random", error[256];
    if (!write_wanted(c, g))
        return NULL;
    if (prefix) {
        if (!rh__file_write(in_folder(c, "prefix", path), prefix, strlen(prefix), error, sizeof error))
            return NULL;
        snprintf(explorer, sizeof explorer, "replay(\"%s\", random)", path);
    }
    snprintf(wish, sizeof wish, "worlds=%u, after=%u, each=%u, ", most, after, each);
    explore(c, explorer, wish, seed, seconds);
    return rh__concrete_read_file(in_folder(c, "record", path));
}

/* ---- confirmation ------------------------------------------------------------------------------------------------ */

static uint32_t lines_in(const char *text)
{
    uint32_t n = 0;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

/* Whether the schedule takes the message of `outside n`. */
static bool is_taken(const char *schedule, uint32_t n)
{
    char taken[48];
    int size = snprintf(taken, sizeof taken, " from outside %u", n);
    for (const char *at = schedule; (at = strstr(at, taken)); at++)
        if (at[size] == '\n')
            return true;
    return false;
}

/* The schedule without messages from outside that nobody takes; the others get new numbers.  It may be another run, so
 * it must be replayed.  The caller frees it. */
static char *shortened(const char *schedule)
{
    char *text = calloc(strlen(schedule) + 1, 1), *to = text;
    uint32_t numbers[4096] = { 0 }, count = 0;
    RH__ASSERT(text, "no memory for a schedule");
    for (const char *line = schedule, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        uint32_t n = 0;
        int at = 0;
        const char *from = strstr(line, " from outside ");
        bool sends = sscanf(line, "outside %" SCNu32 " sends%n", &n, &at) == 1 && at;
        if (sends && n < 4096 && !is_taken(schedule, n))
            continue;
        if (sends && n < 4096) {
            numbers[n] = ++count;
            to += sprintf(to, "outside %u%.*s\n", count, (int)(end - strstr(line, " sends")), strstr(line, " sends"));
        } else if (from && from < end && sscanf(from, " from outside %" SCNu32, &n) == 1 && n < 4096 && numbers[n])
            to += sprintf(to, "%.*s from outside %u\n", (int)(from - line), line, numbers[n]);
        else
            to += sprintf(to, "%.*s\n", (int)(end - line), line);
    }
    return text;
}

static bool replays(const struct rh__concrete *c, const char *path, const struct rh__goal *x, const char *reaches,
                    char *error, size_t error_size)
{
    size_t room = strlen(x->schedule) + 512;
    char *text = malloc(room);
    RH__ASSERT(text, "no memory for a schedule");
    int size = snprintf(text, room, "%sreaches %s\n", x->schedule, reaches);
    bool good = rh__file_write(path, text, (size_t)size, error, error_size);
    free(text);
    const char *words[] = { c->program, "replay", path, "--quiet", NULL };
    int code = good ? execute(c, words) : 2;
    if (good && code != 0 && code != 1)
        snprintf(error, error_size, "the replay of its schedule does not reach it (exit %d)", code);
    return good && (code == 0 || code == 1);
}

bool rh__concrete_replays(struct rh__concrete *c, const struct rh__goal *x, char *error, size_t error_size)
{
    char block[32], path[PATH];
    snprintf(block, sizeof block, "block %u", x->block);
    return replays(c, in_folder(c, "schedule", path), x, block, error, error_size);
}

bool rh__concrete_confirm(struct rh__concrete *c, struct rh__goal *x, const char *path, char *error, size_t error_size)
{
    char *all = x->schedule;
    x->schedule = shortened(all);
    if (rh__concrete_replays(c, x, error, error_size)) {
        x->choices -= lines_in(all) - lines_in(x->schedule);
        free(all);
    } else {
        free(x->schedule);
        x->schedule = all;
        if (!rh__concrete_replays(c, x, error, error_size))
            return false;
    }
    return replays(c, path, x, x->place, error, error_size);
}
