/* See address.h. */
#include "link/address.h"

#include <stdio.h>
#include <string.h>

static bool refuse(char *error, size_t size, const char *text, const char *why)
{
    snprintf(error, size, "\"%.300s\" is no address of a server: %s", text, why);
    return false;
}

/* Copies `n` characters, all of which are allowed. */
static bool take(char *to, size_t room, const char *from, size_t n, const char *more)
{
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (n >= room)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!from[i] || (!strchr(usual, from[i]) && !strchr(more, from[i])))
            return false;
    memcpy(to, from, n);
    to[n] = 0;
    return true;
}

/* HOST or [NUMBER] of version 6, then :PORT. */
static bool take_host(struct rh__address *a, const char *from, size_t n)
{
    const char *end = from + n, *colon = NULL;
    if (n && *from == '[') {
        const char *close = memchr(from, ']', n);
        if (!close || !take(a->host, sizeof a->host, from + 1, (size_t)(close - from - 1), ":"))
            return false;
        colon = close + 1 < end ? close + 1 : NULL;
        if (colon && *colon != ':')
            return false;
    } else {
        colon = memchr(from, ':', n);
        if (!take(a->host, sizeof a->host, from, (size_t)((colon ? colon : end) - from), ""))
            return false;
    }
    unsigned port = 0;
    for (const char *c = colon ? colon + 1 : end; c < end; c++)
        if (*c < '0' || *c > '9' || (port = port * 10 + (unsigned)(*c - '0')) > 65535)
            return false;
    if (colon && !port)
        return false;
    snprintf(a->port, sizeof a->port, "%u", colon ? port : 6379u);
    return *a->host != 0;
}

bool rh__address_parse(struct rh__address *a, const char *text, char *error, size_t error_size)
{
    static const char *const schemes[] = { "redis://", "rediss://", "redis+unix://" };
    size_t which = 0;
    *a = (struct rh__address){ .job = "default" };
    while (which < 3 && strncmp(text, schemes[which], strlen(schemes[which])) != 0)
        which++;
    if (which == 3)
        return refuse(error, error_size, text,
                      "it is redis://HOST[:PORT][/JOB], rediss://HOST[:PORT][/JOB] or redis+unix:///PATH[?JOB]");
    const char *rest = text + strlen(schemes[which]);
    const char *slash = rest + strcspn(rest, "/"), *at = memchr(rest, '@', (size_t)(slash - rest)), *job;
    if (at) {
        if (memchr(rest, ':', (size_t)(at - rest))) {
            snprintf(error, error_size,
                     "an address holds no password, because others see command lines: set "
                     "REHEARSE_CLUSTER_PASSWORD, or name a file with --cluster-password-file");
            return false;
        }
        if (!take(a->user, sizeof a->user, rest, (size_t)(at - rest), ""))
            return refuse(error, error_size, text, "the name of the user has other characters than letters and digits");
        rest = at + 1;
    }
    a->tls = which == 1;
    if (which == 2) {
        size_t n = strcspn(rest, "?");
        if (*rest != '/' || n >= sizeof a->path)
            return refuse(error, error_size, text, "the path of the socket begins with / and has at most 107 bytes");
        memcpy(a->path, rest, n);
        job = rest[n] ? rest + n + 1 : "";
    } else {
        if (!take_host(a, rest, (size_t)(slash - rest)))
            return refuse(error, error_size, text, "host or port are wrong");
        job = *slash ? slash + 1 : "";
    }
    if (*job && !take(a->job, sizeof a->job, job, strlen(job), ""))
        return refuse(error, error_size, text,
                      "the name of a job has up to 63 letters, digits, \"-\", \"_\" and \".\"");
    return true;
}

bool rh__address_is_here(const struct rh__address *a)
{
    return *a->path || strcmp(a->host, "localhost") == 0 || strncmp(a->host, "127.", 4) == 0 ||
           strcmp(a->host, "::1") == 0;
}
