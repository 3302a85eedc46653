/* See rt_names.h. */
#include "runtime/rt_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/rt_registry.h"
#include "runtime/runtime.h"
#include "runtime/table.h"

enum {
    DEEPEST = 64, /* a longer line of descent is folded into its hash, so that names stay bounded */
    TEXT = 512,
};

struct rh__name {
    _Atomic(uint32_t) users;
    uint32_t number;
    uint32_t depth;
    const char *type; /* NULL: only the hash is known */
    struct rh__name *parent;
    uint64_t hash;
};

static struct {
    pthread_mutex_t lock;
    struct {
        const struct rh_actor_type *type;
        uint32_t count;
    } * of;
    uint32_t types;
} root = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct rh__name *node_new(struct rh__name *parent, const char *type, uint32_t number, uint64_t hash)
{
    struct rh__name *name = rh__need(sizeof *name);
    atomic_init(&name->users, 1);
    name->number = number;
    name->depth = parent ? parent->depth + 1 : 0;
    name->type = type;
    name->parent = parent;
    name->hash = hash;
    return name;
}

struct rh__name *rh__name_new(struct rh__name *parent, const char *type, uint32_t number)
{
    uint64_t hash = rh__mix(rh__hash(type, strlen(type), parent ? parent->hash : 0), number);
    if (parent && parent->depth >= DEEPEST)
        parent = node_new(NULL, NULL, 0, parent->hash);
    else if (parent)
        rh__name_keep(parent);
    return node_new(parent, type, number, hash);
}

struct rh__name *rh__name_keep(struct rh__name *name)
{
    if (name)
        atomic_fetch_add_explicit(&name->users, 1, memory_order_relaxed);
    return name;
}

void rh__name_drop(struct rh__name *name)
{
    while (name && atomic_fetch_sub_explicit(&name->users, 1, memory_order_acq_rel) == 1) {
        struct rh__name *parent = name->parent;
        free(name);
        name = parent;
    }
}

uint64_t rh__name_hash(const struct rh__name *name)
{
    return name->hash;
}

void rh__name_text(const struct rh__name *name, char *buffer, size_t size)
{
    const struct rh__name *line[DEEPEST + 2];
    int count = 0;
    struct rh__text text;
    rh__text_init(&text, buffer, size);
    for (; name; name = name->parent)
        line[count++] = name;
    while (count-- > 0) {
        if (line[count]->type)
            rh__text_add(&text, "%s#%u", line[count]->type, line[count]->number);
        else
            rh__text_add(&text, "~%016llx", (unsigned long long)line[count]->hash);
        if (count > 0)
            rh__text_put(&text, "/", 1);
    }
}

uint32_t rh__name_count_root(const struct rh_actor_type *type)
{
    pthread_mutex_lock(&root.lock);
    uint32_t i = 0;
    while (i < root.types && root.of[i].type != type)
        i++;
    if (i == root.types) {
        root.of = rh__need_more(root.of, (i + 1) * sizeof *root.of);
        root.of[i].type = type;
        root.of[i].count = 0;
        root.types++;
    }
    uint32_t number = ++root.of[i].count;
    pthread_mutex_unlock(&root.lock);
    return number;
}

void rh__name_forget_root(void)
{
    free(root.of);
    root.of = NULL;
    root.types = 0;
}

/* Never inlined: a fiber that has moved to another thread must not find the old thread's buffer. */
__attribute__((noinline)) static char *text_buffer(void)
{
    static _Thread_local char buffers[RH_NAMES_AT_ONCE][TEXT];
    static _Thread_local unsigned given;
    char *at = buffers[given++ % RH_NAMES_AT_ONCE];
    __asm__ volatile("" : "+r"(at));
    return at;
}

const char *rh__name_of(rh_ref who)
{
    char *buffer = text_buffer();
    struct rh__text text;
    rh__text_init(&text, buffer, TEXT);
    if (rh_is_nobody(who)) {
        rh__text_add(&text, "nobody");
    } else if (rh__ref_external(who)) {
        rh__external_text(who, buffer, TEXT);
    } else {
        struct rh__name *name = rh__slot_name(who);
        if (name)
            rh__name_text(name, buffer, TEXT);
        else
            rh__text_add(&text, "somebody who ended");
        rh__name_drop(name);
    }
    return buffer;
}

bool rh__name_is_known(rh_ref who)
{
    struct rh__name *name = rh__slot_name(who);
    rh__name_drop(name);
    return name != NULL;
}
