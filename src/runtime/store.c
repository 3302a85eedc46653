/* See store.h.  The actor has its keys in memory; one thread for all actors appends the records to their files, in the
 * order of the puts, makes a batch durable with one call per file, and tells the actors. */
#include "runtime/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "runtime/actor.h"
#include "runtime/failure.h"
#include "runtime/names.h"
#include "runtime/pool.h"
#include "runtime/store_file.h"

enum { COMPACT_FROM = 64 << 10, LONGEST_FILE_NAME = 200, LONGEST_KEY = 1 << 16 };

struct item {
    struct item *next;
    size_t key_size, size;
    char *key; /* followed by the value */
};

/* Belongs to the writer's thread from the first request on. */
struct file {
    int fd;
    size_t size; /* durable or about to be */
    bool bad, dirty;
};

struct rh__store {
    struct item **chains;
    size_t chain_count, count, live_bytes;
    uint32_t puts, durable; /* tickets */
    struct file *file;
};

struct request {
    struct request *next;
    struct file *file;
    rh_ref who;
    uint32_t ticket; /* 0: close the file */
    bool failed;
    size_t size;
    char record[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first, **end;
    bool stop, running;
    pthread_t thread;
} writer = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

/* ---- the writer's thread --------------------------------------------------------------------------------------- */

static void append(struct request *r)
{
    struct file *file = r->file;
    if (!file->bad && rh__write_all(file->fd, r->record, r->size)) {
        file->size += r->size;
        file->dirty = true;
        return;
    }
    /* Nothing may follow a hole: later puts of this actor fail as well. */
    if (!file->bad && ftruncate(file->fd, (off_t)file->size) != 0)
        fprintf(stderr, "rehearse: a write failed and could not be undone\n");
    file->bad = true;
    r->failed = true;
}

static void make_durable(struct request *batch)
{
    for (struct request *r = batch; r; r = r->next)
        if (r->ticket)
            append(r);
    for (struct request *r = batch; r; r = r->next)
        if (r->ticket && r->file->dirty) {
            r->file->dirty = false;
            r->file->bad |= fdatasync(r->file->fd) != 0;
        }
}

static void answer(struct request *r)
{
    if (!r->ticket) {
        close(r->file->fd);
        free(r->file);
        return;
    }
    struct rh_stored value = { .ticket = r->ticket };
    bool bad = r->failed || r->file->bad;
    struct rh__message *m =
        rh__message_make(NULL, bad ? RH__STORE_BAD : RH__STORED, r->who, &rh_message_rh_stored, sizeof value);
    m->ticket = r->ticket;
    memcpy(rh__message_value(m), &value, sizeof value);
    if (bad)
        rh__fail("store", "", "a write to the store of %s failed: the actor ends", rh__name_of(r->who));
    rh__post(NULL, r->who, m);
    rh__pool_busy(-1);
}

static void *writer_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&writer.lock);
    while (!writer.stop || writer.first) {
        if (!writer.first) {
            pthread_cond_wait(&writer.filled, &writer.lock);
            continue;
        }
        struct request *batch = writer.first;
        writer.first = NULL;
        writer.end = &writer.first;
        pthread_mutex_unlock(&writer.lock);
        make_durable(batch);
        while (batch) {
            struct request *r = batch;
            batch = r->next;
            answer(r);
            free(r);
        }
        pthread_mutex_lock(&writer.lock);
    }
    pthread_mutex_unlock(&writer.lock);
    return NULL;
}

static void submit(struct request *r)
{
    r->next = NULL;
    pthread_mutex_lock(&writer.lock);
    *writer.end = r;
    writer.end = &r->next;
    pthread_cond_signal(&writer.filled);
    pthread_mutex_unlock(&writer.lock);
}

bool rh__store_start(void)
{
    writer.first = NULL;
    writer.end = &writer.first;
    writer.stop = false;
    writer.running = rh__rt.options.store_folder && pthread_create(&writer.thread, NULL, writer_thread, NULL) == 0;
    return writer.running || !rh__rt.options.store_folder;
}

void rh__store_stop(void)
{
    if (!writer.running)
        return;
    pthread_mutex_lock(&writer.lock);
    writer.stop = true;
    pthread_cond_signal(&writer.filled);
    pthread_mutex_unlock(&writer.lock);
    pthread_join(writer.thread, NULL);
    writer.running = false;
}

/* ---- keys in memory -------------------------------------------------------------------------------------------- */

static struct item **find(struct rh__store *store, const char *key, size_t key_size)
{
    struct item **at = &store->chains[rh__hash(key, key_size, 0) % store->chain_count];
    while (*at && ((*at)->key_size != key_size || memcmp((*at)->key, key, key_size) != 0))
        at = &(*at)->next;
    return at;
}

static void grow(struct rh__store *store)
{
    struct rh__store bigger = *store;
    bigger.chain_count = store->chain_count ? store->chain_count * 4 : 16;
    bigger.chains = rh__need(bigger.chain_count * sizeof *bigger.chains);
    memset(bigger.chains, 0, bigger.chain_count * sizeof *bigger.chains);
    for (size_t i = 0; i < store->chain_count; i++)
        for (struct item *item = store->chains[i], *next; item; item = next) {
            next = item->next;
            struct item **at = find(&bigger, item->key, item->key_size);
            item->next = *at;
            *at = item;
        }
    free(store->chains);
    *store = bigger;
}

/* An rh__record_fn. */
static void set(void *arg, const char *key, size_t key_size, const void *value, size_t value_size)
{
    struct rh__store *store = arg;
    if (store->count >= store->chain_count * 2)
        grow(store);
    struct item **at = find(store, key, key_size);
    if (*at) {
        struct item *old = *at;
        store->live_bytes -= RH__RECORD_HEAD + old->key_size + old->size;
        store->count--;
        *at = old->next;
        free(old);
    }
    if (!value)
        return;
    struct item *item = rh__need(sizeof *item + key_size + value_size);
    item->key = (char *)(item + 1);
    item->key_size = key_size;
    item->size = value_size;
    memcpy(item->key, key, key_size);
    if (value_size)
        memcpy(item->key + key_size, value, value_size);
    item->next = *at;
    *at = item;
    store->count++;
    store->live_bytes += RH__RECORD_HEAD + key_size + value_size;
}

static void store_free(struct rh__store *store)
{
    for (size_t i = 0; i < store->chain_count; i++)
        for (struct item *item = store->chains[i], *next; item; item = next) {
            next = item->next;
            free(item);
        }
    free(store->chains);
    free(store);
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

/* The actor's name as the name of a file: '+' for '/'; the end of a long one behind its hash. */
static void path_of(const struct rh__actor *actor, char *path, size_t size)
{
    char name[4096];
    rh__name_text(actor->name, name, sizeof name);
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '+';
    size_t length = strlen(name);
    if (length <= LONGEST_FILE_NAME)
        snprintf(path, size, "%s/%s.store", rh__rt.options.store_folder, name);
    else
        snprintf(path, size, "%s/%016llx+%s.store", rh__rt.options.store_folder,
                 (unsigned long long)rh__name_hash(actor->name), name + length - LONGEST_FILE_NAME + 20);
}

/* Rewrites a file that is mostly history. */
static void compact(struct rh__store *store, const char *path)
{
    char *bytes = malloc(store->live_bytes + 1);
    if (!bytes)
        return;
    char *to = bytes;
    for (size_t i = 0; i < store->chain_count; i++)
        for (struct item *item = store->chains[i]; item; item = item->next) {
            rh__record_write(to, item->key, item->key_size, item->key + item->key_size, item->size);
            to += RH__RECORD_HEAD + item->key_size + item->size;
        }
    int fd = rh__store_file_replace(path, bytes, store->live_bytes);
    if (fd >= 0) {
        close(store->file->fd);
        store->file->fd = fd;
        store->file->size = store->live_bytes + 8;
    }
    free(bytes);
}

static struct rh__store *store_of(struct rh__actor *actor, const char *call, const char *here)
{
    char path[4400], text[4600];
    size_t cut = 0;
    if (actor->store)
        return actor->store;
    if (!rh__rt.options.store_folder) {
        rh__misuse(here, "%s without a store: set store_folder in struct rh_runtime_options", call);
        return NULL;
    }
    path_of(actor, path, sizeof path);
    struct rh__store *store = rh__need(sizeof *store);
    *store = (struct rh__store){ .file = rh__need(sizeof *store->file) };
    *store->file = (struct file){ 0 };
    grow(store);
    store->file->fd = rh__store_file_open(path, set, store, &store->file->size, &cut, text, sizeof text);
    if (store->file->fd < 0) {
        rh__fail("store", here, "%s", text);
        free(store->file);
        store_free(store);
        return NULL;
    }
    if (cut)
        fprintf(stderr, "rehearse: %s: the last %zu bytes were no whole record and are cut\n", path, cut);
    if (store->file->size > COMPACT_FROM && store->live_bytes < store->file->size / 2)
        compact(store, path);
    actor->store = store;
    return store;
}

void rh__store_close(struct rh__store *store)
{
    if (!store)
        return;
    if (writer.running) {
        struct request *r = rh__need(sizeof *r);
        *r = (struct request){ .file = store->file };
        submit(r);
    } else {
        close(store->file->fd);
        free(store->file);
    }
    store_free(store);
}

/* ---- what actors call ------------------------------------------------------------------------------------------ */

uint32_t rh__store_put(struct rh__actor *actor, const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh__store *store = store_of(actor, "rh_store_put", here);
    if (!store)
        return 0;
    size_t key_size = strlen(key);
    if (key_size > LONGEST_KEY || size > rh__rt.options.max_message_bytes) {
        rh__misuse(here,
                   "rh_store_put: a key of %zu (of at most %d) and a value of %zu bytes (of at most %u, "
                   "max_message_bytes)",
                   key_size, LONGEST_KEY, size, rh__rt.options.max_message_bytes);
        return 0;
    }
    set(store, key, key_size, bytes, bytes ? size : 0);
    struct request *r = rh__need(sizeof *r + rh__record_size(key_size, bytes, size));
    *r = (struct request){ .file = store->file, .who = actor->self, .ticket = ++store->puts };
    r->size = rh__record_size(key_size, bytes, size);
    rh__record_write(r->record, key, key_size, bytes, size);
    rh__pool_busy(1);
    uint32_t ticket = r->ticket; /* the request is the writer's from here on */
    submit(r);
    return ticket;
}

int64_t rh__store_get(struct rh__actor *actor, const char *key, void *buffer, size_t capacity, const char *here)
{
    struct rh__store *store = store_of(actor, "rh_store_get", here);
    if (!store)
        return -1;
    struct item *item = *find(store, key, strlen(key));
    if (!item)
        return -1;
    size_t n = item->size < capacity ? item->size : capacity;
    if (n)
        memcpy(buffer, item->key + item->key_size, n);
    return (int64_t)item->size;
}

void rh__store_durable(struct rh__store *store, uint32_t ticket)
{
    if (store)
        store->durable = ticket;
}

bool rh__store_all_durable(const struct rh__store *store)
{
    return !store || store->durable == store->puts;
}

void rh__store_sync(struct rh__actor *actor, const char *here)
{
    if (!store_of(actor, "rh_store_sync", here))
        return;
    actor->tickets++;
    actor->wait.what = RH__WAIT_STORED;
    if (!rh__store_all_durable(actor->store))
        rh__wait(actor, 0, here);
}
