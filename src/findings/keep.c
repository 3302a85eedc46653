/* See keep.h.  The last lines of a saved schedule are comments:
 *
 *     # finding 0123456789abcdef, program 0123456789abcdef, build 0123456789abcdef, text 0123456789abcdef
 *     # assertion: file.c:12
 *
 * The first line has hashes of the finding, of the program's path, of the files of which the program consists, and of
 * the text above it. */
#include "findings/keep.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/visible.h"
#include "trace/schedule.h"

struct mark {
    uint64_t finding, program, build, text;
};
static const char no_place[] = "no place"; /* instead of the place of a finding that has none */
static const char mark_format[] = "# finding %016llx, program %016llx, build %016llx, text %016llx\n";

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return rh__hash(text, strlen(text), seed);
}

/* ---- who it is --------------------------------------------------------------------------------------------------- */

/* Hashes the `set` lines of the schedule except the seed, because another seed finds the same. */
static uint64_t hash_settings(const char *schedule)
{
    uint64_t h = 0;
    for (const char *line = schedule; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, "set ", 4) == 0 && strncmp(line, "set seed=", 9) != 0)
            h = rh__hash(line, strcspn(line, "\n"), h);
    return h;
}

static uint64_t identity_of(const struct rh__keeping *k, const struct rh__finding *f)
{
    const char *program = strncmp(k->program, "./", 2) == 0 ? k->program + 2 : k->program;
    return rh__mix(rh__mix(hash_text(program, 1), hash_text(k->test, 2)),
                   rh__mix(f->signature, hash_settings(f->schedule)));
}

/* A rebuilt program, or one of its libraries, has another size or time. */
static int add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    uint64_t *h = arg;
    struct stat s;
    (void)size;
    if (stat(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", &s) == 0) {
        uint64_t is[] = { (uint64_t)s.st_size, (uint64_t)s.st_mtim.tv_sec, (uint64_t)s.st_mtim.tv_nsec };
        *h = rh__hash(is, sizeof is, *h);
    }
    return 0;
}

static struct mark mark_of(const struct rh__keeping *k, const struct rh__finding *f)
{
    char path[PATH_MAX];
    struct mark m = { .finding = identity_of(k, f), .text = hash_text(f->schedule, 3) };
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    m.program = hash_text(path, 4);
    dl_iterate_phdr(add_object, &m.build);
    return m;
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* Reads a file of at most RH__SCHEDULE_BYTES into memory from malloc; NULL on failure. */
static char *read_whole(const char *path)
{
    FILE *f = fopen(path, "rbe");
    char *text = f ? malloc(RH__SCHEDULE_BYTES) : NULL;
    size_t n = text ? fread(text, 1, RH__SCHEDULE_BYTES, f) : 0;
    bool good = text && !ferror(f) && n < RH__SCHEDULE_BYTES;
    if (f)
        fclose(f);
    if (good) {
        text[n] = 0;
        return text;
    }
    free(text);
    return NULL;
}

/* Whether the file is one that we wrote, unchanged. */
static bool read_mark(const char *path, struct mark *m)
{
    char *text = read_whole(path), *at = text ? strstr(text, "\n# finding ") : NULL;
    unsigned long long is[4];
    bool good = at && sscanf(at + 1, mark_format, &is[0], &is[1], &is[2], &is[3]) == 4;
    if (good) {
        at[1] = 0;
        *m = (struct mark){ is[0], is[1], is[2], is[3] };
        good = hash_text(text, 3) == m->text;
    }
    free(text);
    return good;
}

bool rh__finding_recorded(const char *path, char *kind, size_t kind_size, char *place, size_t place_size)
{
    struct mark m;
    char *text = read_mark(path, &m) ? read_whole(path) : NULL, *at = text ? strstr(text, "\n# finding ") : NULL;
    char *line = at ? strstr(at + 1, "\n# ") : NULL, *colon = line ? strstr(line, ": ") : NULL;
    if (colon) {
        snprintf(kind, kind_size, "%.*s", (int)(colon - line - 3), line + 3);
        snprintf(place, place_size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        if (strcmp(place, no_place) == 0)
            *place = 0;
    }
    free(text);
    return colon != NULL;
}

static uint32_t lines_of(const char *path)
{
    struct rh__schedule s;
    char error[256];
    if (!rh__schedule_read(&s, path, error, sizeof error))
        return UINT32_MAX;
    uint32_t lines = s.line_count;
    rh__schedule_release(&s);
    return lines;
}

enum place { FREE, OURS, SHORTER, TAKEN };

static enum place look(const char *path, const struct mark *ours, uint32_t lines)
{
    struct stat s;
    struct mark there;
    if (lstat(path, &s) != 0)
        return FREE; /* if it is not, writing will report why */
    if (!S_ISREG(s.st_mode) || !read_mark(path, &there) || there.finding != ours->finding ||
        there.program != ours->program)
        return TAKEN;
    return there.build == ours->build && lines_of(path) < lines ? SHORTER : OURS;
}

/* ---- keeping it -------------------------------------------------------------------------------------------------- */

static bool name_it(const struct rh__keeping *k, const struct rh__finding *f, uint64_t finding, int digits, char *path,
                    size_t size)
{
    char kind[64], hash[24];
    snprintf(kind, sizeof kind, "%s", rh_outcome_name(f->outcome.kind));
    for (char *c = kind; *c; c++)
        if (*c == ' ')
            *c = '-';
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)finding);
    int length = snprintf(path, size, "%s/%s-%s-%s-%.*s.schedule", k->folder, k->test, k->model, kind, digits, hash);
    return (size_t)length < size;
}

static bool write_it(const struct rh__finding *f, const struct mark *m, const char *path, char *error,
                     size_t error_size)
{
    char *text = NULL, place[1024];
    struct rh__text t;
    rh__text_init(&t, place, sizeof place);
    if (f->outcome.place[0])
        rh__text_add_visible(&t, f->outcome.place); /* on one line */
    else
        rh__text_add(&t, "%s", no_place);
    int size =
        asprintf(&text, "%s# finding %016llx, program %016llx, build %016llx, text %016llx\n# %s: %s\n", f->schedule,
                 (unsigned long long)m->finding, (unsigned long long)m->program, (unsigned long long)m->build,
                 (unsigned long long)m->text, rh_outcome_name(f->outcome.kind), place);
    bool good = size >= 0 && rh__file_write(path, text, (size_t)size, error, error_size);
    if (size < 0)
        snprintf(error, error_size, "%s: no memory for a schedule", path);
    else
        free(text);
    return good;
}

bool rh__finding_keep(const struct rh__keeping *k, const struct rh__finding *f, char *path, size_t size, bool *kept,
                      char *error, size_t error_size)
{
    static const int digits[] = { 6, 8, 12, 16 };
    struct mark ours = mark_of(k, f);
    *kept = false;
    /* If the name with 16 digits is taken, too: as if it were another finding. */
    for (uint64_t others = 0; others < 100; others++)
        for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
            uint64_t hash = others ? rh__mix(ours.finding, others) : ours.finding;
            if (!name_it(k, f, hash, digits[i], path, size)) {
                snprintf(error, error_size, "%.100s...: the name of a schedule in there is too long", k->folder);
                return false;
            }
            switch (look(path, &ours, f->pick_count)) {
            case SHORTER:
                *kept = true;
                return true;
            case FREE:
            case OURS:
                return write_it(f, &ours, path, error, error_size);
            case TAKEN:
                break;
            }
        }
    snprintf(error, error_size, "%s: too many files that are no findings of this program", k->folder);
    return false;
}

void rh__finding_latest(const char *folder, const char *path)
{
    char link[RH__PATH_BYTES], beside[RH__PATH_BYTES + 32];
    const char *name = strrchr(path, '/');
    struct stat s;
    int length = snprintf(link, sizeof link, "%s/latest", folder);
    if ((size_t)length >= sizeof link || (lstat(link, &s) == 0 && !S_ISLNK(s.st_mode)))
        return;
    snprintf(beside, sizeof beside, "%s.%ld.new", link, (long)getpid());
    if (symlink(name ? name + 1 : path, beside) != 0 || rename(beside, link) != 0)
        unlink(beside);
}
