/* Answers of a server as a tree, built by the reader of hiredis through our functions, which keep bounds (wire.h). */
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "link/wire.h"

enum { MOST_PARTS = 1 << 22 }; /* of an answer, all together */

void rh__reply_free(struct rh__reply *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++) /* nesting is bounded by the reader */
        rh__reply_free(r->parts[i]);
    rh__free(r->parts);
    rh__free(r->text);
    rh__free(r);
}

/* A new reply, in the place that the task names. */
static struct rh__reply *placed(const redisReadTask *task, struct rh__reply *r)
{
    if (!r || !task->parent)
        return r;
    struct rh__reply *parent = task->parent->obj;
    if (!parent || (size_t)task->idx >= parent->count) {
        rh__reply_free(r);
        return NULL;
    }
    parent->parts[task->idx] = r;
    return r;
}

static struct rh__reply *fresh(int type)
{
    struct rh__reply *r = rh__alloc_array(1, sizeof *r);
    if (r)
        r->type = type;
    return r;
}

static void *create_string(const redisReadTask *task, char *text, size_t size)
{
    struct rh__reply *r = fresh(task->type);
    if (!r)
        return NULL;
    r->text = rh__alloc(size + 1);
    if (!r->text) {
        rh__free(r);
        return NULL;
    }
    memcpy(r->text, text, size);
    r->text[size] = 0;
    r->size = size;
    return placed(task, r);
}

/* A few bytes announce millions of parts: so they are counted over the whole answer. */
static void *create_array(const redisReadTask *task, int elements)
{
    size_t *parts = task->privdata;
    if (elements < 0 || (size_t)elements > MOST_PARTS - *parts)
        return NULL;
    struct rh__reply *r = fresh(REDIS_REPLY_ARRAY);
    if (!r)
        return NULL;
    *parts += (size_t)elements;
    r->parts = rh__alloc_array((size_t)elements + 1, sizeof *r->parts);
    if (!r->parts) {
        rh__free(r);
        return NULL;
    }
    r->count = (size_t)elements;
    return placed(task, r);
}

static void *create_integer(const redisReadTask *task, long long value)
{
    struct rh__reply *r = fresh(REDIS_REPLY_INTEGER);
    if (r)
        r->number = value;
    return placed(task, r);
}

static void *create_nil(const redisReadTask *task)
{
    return placed(task, fresh(REDIS_REPLY_NIL));
}

static void free_object(void *r)
{
    rh__reply_free(r);
}

redisReader *rh__reader_new(void)
{
    static redisReplyObjectFunctions functions = { create_string, create_array, create_integer, create_nil,
                                                   free_object };
    redisReader *reader = redisReaderCreateWithFunctions(&functions);
    if (reader && !(reader->privdata = rh__alloc_array(1, sizeof(size_t)))) {
        redisReaderFree(reader);
        return NULL;
    }
    return reader;
}

void rh__reader_restart(redisReader *reader)
{
    *(size_t *)reader->privdata = 0;
}

void rh__reader_free(redisReader *reader)
{
    if (!reader)
        return;
    rh__free(reader->privdata);
    redisReaderFree(reader);
}

bool rh__reply_is_text(const struct rh__reply *r)
{
    return r && (r->type == REDIS_REPLY_STRING || r->type == REDIS_REPLY_STATUS);
}

long long rh__reply_number(const struct rh__reply *r)
{
    return !r ? 0 : r->type == REDIS_REPLY_INTEGER ? r->number : rh__reply_is_text(r) ? strtoll(r->text, NULL, 10) : 0;
}

const struct rh__reply *rh__reply_part(const struct rh__reply *r, size_t i)
{
    return r && r->type == REDIS_REPLY_ARRAY && i < r->count ? r->parts[i] : NULL;
}
