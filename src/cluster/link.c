/* See link.h. */
#include "cluster/link.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(x)   #x
#define NUMBER_OF(x) TEXT_OF(x)
#define WORD(name)   #name " "
const char rh__link_words[] = NUMBER_OF(RH__LINK_FORMAT_) " " RH__LINK_OPERATIONS(WORD) "/ " RH__LINK_STATE(WORD);
#undef WORD

int rh__link_find(const char *program, char *error, size_t error_size)
{
    const char *variable = getenv(RH__LINK_VARIABLE), *words = variable ? strchr(variable, ' ') : NULL;
    if (!variable)
        snprintf(error, error_size, "the connection is held by the command: rehearse test or agent %s --cluster URL",
                 program);
    else if (!words || strcmp(words + 1, rh__link_words) != 0)
        snprintf(error, error_size,
                 "%s was built with another version of rehearse than the command that runs it: build it again",
                 program);
    else
        return atoi(variable);
    return -1;
}

enum { ASK = 0xb1, ANSWER = 0xb2 };

static void put_items(struct rh__writer *w, const struct rh__items *i)
{
    rh__put_small(w, i->count);
    rh__put_block(w, i->bytes, i->size);
}

/* Exactly `count` blocks, each of which is not too large. */
static bool get_items(struct rh__reader *r, struct rh__items *i)
{
    uint64_t count = rh__get_small(r);
    i->bytes = rh__get_block(r, &i->size);
    struct rh__reader blocks = rh__reader_of(i->bytes, i->size);
    i->count = (uint32_t)count;
    if (r->bad || count > i->size)
        return false;
    for (uint64_t n = 0; n < count && !blocks.bad; n++) {
        size_t size;
        rh__get_block(&blocks, &size);
        blocks.bad |= size > RH__LINK_MOST_ITEM;
    }
    return rh__reader_done(&blocks);
}

void rh__link_ask_encode(const struct rh__link_ask *a, struct rh__writer *w)
{
    rh__put_small(w, ASK);
    rh__put_small(w, a->operation);
    rh__put_small(w, a->lease);
    rh__put_small(w, (a->died ? 1 : 0) | (a->wants ? 2 : 0));
    rh__put_small(w, a->runs);
    rh__put_small(w, a->steps);
    rh__put_small(w, a->findings);
    rh__put_small(w, a->done_runs);
    rh__put_small(w, a->done_steps);
    rh__put_small(w, a->workers);
    rh__put_double(w, a->lease_seconds);
    rh__put_text(w, a->text ? a->text : "");
    rh__put_block(w, a->bytes, a->size);
    put_items(w, &a->items);
}

bool rh__link_ask_decode(struct rh__link_ask *a, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    bool good = rh__get_small(&r) == ASK;
    uint64_t operation = rh__get_small(&r);
    a->operation = (enum rh__link_operation)operation;
    a->lease = rh__get_small(&r);
    uint64_t flags = rh__get_small(&r);
    a->died = flags & 1;
    a->wants = flags & 2;
    a->runs = rh__get_small(&r);
    a->steps = rh__get_small(&r);
    a->findings = rh__get_small(&r);
    a->done_runs = rh__get_small(&r);
    a->done_steps = rh__get_small(&r);
    a->workers = rh__get_small(&r);
    a->lease_seconds = rh__get_double(&r);
    a->text = rh__get_text(&r);
    a->bytes = rh__get_block(&r, &a->size);
    return get_items(&r, &a->items) && good && operation < RH__LINK_OPERATION_COUNT && flags <= 3 &&
           a->size <= RH__LINK_MOST_ITEM && a->lease_seconds >= 0 && a->lease_seconds <= 1e6 && rh__reader_done(&r);
}

void rh__link_answer_encode(const struct rh__link_answer *a, struct rh__writer *w)
{
    rh__put_small(w, ANSWER);
    rh__put_small(w, a->status);
#define RH__X(name) rh__put_small(w, a->state.name);
    RH__LINK_STATE(RH__X)
#undef RH__X
    rh__put_small(w, a->lease);
    rh__put_small(w, a->deaths);
    rh__put_small(w, a->max_runs);
    rh__put_small(w, a->max_steps);
    rh__put_text(w, a->text ? a->text : "");
    rh__put_block(w, a->bytes, a->size);
    put_items(w, &a->results);
    put_items(w, &a->items);
}

bool rh__link_answer_decode(struct rh__link_answer *a, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    bool good = rh__get_small(&r) == ANSWER;
    uint64_t status = rh__get_small(&r);
    a->status = (enum rh__link_status)status;
#define RH__X(name) a->state.name = rh__get_small(&r);
    RH__LINK_STATE(RH__X)
#undef RH__X
    a->lease = rh__get_small(&r);
    uint64_t deaths = rh__get_small(&r);
    a->deaths = deaths < UINT32_MAX ? (uint32_t)deaths : UINT32_MAX;
    a->max_runs = rh__get_small(&r);
    a->max_steps = rh__get_small(&r);
    a->text = rh__get_text(&r);
    a->bytes = rh__get_block(&r, &a->size);
    return get_items(&r, &a->results) && get_items(&r, &a->items) && good && status < RH__LINK_STATUS_COUNT &&
           a->size <= RH__LINK_MOST_ITEM && rh__reader_done(&r);
}
