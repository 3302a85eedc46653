/* See checkpoint.h. */
#include "cluster/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "explore/measure.h"
#include "trace/schedule.h"
#include "world/state.h"

static const char head[] = "rehearse checkpoint 1\n";
enum { HEAD = sizeof head - 1, FRONT = HEAD + 16 };

static bool say_errno(const char *path, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    return false;
}

/* ---- what it belongs to ------------------------------------------------------------------------------------------------ */

static bool hash_program(uint64_t *hash, char *error, size_t error_size)
{
    static const char path[] = "/proc/self/exe";
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &s) == 0)
        bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        say_errno(path, error, error_size);
    else {
        *hash = rh__hash(bytes, (size_t)s.st_size, 0);
        munmap(bytes, (size_t)s.st_size);
    }
    if (fd >= 0)
        close(fd);
    return bytes != MAP_FAILED;
}

/* A name or value may hold anything, a new line too. */
static void add_quoted(struct rh__text *t, const char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\\')
            rh__text_add(t, *text == '\n' ? "\\n" : "\\\\");
        else
            rh__text_put(t, text, 1);
}

bool rh__checkpoint_binding(const struct rh_exploration *x, const char *explorer, char *text, size_t size, char *error,
                            size_t error_size)
{
    const struct rh_world *w = x->world;
    struct rh__text t;
    uint64_t hash;
    if (!hash_program(&hash, error, error_size))
        return false;
    rh__text_init(&t, text, size);
    rh__text_add(&t, "program with hash %016llx\ntest %s\nexplorer ", (unsigned long long)hash, w->test->name);
    add_quoted(&t, explorer);
    rh__text_add(&t, "\nseed %llu\n", (unsigned long long)x->seed);
    rh__semantics_write(&w->semantics, &w->test->semantics, &t);
    for (size_t i = 0; i < w->param_count; i++) {
        rh__text_add(&t, "parameter ");
        add_quoted(&t, w->params[i].name);
        rh__text_add(&t, "=");
        add_quoted(&t, w->params[i].value);
        rh__text_add(&t, "\n");
    }
    for (uint32_t i = 0; x->measure && i < RH__CRITERION_COUNT; i++)
        if (x->measure->coverage->criteria >> i & 1)
            rh__text_add(&t, "coverage %s\n", rh__criterion_name(i));
    if (t.cut)
        snprintf(error, error_size, "parameters and settings are too long for a checkpoint");
    return !t.cut;
}

/* The first line that differs. */
static void say_other(const char *path, const char *there, const char *here, char *error, size_t error_size)
{
    for (;;) {
        int a = (int)strcspn(there, "\n"), b = (int)strcspn(here, "\n");
        if (a != b || strncmp(there, here, (size_t)a) != 0) {
            snprintf(error, error_size, "%s is a checkpoint of something else: it has \"%.*s\" where this is \"%.*s\"",
                     path, a > 200 ? 200 : a, there, b > 200 ? 200 : b, here);
            return;
        }
        there += a + (there[a] == '\n');
        here += b + (here[b] == '\n');
    }
}

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

bool rh__checkpoint_write(struct rh__kept *file, const char *binding, const struct rh_exploration *x,
                          const struct rh__told *before, struct rh__queue *q, double seconds, char *error,
                          size_t error_size)
{
    struct rh__writer w = rh__writer_new(), sums = rh__writer_new();
    unsigned char front[FRONT] = { 0 };
    rh__sums_write(&sums, x, before);
    rh__put(&w, front, sizeof front);
    rh__put_text(&w, binding);
    rh__put_double(&w, seconds);
    rh__put_block(&w, sums.at, sums.len);
    q->table->snapshot(q->state, &w);
    bool good = !w.full && !sums.full;
    if (!good)
        snprintf(error, error_size, "%s: no memory for a checkpoint", file->path);
    else {
        uint64_t size = w.len - FRONT, hash = rh__hash(w.at + FRONT, w.len - FRONT, 0);
        memcpy(w.at, head, HEAD);
        memcpy(w.at + HEAD, &size, sizeof size);
        memcpy(w.at + HEAD + 8, &hash, sizeof hash);
        good = rh__kept_write(file, w.at, w.len, error, error_size);
    }
    rh__writer_release(&sums);
    rh__writer_release(&w);
    return good;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------- */

static bool no_rest(void *arg, const void *item, size_t size)
{
    (void)arg, (void)item, (void)size;
    return false;
}

static bool read_payload(const char *path, const char *binding, struct rh__reader *r, struct rh_exploration *x,
                         struct rh__queue *q, double *seconds, char *error, size_t error_size)
{
    size_t size;
    const char *there = rh__get_text(r);
    if (!r->bad && strcmp(there, binding) != 0) {
        say_other(path, there, binding, error, error_size);
        return false;
    }
    *seconds = rh__get_double(r);
    const void *sums = rh__get_block(r, &size);
    if (!r->bad && rh__results_add(x, sums, size, no_rest, NULL) && q->table->restore(q->state, r) &&
        rh__reader_done(r))
        return true;
    snprintf(error, error_size, "%s is damaged", path);
    return false;
}

bool rh__checkpoint_read(struct rh__kept *file, const char *binding, struct rh_exploration *x, struct rh__queue *q,
                         double *seconds, char *error, size_t error_size)
{
    struct stat s;
    const char *path = file->path;
    unsigned char *bytes = MAP_FAILED;
    bool good = fstat(file->fd, &s) == 0;
    if (good && s.st_size >= FRONT)
        bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
    if (bytes == MAP_FAILED || memcmp(bytes, head, HEAD) != 0) {
        snprintf(error, error_size, "%s is no checkpoint of this version of rehearse", path);
        good = false;
    } else {
        uint64_t size, hash;
        memcpy(&size, bytes + HEAD, sizeof size);
        memcpy(&hash, bytes + HEAD + 8, sizeof hash);
        struct rh__reader r = rh__reader_of(bytes + FRONT, (size_t)s.st_size - FRONT);
        good = size == r.left && rh__hash(r.at, r.left, 0) == hash;
        if (!good)
            snprintf(error, error_size, "%s is damaged: it is not what was written", path);
        else
            good = read_payload(path, binding, &r, x, q, seconds, error, error_size);
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)s.st_size);
    return good;
}
