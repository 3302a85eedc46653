/* For the tests of stores: a folder for each test, and accounts that put numbered values, each known by its number
 * alone, and note which are acknowledged.  What must outlive a process is in shared memory. */
#ifndef TESTS_RUNTIME_STORE_SUPPORT_H
#define TESTS_RUNTIME_STORE_SUPPORT_H

#include "helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACCOUNTS = 4, KEYS = 20, LARGEST = 400, UNDER_WAY = 8 };

struct shared {
    _Atomic(uint64_t) acknowledged[ACCOUNTS], found[ACCOUNTS];
    _Atomic(int) wrong, told, refused, injected;
    char text[256]; /* of the last failure told */
};
static struct shared *shared;
static char folder[128];

static inline int make_folder(void **unused)
{
    struct stat about;
    (void)unused;
    if (!shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(shared, 0, sizeof *shared);
    const char *tmp = getenv("TMPDIR");
    bool memory = stat("/dev/shm", &about) == 0 && access("/dev/shm", W_OK) == 0;
    snprintf(folder, sizeof folder, "%s/rehearse-store-XXXXXX", tmp ? tmp : memory ? "/dev/shm" : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

RH_UNUSED static void empty_folder(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

static inline int remove_folder(void **unused)
{
    (void)unused;
    empty_folder();
    return rmdir(folder);
}

static inline void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

/* The bytes of a file of the folder, on the heap. */
RH_UNUSED static char *read_file(const char *name, size_t *size)
{
    char path[400];
    struct stat about;
    path_of(path, sizeof path, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    char *bytes = malloc((size_t)about.st_size + 1);
    assert_int_equal(read(fd, bytes, (size_t)about.st_size), about.st_size);
    close(fd);
    *size = (size_t)about.st_size;
    return bytes;
}

RH_UNUSED static void write_file(const char *name, const char *bytes, size_t size)
{
    char path[400];
    path_of(path, sizeof path, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

/* What the program says to people; a loop would say it too often. */
RH_UNUSED static int quiet_begin(void)
{
    int old = dup(2), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 2);
    close(nowhere);
    return old;
}

RH_UNUSED static void quiet_end(int old)
{
    dup2(old, 2);
    close(old);
}

/* ---- accounts ---- */

struct entry {
    uint64_t number;
    uint32_t size;
    unsigned char bytes[LARGEST];
};

static uint32_t entry_make(struct entry *e, uint64_t number)
{
    uint64_t x = number * 0x9e3779b97f4a7c15u + 1;
    e->number = number;
    e->size = (uint32_t)(x >> 40) % LARGEST;
    for (uint32_t i = 0; i < e->size; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        e->bytes[i] = (unsigned char)x;
    }
    return (uint32_t)offsetof(struct entry, bytes) + e->size;
}

RH_ACTOR(account, uint32_t which; uint64_t first, number, limit;);

static void account_open(uint32_t which)
{
    char name[32];
    snprintf(name, sizeof name, "account %u", which);
    rh_store_open(name);
}

/* Two puts each: the value under one of a few keys, then the number. */
static void account_put(struct account *a)
{
    static _Thread_local struct entry e;
    char key[16];
    a->number++;
    snprintf(key, sizeof key, "k%d", (int)(a->number % KEYS));
    rh_store_put(key, &e, entry_make(&e, a->number));
    rh_store_put("number", &a->number, sizeof a->number);
}

RH_HANDLER(account, rh_start)
{
    account_open(state->which);
    if (rh_store_get("number", &state->number, sizeof state->number) < 0)
        state->number = 0;
    state->first = state->number;
    for (int i = 0; i < UNDER_WAY; i++)
        account_put(state);
}
RH_HANDLER(account, rh_stored)
{
    if (msg->ticket % 2) /* of the value; that of the number follows */
        return;
    uint64_t number = state->first + msg->ticket / 2;
    shared->acknowledged[state->which] = number;
    if (state->number < state->first + state->limit)
        account_put(state);
    else if (number == state->number)
        rh_stop();
}
RH_BEHAVIOUR(account, open, rh_start, rh_stored);

/* Whether the keys are those of a prefix of the puts. */
static bool entries_are_good(uint64_t number)
{
    static _Thread_local struct entry got, wanted;
    for (uint64_t k = 0; k < KEYS; k++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", (int)k);
        int64_t size = rh_store_get(key, &got, sizeof got);
        uint64_t last = number >= k ? number - (number - k) % KEYS : 0;
        if (size < 0 && last)
            return false;
        if (size >= 0 && (size != entry_make(&wanted, got.number) || memcmp(&got, &wanted, (size_t)size) != 0 ||
                          (got.number != last && !(got.number == number + 1 && got.number % KEYS == k))))
            return false;
    }
    return true;
}

RH_PROCESS(auditor, uint32_t which;);
RH_BODY(auditor)
{
    uint64_t number = 0;
    account_open(state->which);
    if (rh_store_get("number", &number, sizeof number) < 0)
        number = 0;
    shared->found[state->which] = number;
    shared->wrong += !entries_are_good(number);
}

static void tell_shared(const struct rh_failure *failure, void *arg)
{
    (void)arg;
    shared->told += strcmp(failure->kind, "store") == 0;
    snprintf(shared->text, sizeof shared->text, "%s", failure->text);
}

/* In this process; false where the runtime does not start. */
RH_UNUSED static bool run_accounts(uint32_t accounts, uint64_t limit)
{
    struct rh_runtime_options options = { .threads = 2, .store_folder = folder, .on_failure = tell_shared };
    if (!rh_runtime_start(&options))
        return false;
    for (uint32_t i = 0; i < accounts; i++)
        rh_spawn(account, .which = i, .limit = limit);
    rh_runtime_wait();
    rh_runtime_stop();
    return true;
}

RH_UNUSED static bool run_auditors(uint32_t accounts)
{
    struct rh_runtime_options options = { .threads = 1, .store_folder = folder, .on_failure = tell_shared };
    shared->wrong = 0;
    for (uint32_t i = 0; i < accounts; i++)
        shared->found[i] = UINT64_MAX;
    if (!rh_runtime_start(&options))
        return false;
    for (uint32_t i = 0; i < accounts; i++)
        rh_spawn(auditor, .which = i);
    rh_runtime_wait();
    rh_runtime_stop();
    return true;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

#endif
