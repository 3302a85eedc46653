/* See rt_registry.h.  A table of chains behind one lock. */
#include "runtime/rt_registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "runtime/runtime.h"
#include "runtime/table.h"

enum { CHAINS = 1024 };

struct entry {
    struct entry *next;
    rh_ref who;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *chains[CHAINS];
static struct entry *externals; /* newest first; numbered from 1 */
static uint32_t external_count;

static struct entry **find(const char *name)
{
    struct entry **at = &chains[rh__hash(name, strlen(name), 0) % CHAINS];
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static struct entry *entry_new(const char *name, rh_ref who)
{
    size_t size = strlen(name) + 1;
    struct entry *entry = rh__need(sizeof *entry + size);
    entry->next = NULL;
    entry->who = who;
    memcpy(entry->name, name, size);
    return entry;
}

static void unlink_entry(struct entry **at)
{
    struct entry *entry = *at;
    *at = entry->next;
    free(entry);
}

static bool lives(rh_ref who)
{
    if (rh__ref_external(who))
        return true;
    struct rh__slot *slot = rh__slot_of(who);
    return slot && rh__ref_generation(who) % 2 == 1 && atomic_load(&slot->generation) == rh__ref_generation(who);
}

bool rh__registry_set(const char *name, rh_ref who)
{
    pthread_mutex_lock(&lock);
    struct entry **at = find(name);
    bool done;
    if (*at && !lives((*at)->who))
        unlink_entry(at), at = find(name);
    if (rh_is_nobody(who)) {
        done = *at != NULL;
        if (done)
            unlink_entry(at);
    } else if (*at) {
        done = false;
    } else {
        /* The actor first ends and then looks for names; we first set the name and then check whether the actor has
         * ended. */
        struct rh__slot *slot = rh__ref_external(who) ? NULL : rh__slot_of(who);
        *at = entry_new(name, who);
        if (slot)
            atomic_store(&slot->has_names, true);
        done = lives(who);
        if (!done)
            unlink_entry(at);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

rh_ref rh__registry_find(const char *name)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = *find(name);
    rh_ref who = entry && lives(entry->who) ? entry->who : rh_nobody();
    pthread_mutex_unlock(&lock);
    return who;
}

void rh__registry_forget(struct rh__slot *slot, rh_ref who)
{
    pthread_mutex_lock(&lock);
    atomic_store(&slot->has_names, false);
    for (int i = 0; i < CHAINS; i++)
        for (struct entry **at = &chains[i]; *at;)
            if (rh_same((*at)->who, who))
                unlink_entry(at);
            else
                at = &(*at)->next;
    pthread_mutex_unlock(&lock);
}

rh_ref rh__external(const char *name)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = externals;
    while (entry && strcmp(entry->name, name) != 0)
        entry = entry->next;
    if (!entry) {
        entry = entry_new(name, (rh_ref){ ++external_count });
        entry->next = externals;
        externals = entry;
    }
    pthread_mutex_unlock(&lock);
    return entry->who;
}

void rh__external_text(rh_ref who, char *buffer, size_t size)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = externals;
    while (entry && !rh_same(entry->who, who))
        entry = entry->next;
    snprintf(buffer, size, "%s", entry ? entry->name : "somebody unknown");
    pthread_mutex_unlock(&lock);
}

void rh__registry_release(void)
{
    for (int i = 0; i < CHAINS; i++)
        while (chains[i])
            unlink_entry(&chains[i]);
    while (externals)
        unlink_entry(&externals);
    external_count = 0;
}
