/* Connecting to a server, and being sure that it is of use (server.h). */
#include "link/server.h"

#include <hiredis/hiredis.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/engine/engine.h"
#include "link/script.h"

static const double first_pause = 0.05, longest_pause = 2;

void rh__server_key(const struct rh__server *s, const char *what, char *key, size_t size)
{
    snprintf(key, size, "{rh:%s}:%s", s->setup.address.job, what);
}

void rh__random_name(char *text, size_t size)
{
    unsigned char bytes[12];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes && 2 * i + 2 < size; i++)
        snprintf(text + 2 * i, size - 2 * i, "%02x", bytes[i]);
}

/* ---- is the server of use? --------------------------------------------------------------------------------------- */

/* The value of a line "name:value" of INFO, up to its end; NULL: there is no such line. */
static const char *line_of(const char *info, const char *name, char *value, size_t size)
{
    size_t n = strlen(name);
    for (const char *at = info; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (strncmp(at, name, n) == 0 && at[n] == ':') {
            snprintf(value, size, "%.*s", (int)strcspn(at + n + 1, "\r\n"), at + n + 1);
            return value;
        }
    return NULL;
}

static bool is_old(const char *version)
{
    int major = 0, minor = 0;
    return sscanf(version, "%d.%d", &major, &minor) != 2 || major < 6 || (major == 6 && minor < 2);
}

/* False with a sentence. */
static bool is_of_use(const char *info, char *error, size_t error_size)
{
    char value[64], more[64];
    if (!line_of(info, "redis_version", value, sizeof value) || is_old(value)) {
        snprintf(error, error_size, "the server has version %.20s of Redis; 6.2 is the oldest that will do",
                 line_of(info, "redis_version", value, sizeof value) ? value : "(unknown)");
        return false;
    }
    if (!line_of(info, "role", value, sizeof value) || strcmp(value, "master") != 0) {
        snprintf(error, error_size, "the server is a replica: name the server that it copies");
        return false;
    }
    if (line_of(info, "redis_mode", value, sizeof value) && strcmp(value, "standalone") != 0) {
        snprintf(error, error_size, "the server runs in mode %.20s; it must be standalone", value);
        return false;
    }
    if (line_of(info, "maxmemory", value, sizeof value) && strcmp(value, "0") != 0 &&
        line_of(info, "maxmemory_policy", more, sizeof more) && strcmp(more, "noeviction") != 0) {
        snprintf(error, error_size,
                 "the server drops keys when its memory is full (maxmemory %.20s, maxmemory-policy %.20s): set "
                 "maxmemory-policy noeviction",
                 value, more);
        return false;
    }
    return true;
}

static bool look_at(struct rh__server *s, bool *refused, char *error, size_t error_size)
{
    struct rh__reply *r = rh__wire_say(s->wire, error, error_size, "INFO", NULL);
    bool good = false;
    if (r && rh__reply_is_text(r)) {
        good = is_of_use(r->text, error, error_size);
        *refused = !good;
        if (good && !line_of(r->text, "run_id", s->run_id, sizeof s->run_id)) {
            snprintf(error, error_size, "the server does not say its run_id");
            good = false;
            *refused = true;
        }
    } else if (r) {
        snprintf(error, error_size, "the server does not answer INFO: %.200s", r->text ? r->text : "no text");
        *refused = !r->text || strncmp(r->text, "LOADING", 7) != 0;
    }
    rh__reply_free(r);
    return good;
}

bool rh__server_connect(struct rh__server *s, bool *refused, char *error, size_t error_size)
{
    double seconds = s->setup.lease_seconds > 0 ? s->setup.lease_seconds / 3 : 10;
    rh__wire_close(s->wire);
    s->script[0] = 0;
    s->wire = rh__wire_open(&s->setup.address, &s->setup.secrets,
                            seconds < 1    ? 1
                            : seconds > 10 ? 10
                                           : seconds,
                            refused, error, error_size);
    if (s->wire && look_at(s, refused, error, error_size)) {
        s->attempts = 0;
        return true;
    }
    rh__wire_close(s->wire);
    s->wire = NULL;
    /* Pauses grow, and differ between agents, so that a server that comes back is not met by all at once. */
    double pause = first_pause * (double)(1u << (s->attempts < 8 ? s->attempts : 8));
    unsigned char random = 128;
    (void)RAND_bytes(&random, 1);
    pause = (pause < longest_pause ? pause : longest_pause) * (0.5 + random / 255.0);
    s->attempts++;
    s->next_attempt = rh__now_seconds() + pause;
    return false;
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

/* Loads work.lua, once for each connection. */
static bool load_script(struct rh__server *s, char *error, size_t error_size)
{
    if (s->script[0])
        return true;
    const char *words[] = { "SCRIPT", "LOAD", rh__work_script };
    size_t sizes[] = { 6, 4, rh__work_script_size };
    struct rh__reply *r = rh__wire_command(s->wire, 3, words, sizes, error, error_size);
    bool good = r && rh__reply_is_text(r) && r->size < sizeof s->script;
    if (good)
        snprintf(s->script, sizeof s->script, "%s", r->text);
    else if (r)
        snprintf(error, error_size, "the server does not take a script: %.200s", r->text ? r->text : "no text");
    rh__reply_free(r);
    return good;
}

bool rh__server_call(struct rh__server *s, const struct rh__words *words, char *error, size_t error_size)
{
    enum { KEYS = 8, FRONT = 3 + KEYS };
    static const char *const names[KEYS] = { "work", "tot", "res", "agents", "out", "spec", "sizes", "known" };
    char keys[KEYS][128];
    rh__reply_free(s->reply);
    s->reply = NULL;
    if (!load_script(s, error, error_size))
        return false;
    size_t n = FRONT + words->count;
    const char **all = rh__alloc_array(n, sizeof *all);
    size_t *sizes = rh__alloc_array(n, sizeof *sizes);
    bool good = all && sizes && !words->full;
    if (good) {
        all[0] = "EVALSHA";
        all[1] = s->script;
        all[2] = "8";
        for (size_t i = 0; i < KEYS; i++) {
            rh__server_key(s, names[i], keys[i], sizeof keys[i]);
            all[3 + i] = keys[i];
        }
        for (size_t i = 0; i < FRONT; i++)
            sizes[i] = strlen(all[i]);
        memcpy((void *)(all + FRONT), (const void *)words->words, words->count * sizeof *all);
        memcpy(sizes + FRONT, words->sizes, words->count * sizeof *sizes);
        s->reply = rh__wire_command(s->wire, n, all, sizes, error, error_size);
        good = s->reply != NULL;
    } else {
        snprintf(error, error_size, "no memory for a command");
    }
    rh__free((void *)all);
    rh__free(sizes);
    return good;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

void rh__words_add(struct rh__words *w, const void *bytes, size_t size)
{
    if (w->count == w->room && !w->full) {
        size_t room = w->room * 2 + 32;
        const char **words = rh__realloc((void *)w->words, room * sizeof *words);
        w->words = words ? words : w->words;
        size_t *sizes = words ? rh__realloc(w->sizes, room * sizeof *sizes) : NULL;
        w->sizes = sizes ? sizes : w->sizes;
        w->full = !sizes;
        w->room = sizes ? room : w->room;
    }
    if (w->full)
        return;
    w->words[w->count] = bytes ? bytes : "";
    w->sizes[w->count++] = size;
}

void rh__words_text(struct rh__words *w, const char *text)
{
    rh__words_add(w, text, strlen(text));
}

void rh__words_number(struct rh__words *w, long long number)
{
    if (w->number_count == RH__MOST_NUMBERS) {
        w->full = true;
        return;
    }
    char *text = w->numbers[w->number_count++];
    snprintf(text, sizeof w->numbers[0], "%lld", number);
    rh__words_text(w, text);
}

void rh__words_release(struct rh__words *w)
{
    rh__free((void *)w->words);
    rh__free(w->sizes);
}
