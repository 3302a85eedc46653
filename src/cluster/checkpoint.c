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
#include "trace/schedule.h"

static const char head[] = "rehearse checkpoint 3\n", any_head[] = "rehearse checkpoint ";
enum { HEAD = sizeof head - 1, FRONT = HEAD + 16 };

static bool say_errno(const char *path, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    return false;
}

/* ---- the binding ------------------------------------------------------------------------------------------------- */

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

/* Quotes a text: a name or a value may hold any character, also a newline. */
static void add_quoted(struct rh__text *t, const char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\\')
            rh__text_add(t, *text == '\n' ? "\\n" : "\\\\");
        else
            rh__text_put(t, text, 1);
}

/* Adds the canonical form of the explorer, which is the same for `bound:20,dfs` and `bound(depth=20, dfs)`. */
static void add_explorer(struct rh__text *t, const struct rh__tree *tree)
{
    char expression[2 * RH__TREE_LONGEST];
    t->cut |= !rh__tree_print(tree, expression, sizeof expression);
    add_quoted(t, expression);
}

bool rh__checkpoint_binding(const struct rh_exploration *x, char *text, size_t size, char *error, size_t error_size)
{
    const struct rh__run *r = rh__world_run(x->world);
    struct rh__text t;
    uint64_t hash;
    if (!hash_program(&hash, error, error_size))
        return false;
    rh__text_init(&t, text, size);
    rh__text_add(&t, "program with hash %016llx\ntest %s\nexplorer ", (unsigned long long)hash, r->test);
    add_explorer(&t, &x->tree);
    rh__text_add(&t, "\nseed %llu\n", (unsigned long long)x->seed);
    rh__semantics_write(r->semantics, r->own, &t);
    for (size_t i = 0; i < r->param_count; i++) {
        rh__text_add(&t, "parameter ");
        add_quoted(&t, r->params[i].name);
        rh__text_add(&t, "=");
        add_quoted(&t, r->params[i].value);
        rh__text_add(&t, "\n");
    }
    for (uint32_t i = 0; x->results->coverage && i < RH__CRITERION_COUNT; i++)
        if (x->results->coverage->criteria >> i & 1)
            rh__text_add(&t, "coverage %s\n", rh__criterion_name(i));
    if (t.cut)
        snprintf(error, error_size, "parameters and settings are too long for a checkpoint");
    return !t.cut;
}

/* Reports the first line in which the two bindings differ. */
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

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_rounds(const struct rh_inner *explorer, struct rh__writer *w)
{
    const struct rh_inner *e = explorer ? rh_inner_with_rounds(explorer) : NULL;
    const struct rh_explorer_rounds *rounds = e ? e->explorer->share->rounds : NULL;
    if (!e)
        return;
    size_t size = rounds->save(e->state, NULL, 0);
    rh__put64(w, size);
    if (!rh__writer_has(w, size))
        return;
    rounds->save(e->state, w->at + w->len, size);
    w->len += size;
}

bool rh__checkpoint_write(struct rh__kept *file, const char *binding, const struct rh_inner *explorer,
                          const struct rh__queue *q, double seconds, char *error, size_t error_size)
{
    struct rh__writer w = rh__writer_new();
    unsigned char front[FRONT] = { 0 };
    rh__put(&w, front, sizeof front);
    rh__put_text(&w, binding);
    rh__put_double(&w, seconds);
    q->table->snapshot(q->state, &w);
    write_rounds(explorer, &w);
    bool good = !w.full;
    if (!good)
        snprintf(error, error_size, "%s: no memory for a checkpoint", file->path);
    else {
        uint64_t size = w.len - FRONT, hash = rh__hash(w.at + FRONT, w.len - FRONT, 0);
        memcpy(w.at, head, HEAD);
        memcpy(w.at + HEAD, &size, sizeof size);
        memcpy(w.at + HEAD + 8, &hash, sizeof hash);
        good = rh__kept_write(file, w.at, w.len, error, error_size);
    }
    rh__writer_release(&w);
    return good;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_rounds(const struct rh_inner *explorer, struct rh__reader *r)
{
    const struct rh_inner *e = explorer ? rh_inner_with_rounds(explorer) : NULL;
    if (!e)
        return true;
    uint64_t size = rh__get64(r);
    const void *saved = rh__get(r, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
    return saved && e->explorer->share->rounds->load(e->state, saved, (size_t)size);
}

static bool read_payload(const char *path, const char *binding, const struct rh_inner *explorer, struct rh__reader *r,
                         struct rh__queue *q, double *seconds, char *error, size_t error_size)
{
    const char *there = rh__get_text(r);
    if (!r->bad && strcmp(there, binding) != 0) {
        say_other(path, there, binding, error, error_size);
        return false;
    }
    *seconds = rh__get_double(r);
    if (!r->bad && q->table->restore(q->state, r) && read_rounds(explorer, r) && rh__reader_done(r))
        return true;
    snprintf(error, error_size, "%s is damaged", path);
    return false;
}

bool rh__checkpoint_read(struct rh__kept *file, const char *binding, const struct rh_inner *explorer,
                         struct rh__queue *q, double *seconds, char *error, size_t error_size)
{
    struct stat s;
    const char *path = file->path;
    unsigned char *bytes = MAP_FAILED;
    bool good = fstat(file->fd, &s) == 0;
    if (good && s.st_size >= FRONT)
        bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
    if (bytes == MAP_FAILED || memcmp(bytes, any_head, sizeof any_head - 1) != 0) {
        snprintf(error, error_size, "%s is no checkpoint", path);
        good = false;
    } else if (memcmp(bytes, head, HEAD) != 0) {
        snprintf(error, error_size, "%s is a checkpoint of another version of rehearse, which this version cannot read",
                 path);
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
            good = read_payload(path, binding, explorer, &r, q, seconds, error, error_size);
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)s.st_size);
    return good;
}
