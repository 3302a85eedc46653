/* Beginning and end of a link (server.h). */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "link/script.h"

static void make_names(struct rh__server *s)
{
    char host[64] = "", name[32] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "unknown");
    rh__random_name(name, sizeof name);
    snprintf(s->me, sizeof s->me, "%.60s:%ld:%s", host, (long)getpid(), name);
    snprintf(s->owner, sizeof s->owner, "%s", s->me);
    rh__random_name(s->token, sizeof s->token);
}

/* Takes the job for this explorer. */
static enum rh__server_open take_job(struct rh__server *s, char *error, size_t error_size)
{
    struct rh__words w = { 0 };
    char format[16];
    const char *const words[] = { "open", s->token, s->me, s->owner };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        rh__words_text(&w, words[i]);
    rh__words_number(&w, (long long)(s->setup.lease_seconds * 1000));
    rh__words_text(&w, s->setup.sha256);
    rh__words_text(&w, s->setup.program);
    snprintf(format, sizeof format, "%d", RH__LINK_FORMAT);
    rh__words_text(&w, format);
    rh__words_text(&w, s->run_id);
    bool good = rh__server_call(s, &w, error, error_size);
    rh__words_release(&w);
    if (!good)
        return RH__SERVER_OFFLINE;
    const struct rh__reply *status = rh__reply_part(s->reply, 0), *owner = rh__reply_part(s->reply, 1);
    if (!rh__reply_is_text(status)) {
        snprintf(error, error_size, "the server refuses: %.300s",
                 s->reply->type == REDIS_REPLY_ERROR ? s->reply->text : "it does not answer as the script does");
        return RH__SERVER_REFUSED;
    }
    if (strcmp(status->text, "ok") == 0)
        return RH__SERVER_OPEN;
    snprintf(error, error_size, "job %s is explored by %.120s", s->setup.address.job,
             rh__reply_is_text(owner) ? owner->text : "(unknown)");
    return RH__SERVER_BUSY;
}

enum rh__server_open rh__server_open(struct rh__server *s, const struct rh__server_setup *setup, char *error,
                                     size_t error_size)
{
    bool refused = false;
    *s = (struct rh__server){ .setup = *setup, .results = rh__writer_new(), .items = rh__writer_new() };
    make_names(s);
    if (!rh__server_connect(s, &refused, error, error_size))
        return refused ? RH__SERVER_REFUSED : RH__SERVER_OFFLINE;
    return setup->explorer ? take_job(s, error, error_size) : RH__SERVER_OPEN;
}

/* The job has ended, unless a generation is unfinished: then another explorer may go on from a checkpoint. */
static void leave_job(struct rh__server *s)
{
    static const char script[] =
        "if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end "
        "if redis.call('HGET', KEYS[1], 'state') == 'removed' then return 0 end "
        "redis.call('HSET', KEYS[1], 'state', ARGV[2]) redis.call('EXPIRE', KEYS[1], 86400) return 1";
    char key[128], error[256];
    rh__server_key(s, "spec", key, sizeof key);
    rh__reply_free(rh__wire_say(s->wire, error, sizeof error, "EVAL", script, "1", key, s->owner,
                                s->begun && !s->ended ? "left" : "ended", NULL));
}

void rh__server_close(struct rh__server *s)
{
    if (s->wire && s->setup.explorer && *s->owner)
        leave_job(s);
    rh__wire_close(s->wire);
    rh__reply_free(s->reply);
    rh__writer_release(&s->results);
    rh__writer_release(&s->items);
    *s = (struct rh__server){ 0 };
}
