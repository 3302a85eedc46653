/* See rt_tape.h. */
#include "runtime/rt_tape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/rt_names.h"

static struct rh__tape records;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static char *part_path(void)
{
    size_t size = strlen(rh__rt.options.record) + sizeof ".part";
    char *path = rh__need(size);
    snprintf(path, size, "%s.part", rh__rt.options.record);
    return path;
}

static bool file_can_be_written(void)
{
    char *path = part_path();
    FILE *f = fopen(path, "we");
    if (f) {
        fclose(f);
        unlink(path);
    } else {
        fprintf(stderr, "rehearse: rh_runtime_start: the recording cannot be written: %s: %s\n", path, strerror(errno));
    }
    free(path);
    return f != NULL;
}

/* The memory is that of pages that are touched: a short run does not pay for the limit. */
bool rh__tape_start(void)
{
    rh__rt.tape = NULL;
    if (!rh__rt.options.record)
        return true;
    if (!file_can_be_written())
        return false;
    memset(&records, 0, sizeof records);
    records.limit = rh__rt.options.record_limit;
    records.at = mmap(NULL, (size_t)records.limit * sizeof *records.at, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (records.at == MAP_FAILED) {
        fprintf(stderr, "rehearse: rh_runtime_start: no memory for a recording of record_limit = %u\n", records.limit);
        return false;
    }
    rh__rt.tape = &records;
    return true;
}

/* The next free record; NULL when all are used. */
static struct rh__tape_entry *take(void)
{
    if (atomic_load_explicit(&records.full, memory_order_relaxed))
        return NULL;
    uint32_t i = atomic_fetch_add_explicit(&records.next, 1, memory_order_relaxed);
    if (i < records.limit)
        return &records.at[i];
    atomic_store_explicit(&records.full, true, memory_order_relaxed);
    return NULL;
}

static void complete(struct rh__tape_entry *r, enum rh__tape_kind kind)
{
    atomic_store_explicit(&r->kind, kind, memory_order_release);
}

void rh__tape_add(enum rh__tape_kind kind, const struct rh__actor *actor, const void *what)
{
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = actor ? actor->self.id : 0;
    r->what = what;
    complete(r, kind);
}

void rh__tape_start_of(const struct rh__actor *actor, const struct rh__message *m)
{
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = actor->self.id;
    r->from = m->sender.id;
    r->what = m;
    complete(r, RH__TAPE_START);
}

void rh__tape_spawn(const struct rh__actor *actor, const struct rh__actor *creator)
{
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = actor->self.id;
    r->type = actor->type;
    r->from = creator ? creator->self.id : 0;
    r->what = rh__name_keep(actor->name);
    complete(r, RH__TAPE_SPAWN);
}

void rh__tape_send(const struct rh__worker *worker, rh_ref to, const struct rh__message *m)
{
    if (m->kind == RH__WAKE || m->kind == RH__BEGIN || m->kind == RH__STUB || m->kind == RH__STORE_BAD)
        return;
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    bool news = m->kind == RH__DOWN || m->kind == RH__EXIT; /* of the event in which the sender ended */
    r->actor = news ? m->sender.id : worker && worker->actor ? worker->actor->self.id : 0;
    r->from = m->sender.id;
    r->to = to.id;
    r->how = m->kind;
    r->type = m->type;
    r->what = m;
    complete(r, RH__TAPE_SEND);
}

void rh__tape_send_astray(const struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh_message_type *type)
{
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = worker && worker->actor ? worker->actor->self.id : 0;
    r->from = from.id;
    r->to = to.id;
    r->how = RH__PLAIN;
    r->type = type;
    complete(r, RH__TAPE_SEND);
}

void rh__tape_fire(const struct rh__actor *actor, const struct rh__message *m, const char *timer)
{
    size_t size = strlen(timer) + 1;
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = actor->self.id;
    r->type = m;
    r->what = memcpy(rh__need(size), timer, size);
    complete(r, RH__TAPE_FIRE);
}

void rh__tape_value(const struct rh__actor *actor, uint32_t value, uint32_t count)
{
    struct rh__tape_entry *r = take();
    if (!r)
        return;
    r->actor = actor->self.id;
    r->from = value;
    r->to = count;
    complete(r, RH__TAPE_VALUE);
}

void rh__tape_flaw(uint32_t flaw)
{
    if (!(atomic_load_explicit(&records.flaws, memory_order_relaxed) & flaw))
        atomic_fetch_or_explicit(&records.flaws, flaw, memory_order_relaxed);
}

void rh__tape_failure(const struct rh__actor *actor, const char *kind)
{
    rh__tape_add(RH__TAPE_FAILURE, actor, kind);
    if (!atomic_exchange(&records.failed, true))
        rh__tape_write();
}

/* Any number of first records is closed under causality: what is behind an incomplete one is left out. */
static uint32_t count_complete(void)
{
    uint32_t next = atomic_load_explicit(&records.next, memory_order_relaxed), n = 0;
    uint32_t most = next < records.limit ? next : records.limit;
    while (n < most && atomic_load_explicit(&records.at[n].kind, memory_order_acquire) != RH__TAPE_NONE)
        n++;
    return n;
}

void rh__tape_write(void)
{
    if (!rh__rt.tape)
        return;
    pthread_mutex_lock(&writing);
    char *path = part_path();
    FILE *out = fopen(path, "we");
    if (out)
        rh__tape_write_lines(&records, count_complete(), out);
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    if (!good || rename(path, rh__rt.options.record) != 0) {
        fprintf(stderr, "rehearse: the recording cannot be written: %s: %s\n", path, strerror(errno));
        unlink(path);
    }
    free(path);
    pthread_mutex_unlock(&writing);
}

void rh__tape_release(void)
{
    if (!rh__rt.tape)
        return;
    rh__rt.tape = NULL;
    for (uint32_t i = 0, n = count_complete(); i < n; i++) {
        struct rh__tape_entry *r = &records.at[i];
        uint32_t kind = atomic_load_explicit(&r->kind, memory_order_relaxed);
        if (kind == RH__TAPE_SPAWN)
            rh__name_drop((struct rh__name *)(uintptr_t)r->what);
        else if (kind == RH__TAPE_FIRE)
            free((char *)(uintptr_t)r->what);
    }
    munmap(records.at, (size_t)records.limit * sizeof *records.at);
    records.at = NULL;
}
