/* The production side of harness.h. */
#ifdef RH_CONFORMANCE_RT
#include "conformance/support/harness_run.h"

#include <rehearse/runtime.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECONDS_PER_PROGRAM = 60, MOST_RUNS = 300, LEAST_RUNS = 5, SECONDS_TO_HANG = 600 };

struct run {
    const struct program *program;
    pthread_mutex_t lock;
    struct record record;
    char outcome[OUTCOME_SIZE];
    uint32_t told; /* that a store failed */
};

/* No file can grow beyond this any more; the head of a journal can be written. */
static void limit_files(bool on)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = on ? 32 : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void on_log(const char *actor, const char *text, void *arg)
{
    struct run *r = arg;
    pthread_mutex_lock(&r->lock);
    record_line(&r->record, actor, text);
    pthread_mutex_unlock(&r->lock);
}

static void on_failure(const struct rh_failure *f, void *arg)
{
    struct run *r = arg;
    pthread_mutex_lock(&r->lock);
    r->told += strcmp(f->kind, "store") == 0;
    if (!r->program->full_disk || strcmp(f->kind, "store") != 0)
        record_failure(&r->record, r->program, f->kind, f->actor, f->place, f->text);
    pthread_mutex_unlock(&r->lock);
}

static const char *running;

/* cmocka would jump out of another thread's crash. */
static void dies(int number)
{
    const char *text = number == SIGALRM ? " hangs\n" : " crashes\n";
    if (write(2, running, strlen(running)) >= 0 && write(2, text, strlen(text)) >= 0)
        signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void)
{
    static const int fatal[] = { SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], dies);
    alarm(SECONDS_TO_HANG);
}

/* A store for one run. */
static void folder_new(char *path, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, size, "%s/conformance-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(path))
        fail_msg("%s cannot be made", path);
}

static void folder_remove(const char *path)
{
    char file[512];
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(file, sizeof file, "%s/%s", path, e->d_name);
            unlink(file);
        }
    if (d)
        closedir(d);
    rmdir(path);
}

static void run_once(struct run *r, uint32_t threads)
{
    char folder[256];
    folder_new(folder, sizeof folder);
    struct rh_runtime_options o = { .threads = threads,
                                    .store_folder = folder,
                                    .history_operations = 100,
                                    .kill_anywhere = r->program->semantics.kills == RH_KILL_ANYWHERE,
                                    .on_failure = on_failure,
                                    .on_log = on_log,
                                    .arg = r };
    r->record.count = 0;
    r->record.failures[0] = 0;
    r->told = 0;
    assert_true(rh_runtime_start(&o));
    if (r->program->full_disk)
        limit_files(true);
    r->program->start();
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    if (r->program->full_disk) {
        limit_files(false);
        assert_true(r->told > 0);
    }
    folder_remove(folder);
    record_outcome(&r->record, r->outcome, sizeof r->outcome);
    if (allowed_index(r->program, r->outcome) >= 0 &&
        (!r->program->production[0] || index_among(r->program->production, 4, r->outcome) >= 0))
        return;
    print_error("%s, %u threads: not allowed: %s\n", r->program->name, threads, r->outcome);
    print_allowed(r->program);
    fail();
}

static int64_t clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void run_program(const struct program *p)
{
    static const uint32_t threads[] = { 1, 2, 4 };
    struct run *r = calloc(1, sizeof *r);
    r->program = p;
    pthread_mutex_init(&r->lock, NULL);
    running = p->name;
    watch_signals();
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        int64_t end = clock_ms() + MILLISECONDS_PER_PROGRAM / 3;
        uint32_t most = p->production_runs ? p->production_runs : MOST_RUNS;
        for (uint32_t run = 0; run < most; run++) {
            run_once(r, threads[i]);
            if (run + 1 >= LEAST_RUNS && clock_ms() >= end)
                break;
        }
    }
    alarm(0);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
#else
typedef int not_empty; /* the other side is harness_world.c */
#endif
