/* Asks of a test program, answered with the script on the server (server.h, work.lua). */
#include <hiredis/hiredis.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/visible.h"
#include "cluster/messages.h"
#include "explore/engine/engine.h"
#include "link/script.h"

/* ---- replies of the script --------------------------------------------------------------------------------------- */

static enum rh__link_status refuse(struct rh__server *s, struct rh__link_answer *a, const char *why)
{
    snprintf(s->text, sizeof s->text, "%s", why);
    a->text = s->text;
    return a->status = RH__LINK_REFUSED;
}

enum { STATE_PARTS = 11 }; /* the status and the state */

/* Reads status and state.  Returns the status. */
static enum rh__link_status take_state(struct rh__server *s, struct rh__link_answer *a)
{
    static const struct {
        const char *name;
        enum rh__link_status status;
    } names[] = { { "ok", RH__LINK_OK },     { "none", RH__LINK_NONE },   { "late", RH__LINK_LATE },
                  { "gone", RH__LINK_GONE }, { "ended", RH__LINK_ENDED }, { "busy", RH__LINK_GONE } };
    const struct rh__reply *r = s->reply, *status = rh__reply_part(r, 0);
    if (!rh__reply_is_text(status)) {
        char why[400];
        /* The server's own words: it ran out of memory, or lacks a right. */
        snprintf(why, sizeof why, "the server refuses: %.300s",
                 r->type == REDIS_REPLY_ERROR ? r->text : "it does not answer as the script does");
        return refuse(s, a, why);
    }
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(names[i].name, status->text) != 0)
        i++;
    if (i == sizeof names / sizeof *names)
        return refuse(s, a, "the server does not answer as the script does");
    a->status = names[i].status;
    size_t at = 1;
    if (r->count >= STATE_PARTS) {
#define RH__X(name)                                                                                                    \
    long long name = rh__reply_number(rh__reply_part(r, at++));                                                        \
    a->state.name = name > 0 ? (uint64_t)name : 0;
        RH__LINK_STATE(RH__X)
#undef RH__X
    }
    return a->status;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static void drop_connection(struct rh__server *s, struct rh__link_answer *a)
{
    rh__wire_close(s->wire);
    s->wire = NULL;
    s->held_count = 0;
    a->status = RH__LINK_OFFLINE;
}

/* True if there is a connection to a server that may have this generation. */
static bool is_online(struct rh__server *s, struct rh__link_answer *a)
{
    char error[512];
    bool refused = false;
    if (!s->wire && rh__now_seconds() < s->next_attempt) {
        a->status = RH__LINK_OFFLINE;
        return false;
    }
    if (s->wire || rh__server_connect(s, &refused, error, sizeof error))
        return true;
    a->status = RH__LINK_OFFLINE;
    if (refused)
        refuse(s, a, error);
    return false;
}

/* Calls the script and reads status and state. */
static enum rh__link_status call(struct rh__server *s, struct rh__words *w, struct rh__link_answer *a)
{
    char error[512] = "";
    if (w->full)
        refuse(s, a, "no memory for a command");
    else if (!rh__server_call(s, w, error, sizeof error))
        drop_connection(s, a); /* also if the server has lost the script: it was started again, or is broken */
    else if (s->reply->type == REDIS_REPLY_ERROR && strncmp(s->reply->text, "NOSCRIPT", 8) == 0)
        drop_connection(s, a);
    else if (s->reply->type == REDIS_REPLY_ERROR &&
             (strncmp(s->reply->text, "LOADING", 7) == 0 || strncmp(s->reply->text, "BUSY", 4) == 0))
        drop_connection(s, a);
    else
        take_state(s, a);
    rh__words_release(w);
    return a->status;
}

static void begin_words(const struct rh__server *s, struct rh__words *w, const char *operation)
{
    *w = (struct rh__words){ 0 };
    rh__words_text(w, operation);
    rh__words_text(w, s->token);
    rh__words_text(w, s->me);
}

static void add_items(struct rh__words *w, const struct rh__items *items)
{
    struct rh__reader r = rh__reader_of(items->bytes, items->size);
    for (uint32_t i = 0; i < items->count; i++) {
        size_t size;
        const void *item = rh__get_block(&r, &size);
        rh__words_add(w, item, size);
    }
}

/* ---- leases ------------------------------------------------------------------------------------------------------ */

static struct rh__held *held(struct rh__server *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->held_count; i++)
        if (s->held[i].number == number)
            return &s->held[i];
    return NULL;
}

static void let_go(struct rh__server *s, struct rh__held *h)
{
    *h = s->held[--s->held_count];
}

/* The lease that the parts from `at` on describe, if there are any. */
static void take_lease(struct rh__server *s, struct rh__link_answer *a, size_t at)
{
    const struct rh__reply *entry = rh__reply_part(s->reply, at), *item = rh__reply_part(s->reply, at + 5);
    if (!entry)
        return;
    long long count = rh__reply_number(rh__reply_part(s->reply, at + 1));
    long long deaths = rh__reply_number(rh__reply_part(s->reply, at + 2));
    long long runs = rh__reply_number(rh__reply_part(s->reply, at + 3));
    long long steps = rh__reply_number(rh__reply_part(s->reply, at + 4));
    if (!rh__reply_is_text(entry) || entry->size >= sizeof s->held[0].entry || !rh__reply_is_text(item) ||
        item->size > RH__LINK_MOST_ITEM || count < 1 || deaths < 0 || runs < 0 || steps < 0 ||
        s->held_count == RH__MOST_LEASES) {
        refuse(s, a, "the server hands out what is no item");
        return;
    }
    struct rh__held *h = &s->held[s->held_count++];
    h->number = ++s->last_number;
    snprintf(h->entry, sizeof h->entry, "%s", entry->text);
    snprintf(h->count, sizeof h->count, "%lld", count);
    a->lease = h->number;
    a->deaths = deaths < UINT32_MAX ? (uint32_t)deaths : UINT32_MAX;
    a->max_runs = (uint64_t)runs;
    a->max_steps = (uint64_t)steps;
    a->bytes = item->text;
    a->size = item->size;
}

static void fetch(struct rh__server *s, struct rh__link_answer *a)
{
    struct rh__words w;
    begin_words(s, &w, "fetch");
    if (call(s, &w, a) == RH__LINK_OK)
        take_lease(s, a, STATE_PARTS);
}

static void commit(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    struct rh__held *h = held(s, ask->lease);
    begin_words(s, &w, h ? "commit" : "look");
    if (h) {
        rh__words_text(&w, h->entry);
        rh__words_text(&w, h->count);
        rh__words_number(&w, (long long)ask->runs);
        rh__words_number(&w, (long long)ask->steps);
        rh__words_number(&w, (long long)ask->findings);
        rh__words_text(&w, ask->wants ? "1" : "0");
        rh__words_add(&w, ask->bytes, ask->size);
        add_items(&w, &ask->items);
    }
    call(s, &w, a);
    if (!h && a->status == RH__LINK_OK)
        a->status = RH__LINK_LATE;
    if (h && (a->status == RH__LINK_OK || a->status == RH__LINK_LATE))
        let_go(s, h);
    if (h && a->status == RH__LINK_OK)
        take_lease(s, a, STATE_PARTS);
}

static void give_back(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    struct rh__held *h = held(s, ask->lease);
    begin_words(s, &w, h ? "back" : "look");
    if (h) {
        rh__words_text(&w, h->entry);
        rh__words_text(&w, h->count);
        rh__words_text(&w, ask->died ? "1" : "0");
    }
    call(s, &w, a);
    h = held(s, ask->lease); /* gone with the connection, perhaps: a lease that a renewal does not name ends */
    if (h)
        let_go(s, h);
}

/* Gives the number of a lease that has ended in `lease`, if there is one. */
static void renew(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    begin_words(s, &w, "renew");
    rh__words_number(&w, (long long)(ask->workers < 100000 ? ask->workers : 100000));
    rh__words_text(&w, s->setup.explorer ? s->owner : "");
    for (uint32_t i = 0; i < s->held_count; i++) {
        rh__words_text(&w, s->held[i].entry);
        rh__words_text(&w, s->held[i].count);
    }
    if (call(s, &w, a) != RH__LINK_OK)
        return;
    for (uint32_t i = s->held_count; i--;)
        if (!rh__reply_number(rh__reply_part(s->reply, STATE_PARTS + i))) {
            a->max_runs++;
            let_go(s, &s->held[i]);
        }
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* The explorer's new generation.  After a loss of the server it is the same job. */
static void begin(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    char token[sizeof s->token] = "", format[16];
    rh__random_name(token, sizeof token);
    begin_words(s, &w, "begin");
    rh__words_text(&w, s->owner);
    rh__words_text(&w, token);
    rh__words_number(&w, (long long)(ask->lease_seconds * 1000));
    rh__words_text(&w, ask->text);
    rh__words_add(&w, ask->bytes, ask->size);
    rh__words_number(&w, (long long)ask->runs);
    rh__words_number(&w, (long long)ask->steps);
    rh__words_number(&w, (long long)ask->done_runs);
    rh__words_number(&w, (long long)ask->done_steps);
    rh__words_number(&w, (long long)ask->findings);
    rh__words_text(&w, s->setup.sha256);
    snprintf(format, sizeof format, "%d", RH__LINK_FORMAT);
    rh__words_text(&w, format);
    rh__words_text(&w, s->setup.program);
    rh__words_text(&w, s->run_id);
    add_items(&w, &ask->items);
    if (call(s, &w, a) == RH__LINK_GONE)
        refuse(s, a, "another explorer has taken the job over");
    if (a->status != RH__LINK_OK)
        return;
    snprintf(s->token, sizeof s->token, "%s", token);
    snprintf(s->begun_on, sizeof s->begun_on, "%s", s->run_id);
    s->held_count = 0;
    s->taken = s->offered = 0;
    s->begun = true;
    s->ended = false;
}

/* Refuses a job that this program cannot work for. */
static bool is_fitting(struct rh__server *s, struct rh__link_answer *a, const struct rh__reply *r)
{
    char why[400];
    if (rh__reply_number(rh__reply_part(r, 4)) != RH__LINK_FORMAT)
        snprintf(why, sizeof why, "job %s is of another version of rehearse", s->setup.address.job);
    else if (strcmp(rh__reply_part(r, 3)->text, s->setup.sha256) != 0)
        snprintf(why, sizeof why,
                 "job %s is of another test program: its SHA-256 is %.12s..., that of %.100s here is %.12s...; build "
                 "it once and copy it",
                 s->setup.address.job, rh__reply_part(r, 3)->text, s->setup.program, s->setup.sha256);
    else
        return true;
    refuse(s, a, why);
    return false;
}

/* An agent looks for work. */
static void join(struct rh__server *s, struct rh__link_answer *a)
{
    char key[128], error[512];
    rh__server_key(s, "spec", key, sizeof key);
    rh__reply_free(s->reply);
    s->held_count = 0;
    s->reply = rh__wire_say(s->wire, error, sizeof error, "HMGET", key, "state", "token", "lease", "sha", "format",
                            "binding", "job", "run", NULL);
    if (!s->reply) {
        drop_connection(s, a);
        return;
    }
    const struct rh__reply *state = rh__reply_part(s->reply, 0), *token = rh__reply_part(s->reply, 1),
                           *binding = rh__reply_part(s->reply, 5), *job = rh__reply_part(s->reply, 6),
                           *run = rh__reply_part(s->reply, 7);
    long long lease = rh__reply_number(rh__reply_part(s->reply, 2));
    a->status = RH__LINK_NONE;
    if (s->reply->type == REDIS_REPLY_ERROR) {
        if (strncmp(s->reply->text, "LOADING", 7) == 0)
            drop_connection(s, a);
        else
            refuse(s, a, s->reply->text);
        return;
    }
    /* No job, or the server has lost it: its explorer will begin it again.  Likewise if the server has it from a file,
     * or if the explorer has died: another one may go on. */
    if (!rh__reply_is_text(state) || !rh__reply_is_text(run) || strcmp(run->text, s->run_id) != 0 ||
        strcmp(state->text, "left") == 0)
        return;
    if (strcmp(state->text, "ended") == 0 || strcmp(state->text, "removed") == 0) {
        a->status = s->seen_job ? RH__LINK_ENDED : RH__LINK_NONE;
        return;
    }
    if (!rh__reply_is_text(rh__reply_part(s->reply, 3)) || !is_fitting(s, a, s->reply))
        return;
    s->seen_job = true;
    if (strcmp(state->text, "idle") == 0 || !rh__reply_is_text(token) || token->size >= sizeof s->token ||
        !rh__reply_is_text(binding) || !rh__reply_is_text(job) || job->size > RH__LINK_MOST_ITEM || lease < 100 ||
        lease > 86400000)
        return;
    snprintf(s->token, sizeof s->token, "%s", token->text);
    snprintf(s->begun_on, sizeof s->begun_on, "%s", s->run_id);
    a->status = RH__LINK_OK;
    a->max_runs = (uint64_t)lease; /* in milliseconds */
    a->text = binding->text;
    a->bytes = job->text;
    a->size = job->size;
}

/* Results that the test program does not have, and all items, at one moment. */
static void snapshot(struct rh__server *s, struct rh__link_answer *a)
{
    struct rh__words w;
    s->taken = s->offered;
    begin_words(s, &w, "snapshot");
    rh__words_number(&w, (long long)s->taken);
    if (call(s, &w, a) != RH__LINK_OK)
        return;
    const struct rh__reply *results = rh__reply_part(s->reply, STATE_PARTS),
                           *items = rh__reply_part(s->reply, STATE_PARTS + 1);
    s->results.len = s->items.len = 0;
    bool good = results && results->type == REDIS_REPLY_ARRAY && items && items->type == REDIS_REPLY_ARRAY &&
                items->count % 2 == 0;
    for (size_t i = 0; good && i < results->count; i++) {
        const struct rh__reply *one = rh__reply_part(results, i);
        good = rh__reply_is_text(one) && one->size <= RH__LINK_MOST_ITEM;
        if (good)
            rh__put_block(&s->results, one->text, one->size);
    }
    for (size_t i = 0; good && i < items->count; i += 2) {
        const struct rh__reply *one = rh__reply_part(items, i);
        good = rh__reply_is_text(one) && one->size <= RH__LINK_MOST_ITEM;
        if (good)
            rh__put_block(&s->items, one->text, one->size);
    }
    if (!good || s->results.full || s->items.full) {
        refuse(s, a, good ? "no memory for a snapshot" : "the server does not answer as the script does");
        return;
    }
    s->offered = s->taken + results->count;
    a->results = (struct rh__items){ s->results.at, s->results.len, (uint32_t)results->count };
    a->items = (struct rh__items){ s->items.at, s->items.len, (uint32_t)(items->count / 2) };
}

static void end(struct rh__server *s, struct rh__link_answer *a)
{
    struct rh__words w;
    begin_words(s, &w, "end");
    call(s, &w, a);
    s->ended = a->status == RH__LINK_OK;
    s->held_count = 0;
}

/* What agents learn (link.h). */
static void learn(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    bool gives = ask->operation == RH__LINK_LEARN;
    begin_words(s, &w, gives ? "learn" : "known");
    rh__words_number(&w, (long long)ask->lease);
    if (gives)
        rh__words_add(&w, ask->bytes, ask->size);
    if (call(s, &w, a) != RH__LINK_OK || gives)
        return;
    const struct rh__reply *more = rh__reply_part(s->reply, STATE_PARTS);
    if (!rh__reply_is_text(more) || more->size > RH__LINK_MOST_ITEM) {
        refuse(s, a, "the server does not answer as the script does");
        return;
    }
    a->bytes = more->text;
    a->size = more->size;
}

static void simple(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    struct rh__words w;
    begin_words(s, &w, ask->operation == RH__LINK_ADD ? "add" : "look");
    if (ask->operation == RH__LINK_ADD) {
        rh__words_number(&w, (long long)ask->lease);
        add_items(&w, &ask->items);
    }
    call(s, &w, a);
}

void rh__server_answer(struct rh__server *s, const struct rh__link_ask *ask, struct rh__link_answer *a)
{
    *a = (struct rh__link_answer){ .status = RH__LINK_OFFLINE, .text = "" };
    if (!is_online(s, a))
        return;
    /* Another server process may have the data of this generation, from a file that is not to be trusted. */
    bool joins = ask->operation == RH__LINK_BEGIN || ask->operation == RH__LINK_JOIN;
    if (!joins && strcmp(s->begun_on, s->run_id) != 0) {
        a->status = RH__LINK_GONE;
        return;
    }
    switch (ask->operation) {
    case RH__LINK_BEGIN:
        begin(s, ask, a);
        break;
    case RH__LINK_JOIN:
        join(s, a);
        break;
    case RH__LINK_FETCH:
        fetch(s, a);
        break;
    case RH__LINK_COMMIT:
        commit(s, ask, a);
        break;
    case RH__LINK_RENEW:
        renew(s, ask, a);
        break;
    case RH__LINK_GIVE_BACK:
        give_back(s, ask, a);
        break;
    case RH__LINK_SNAPSHOT:
        snapshot(s, a);
        break;
    case RH__LINK_END:
        end(s, a);
        break;
    case RH__LINK_LEARN:
    case RH__LINK_KNOWN:
        learn(s, ask, a);
        break;
    default:
        simple(s, ask, a);
    }
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static bool receive(int fd, struct rh__writer *in)
{
    uint64_t length = 0;
    for (size_t have = 0; have < sizeof length;) {
        ssize_t n = recv(fd, (char *)&length + have, sizeof length - have, 0);
        if (n <= 0)
            return false;
        have += (size_t)n;
    }
    in->len = 0;
    if (length > RH__LINK_MOST_FRAME || !rh__writer_has(in, (size_t)length))
        return false;
    while (in->len < length) {
        ssize_t n = recv(fd, in->at + in->len, (size_t)length - in->len, 0);
        if (n <= 0)
            return false;
        in->len += (size_t)n;
    }
    return true;
}

/* Waits until the test program asks.  Between two generations it may be busy for long: then the job stays its own. */
static void wait_for_ask(struct rh__server *s, int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    while (poll(&p, 1, (int)(s->setup.lease_seconds * 500) + 1) == 0) {
        struct rh__link_answer unused = { .text = "" };
        struct rh__words w;
        if (!s->setup.explorer || (s->begun && !s->ended) || !is_online(s, &unused))
            continue;
        begin_words(s, &w, "touch");
        rh__words_text(&w, s->owner);
        call(s, &w, &unused);
    }
}

void rh__server_serve(struct rh__server *s, int fd)
{
    struct rh__writer in = rh__writer_new(), out = rh__writer_new();
    for (;;) {
        struct rh__link_ask ask;
        struct rh__link_answer answer;
        wait_for_ask(s, fd);
        if (!receive(fd, &in))
            break;
        if (!rh__link_ask_decode(&ask, in.at, in.len)) {
            rh__complain("the test program asks what makes no sense: was it built with this version of rehearse?");
            break;
        }
        rh__server_answer(s, &ask, &answer);
        out.len = 0;
        rh__link_answer_encode(&answer, &out);
        if (out.full || !rh__stream_send(fd, out.at, out.len))
            break;
    }
    rh__writer_release(&in);
    rh__writer_release(&out);
}
