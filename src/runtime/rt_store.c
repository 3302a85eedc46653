/* See rt_store.h.
 *
 * A put makes a record once, and the table of its store and the queue to the writer's thread share it.  Records never
 * change, so the journal can be rewritten while actors continue to put.
 *
 * Rewriting: when the journal is mostly history, the writer takes the queue and the tables at the same moment, and
 * writes the contents of the tables to a new file.  The puts in that queue are already part of the tables. */
#include "runtime/rt_store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "runtime/actor.h"
#include "runtime/failure.h"
#include "runtime/journal.h"
#include "runtime/rt_names.h"
#include "runtime/rt_pool.h"

enum { REWRITE_FROM = 64 << 10, BUCKETS = 1024 };
#define NO_NUMBER UINT32_MAX

struct record {
    struct record *next; /* in its chain */
    struct rh__store *store;
    uint32_t uses;
    uint32_t kind, key_size, size;
    char bytes[]; /* key, then value */
};

/* Guarded by `stores.lock`, except what belongs to the owner alone. */
struct rh__store {
    char name[RH_STORE_NAME_SIZE];
    struct rh__store *next; /* in its bucket */
    struct record **chains; /* only the owner changes them, under the lock; it may read them without the lock */
    size_t chain_count, count;
    uint32_t number;          /* in the journal; NO_NUMBER before the first put; only for the writer */
    bool held;                /* an actor has it open */
    bool damaged;             /* its contents are not what was acknowledged */
    bool told;                /* a failed put has been reported */
    uint64_t queued, durable; /* numbers of puts, of all owners */
    /* Only for the owner: */
    uint32_t tickets, noted; /* numbers of its own puts: made, known to be durable */
    bool awaits;             /* waits for puts of an earlier owner */
};

struct request {
    struct request *next;
    struct rh__store *store;
    struct record *record; /* NULL: a request to be told when everything before it is durable */
    rh_ref who;
    uint32_t ticket;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first, **end;
    struct rh__store *buckets[BUCKETS]; /* by name */
    uint64_t live_bytes;                /* size of a journal without history */
    bool failed;                        /* no later put becomes durable */
    /* Only for the writer while it runs. */
    struct rh__journal journal;
    uint64_t rewrite_from;      /* size of the journal at which it is rewritten */
    struct rh__store **numbers; /* the stores that the journal names, by number */
    uint32_t number_count, number_room;
    bool any_damaged;
    bool stop, running;
    pthread_t thread;
} stores = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

/* ---- records --------------------------------------------------------------------------------------------------- */

static struct record *record_new(struct rh__store *store, const char *key, size_t key_size, const void *value,
                                 size_t size)
{
    struct record *r = rh__need(sizeof *r + key_size + (value ? size : 0));
    *r = (struct record){ .uses = 1,
                          .kind = value ? RH__RECORD_PUT : RH__RECORD_REMOVE,
                          .store = store,
                          .key_size = (uint32_t)key_size,
                          .size = value ? (uint32_t)size : 0 };
    memcpy(r->bytes, key, key_size);
    if (r->size)
        memcpy(r->bytes + key_size, value, size);
    return r;
}

/* The caller holds the lock. */
static void record_drop(struct record *r)
{
    RH__ASSERT(!r || r->uses, "a record is dropped more often than it is used");
    if (r && --r->uses == 0)
        free(r);
}

static uint64_t bytes_of(const struct record *r)
{
    return RH__RECORD_HEAD + (uint64_t)r->key_size + r->size;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static struct record **find(const struct rh__store *store, const char *key, size_t key_size)
{
    struct record **at = &store->chains[rh__hash(key, key_size, 0) % store->chain_count];
    while (*at && ((*at)->key_size != key_size || memcmp((*at)->bytes, key, key_size) != 0))
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
        for (struct record *r = store->chains[i], *next; r; r = next) {
            next = r->next;
            struct record **at = find(&bigger, r->bytes, r->key_size);
            r->next = *at;
            *at = r;
        }
    free(store->chains);
    store->chains = bigger.chains;
    store->chain_count = bigger.chain_count;
}

/* Takes over one reference to the record. */
static void set(struct rh__store *store, struct record *r)
{
    if (store->count >= store->chain_count * 2)
        grow(store);
    struct record **at = find(store, r->bytes, r->key_size);
    if (*at) {
        struct record *old = *at;
        stores.live_bytes -= bytes_of(old);
        store->count--;
        *at = old->next;
        record_drop(old);
    }
    if (r->kind == RH__RECORD_REMOVE) {
        record_drop(r);
        return;
    }
    r->next = *at;
    *at = r;
    store->count++;
    stores.live_bytes += bytes_of(r);
}

static struct rh__store **bucket_of(const char *name)
{
    return &stores.buckets[rh__hash(name, strlen(name), 0) % BUCKETS];
}

static struct rh__store *store_named(const char *name)
{
    struct rh__store *s = *bucket_of(name);
    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    return s;
}

static struct rh__store *store_new(const char *name)
{
    struct rh__store *s = rh__need(sizeof *s);
    *s = (struct rh__store){ .number = NO_NUMBER };
    snprintf(s->name, sizeof s->name, "%s", name);
    grow(s);
    s->next = *bucket_of(name);
    *bucket_of(name) = s;
    stores.live_bytes += RH__RECORD_HEAD + strlen(name);
    return s;
}

static void store_free(struct rh__store *store)
{
    for (size_t i = 0; i < store->chain_count; i++)
        for (struct record *r = store->chains[i], *next; r; r = next) {
            next = r->next;
            record_drop(r);
        }
    free(store->chains);
    free(store);
}

/* ---- the writer's thread --------------------------------------------------------------------------------------- */

static void number(struct rh__store *store)
{
    if (stores.number_count == stores.number_room) {
        stores.number_room = stores.number_room ? stores.number_room * 2 : 64;
        stores.numbers = rh__need_more(stores.numbers, stores.number_room * sizeof *stores.numbers);
    }
    store->number = stores.number_count;
    stores.numbers[stores.number_count++] = store;
}

static void add_name(const struct rh__store *store)
{
    struct rh__record name = { RH__RECORD_NAME, store->number, (uint32_t)strlen(store->name), 0, store->name };
    rh__journal_add(&stores.journal, &name);
}

static void add(const struct record *r)
{
    if (r->store->number == NO_NUMBER) {
        number(r->store);
        add_name(r->store);
    }
    struct rh__record record = { r->kind, r->store->number, r->key_size, r->size, r->bytes };
    rh__journal_add(&stores.journal, &record);
}

/* The contents of all tables, with a reference to each record.  The caller holds the lock. */
static struct record **snapshot(size_t *count)
{
    size_t n = 0, at = 0;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct rh__store *s = stores.buckets[b]; s; s = s->next)
            n += s->count;
    struct record **all = malloc((n + 1) * sizeof *all);
    for (size_t b = 0; b < BUCKETS && all; b++)
        for (struct rh__store *s = stores.buckets[b]; s; s = s->next)
            for (size_t i = 0; i < s->chain_count; i++)
                for (struct record *r = s->chains[i]; r; r = r->next) {
                    r->uses++;
                    all[at++] = r;
                }
    *count = at;
    return all;
}

/* Stores keep their numbers; if the new file is given up, stores that it names for the first time lose theirs. */
static bool rewrite(struct record **all, size_t count)
{
    uint32_t named = stores.number_count;
    if (!rh__journal_rewrite(&stores.journal))
        return false;
    for (uint32_t i = 0; i < named; i++)
        add_name(stores.numbers[i]);
    for (size_t i = 0; i < count; i++)
        add(all[i]);
    if (rh__journal_replace(&stores.journal))
        return true;
    while (stores.number_count > named)
        stores.numbers[--stores.number_count]->number = NO_NUMBER;
    return false;
}

static bool mostly_history(void)
{
    uint64_t size = stores.journal.size;
    return size > stores.rewrite_from && stores.live_bytes < size / 2 && !stores.any_damaged;
}

/* `all` is what is rewritten, or NULL. */
static void make_durable(struct request *batch, struct record **all, size_t count)
{
    if (stores.journal.failed)
        return;
    bool rewritten = all && rewrite(all, count);
    if (all)
        stores.rewrite_from = rewritten ? REWRITE_FROM : stores.journal.size * 2; /* do not try again at once */
    if (rewritten || stores.journal.failed)
        return;
    for (struct request *r = batch; r; r = r->next)
        if (r->record)
            add(r->record);
    rh__journal_commit(&stores.journal);
}

/* Nobody waits for puts of an earlier owner; the next owner reports that the journal has failed. */
static void answer(struct request *r, bool tell)
{
    struct rh_stored value = { .ticket = r->ticket };
    bool bad = stores.journal.failed;
    struct rh__message *m =
        rh__message_make(NULL, bad ? RH__STORE_BAD : RH__STORED, r->who, &rh_message_rh_stored, sizeof value);
    m->ticket = r->ticket;
    memcpy(rh__message_value(m), &value, sizeof value);
    if (tell)
        rh__rt_fail("store", "",
                    "store \"%s\": a put of %s could not be made durable (%s): no put becomes durable any more, "
                    "and the actor ends",
                    r->store->name, rh__name_of(r->who), strerror(stores.journal.error));
    rh__post(NULL, r->who, m);
    rh__pool_busy(-1);
}

static void answer_all(struct request *batch)
{
    bool failed = stores.journal.failed;
    while (batch) {
        struct request *r = batch;
        batch = r->next;
        pthread_mutex_lock(&stores.lock);
        stores.failed = failed;
        bool tell = failed && !r->store->told;
        r->store->told |= failed;
        r->store->durable += !failed && r->record;
        record_drop(r->record);
        pthread_mutex_unlock(&stores.lock);
        answer(r, tell);
        free(r);
    }
}

static void drop_all(struct record **all, size_t count)
{
    pthread_mutex_lock(&stores.lock);
    for (size_t i = 0; all && i < count; i++)
        record_drop(all[i]);
    pthread_mutex_unlock(&stores.lock);
    free(all);
}

static void *writer_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&stores.lock);
    while (!stores.stop || stores.first) {
        if (!stores.first) {
            pthread_cond_wait(&stores.filled, &stores.lock);
            continue;
        }
        struct request *batch = stores.first;
        size_t count = 0;
        stores.first = NULL;
        stores.end = &stores.first;
        struct record **all = mostly_history() ? snapshot(&count) : NULL;
        pthread_mutex_unlock(&stores.lock);
        make_durable(batch, all, count);
        answer_all(batch);
        drop_all(all, count);
        pthread_mutex_lock(&stores.lock);
    }
    pthread_mutex_unlock(&stores.lock);
    return NULL;
}

static void submit(struct rh__store *store, struct record *record, rh_ref who, uint32_t ticket)
{
    struct request *r = rh__need(sizeof *r);
    *r = (struct request){ .store = store, .record = record, .who = who, .ticket = ticket };
    rh__pool_busy(1);
    pthread_mutex_lock(&stores.lock);
    if (record) {
        record->uses++;
        set(store, record);
        store->queued++;
    }
    *stores.end = r;
    stores.end = &r->next;
    pthread_cond_signal(&stores.filled);
    pthread_mutex_unlock(&stores.lock);
}

/* ---- start and stop -------------------------------------------------------------------------------------------- */

static bool take_name(const struct rh__record *r)
{
    char name[RH_STORE_NAME_SIZE];
    if (r->store != stores.number_count || r->value_size || !r->key_size || r->key_size >= sizeof name ||
        memchr(r->key, 0, r->key_size))
        return false;
    memcpy(name, r->key, r->key_size);
    name[r->key_size] = 0;
    if (store_named(name))
        return false;
    number(store_new(name));
    return true;
}

/* Called by the reader of the journal. */
static bool take_record(void *arg, const struct rh__record *r)
{
    (void)arg;
    bool puts = r->kind == RH__RECORD_PUT, removes = r->kind == RH__RECORD_REMOVE && !r->value_size;
    if (r->kind == RH__RECORD_NAME)
        return take_name(r);
    if (r->store >= stores.number_count || (!puts && !removes))
        return false;
    struct rh__store *store = stores.numbers[r->store];
    set(store, record_new(store, r->key, r->key_size, puts ? r->key + r->key_size : NULL, r->value_size));
    return true;
}

static bool take_damage(void *arg, uint32_t store)
{
    (void)arg;
    if (store >= stores.number_count)
        return false;
    stores.numbers[store]->damaged = stores.any_damaged = true;
    return true;
}

static void rewrite_at_start(void)
{
    size_t count;
    struct record **all = snapshot(&count);
    if (all && !rewrite(all, count))
        stores.rewrite_from = stores.journal.size * 2;
    drop_all(all, count);
}

bool rh__store_start(void)
{
    char text[640];
    struct rh__journal_reader reader = { take_record, take_damage, NULL };
    stores.first = NULL;
    stores.end = &stores.first;
    stores.live_bytes = 0;
    stores.rewrite_from = REWRITE_FROM;
    stores.stop = stores.failed = stores.any_damaged = false;
    if (!rh__rt.options.store_folder)
        return true;
    if (!rh__journal_open(&stores.journal, rh__rt.options.store_folder, &reader, text, sizeof text)) {
        fprintf(stderr, "rehearse: rh_runtime_start: %s\n", text);
        rh__rt_store_release();
        return false;
    }
    if (mostly_history())
        rewrite_at_start();
    if (!stores.journal.failed && pthread_create(&stores.thread, NULL, writer_thread, NULL) == 0) {
        stores.running = true;
        return true;
    }
    fprintf(stderr, "rehearse: rh_runtime_start: store_folder %s: %s\n", rh__rt.options.store_folder,
            stores.journal.failed ? strerror(stores.journal.error) : "no thread can be had");
    rh__journal_close(&stores.journal);
    rh__rt_store_release();
    return false;
}

void rh__store_stop(void)
{
    if (!stores.running)
        return;
    pthread_mutex_lock(&stores.lock);
    stores.stop = true;
    pthread_cond_signal(&stores.filled);
    pthread_mutex_unlock(&stores.lock);
    pthread_join(stores.thread, NULL);
    stores.running = false;
    rh__journal_close(&stores.journal);
}

void rh__rt_store_release(void)
{
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct rh__store *s = stores.buckets[b], *next; s; s = next) {
            next = s->next;
            store_free(s);
        }
    memset(stores.buckets, 0, sizeof stores.buckets);
    free(stores.numbers);
    stores.numbers = NULL;
    stores.number_count = stores.number_room = 0;
}

/* ---- what actors call ------------------------------------------------------------------------------------------ */

/* The actor must not continue: it would read an empty store, or believe that something is durable. */
#define END_BY_MISUSE(actor, here, ...)                                                                                \
    do {                                                                                                               \
        rh__misuse(here, __VA_ARGS__);                                                                                 \
        rh__actor_exit(actor, "failed", NULL);                                                                         \
    } while (0)

static void check_name(struct rh__actor *actor, const char *name, const char *here)
{
    size_t length = name ? strnlen(name, RH_STORE_NAME_SIZE) : 0;
    bool plain = length > 0 && length < RH_STORE_NAME_SIZE;
    for (size_t i = 0; plain && i < length; i++)
        plain = !iscntrl((unsigned char)name[i]);
    if (!plain)
        END_BY_MISUSE(actor, here, "rh_store_open: a name has 1 to %d bytes and no control characters",
                      RH_STORE_NAME_SIZE - 1);
}

void rh__rt_store_open(struct rh__actor *actor, const char *name, const char *here)
{
    check_name(actor, name, here);
    if (!rh__rt.options.store_folder)
        END_BY_MISUSE(actor, here, "rh_store_open without stores: set store_folder in struct rh_runtime_options");
    if (actor->store && strcmp(actor->store->name, name) == 0)
        return;
    if (actor->store)
        END_BY_MISUSE(actor, here, "rh_store_open(\"%s\"): it has opened \"%s\" already, and an actor has one store",
                      name, actor->store->name);
    pthread_mutex_lock(&stores.lock);
    struct rh__store *s = store_named(name);
    if (!s)
        s = store_new(name);
    bool held = s->held, failed = stores.failed, damaged = s->damaged;
    if (!held && !failed && !damaged) {
        s->held = true;
        s->tickets = s->noted = 0;
        s->awaits = false;
        actor->store = s;
    }
    pthread_mutex_unlock(&stores.lock);
    if (held)
        END_BY_MISUSE(actor, here, "rh_store_open(\"%s\"): another actor has it open", name);
    if (damaged) {
        rh__rt_fail("store", here, "store \"%s\" is damaged: acknowledged data is missing", name);
        rh__actor_exit(actor, "damaged", NULL);
    }
    if (failed) {
        rh__rt_fail("store", here, "store \"%s\" cannot be opened: an earlier put could not be made durable", name);
        rh__actor_exit(actor, "store", NULL);
    }
}

static struct rh__store *store_of(struct rh__actor *actor, const char *call, const char *here)
{
    if (!actor->store)
        END_BY_MISUSE(actor, here, "%s before rh_store_open: an actor names its store first", call);
    return actor->store;
}

void rh__store_close(struct rh__store *store)
{
    if (!store)
        return;
    pthread_mutex_lock(&stores.lock);
    store->held = false;
    pthread_mutex_unlock(&stores.lock);
}

uint32_t rh__rt_store_put(struct rh__actor *actor, const char *call, const char *key, const void *bytes, size_t size,
                          const char *here)
{
    struct rh__store *store = store_of(actor, call, here);
    size_t key_size = strlen(key);
    if (key_size > RH__LONGEST_KEY || size > rh__rt.options.max_message_bytes)
        END_BY_MISUSE(actor, here,
                      "%s: a key of %zu (of at most %d) and a value of %zu bytes (of at most %u, "
                      "max_message_bytes)",
                      call, key_size, RH__LONGEST_KEY, size, rh__rt.options.max_message_bytes);
    uint32_t ticket = ++store->tickets;
    submit(store, record_new(store, key, key_size, bytes, size), actor->self, ticket);
    return ticket;
}

int64_t rh__store_get(struct rh__actor *actor, const char *key, void *buffer, size_t capacity, const char *here)
{
    const struct record *r = *find(store_of(actor, "rh_store_get", here), key, strlen(key));
    if (!r)
        return -1;
    size_t n = r->size < capacity ? r->size : capacity;
    if (n)
        memcpy(buffer, r->bytes + r->key_size, n);
    return (int64_t)r->size;
}

void rh__store_durable(struct rh__store *store, uint32_t ticket)
{
    if (!store)
        return;
    store->noted = ticket;
    store->awaits = false; /* puts of earlier owners come first */
}

bool rh__store_all_durable(const struct rh__store *store)
{
    return !store || (store->noted == store->tickets && !store->awaits);
}

void rh__rt_store_sync(struct rh__actor *actor, const char *here)
{
    struct rh__store *store = store_of(actor, "rh_store_sync", here);
    if (store->noted == store->tickets) {
        pthread_mutex_lock(&stores.lock);
        store->awaits = store->durable < store->queued; /* puts of an earlier owner, which this actor may have read */
        pthread_mutex_unlock(&stores.lock);
        if (store->awaits)
            submit(store, NULL, actor->self, store->tickets);
    }
    actor->tickets++;
    actor->wait.what = RH__WAIT_STORED;
    if (!rh__store_all_durable(store))
        rh__wait(actor, 0, here);
}
