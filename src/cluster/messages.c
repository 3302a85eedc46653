/* See messages.h. */
#include "cluster/messages.h"

#include <errno.h>
#include <sys/socket.h>

enum { ORDER = 0xa1, REPORT = 0xa2 };

/* ---- items ------------------------------------------------------------------------------------------------------- */

bool rh__items_check(const struct rh__items *items)
{
    struct rh__reader r = rh__reader_of(items->bytes, items->size);
    size_t size;
    for (uint32_t i = 0; i < items->count && i < RH__MOST_PARTS && !r.bad; i++)
        rh__get_block(&r, &size);
    return items->count <= RH__MOST_PARTS && rh__reader_done(&r);
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

void rh__order_encode(const struct rh__order *o, struct rh__writer *w)
{
    rh__put_small(w, ORDER);
    rh__put_small(w, o->lease);
    rh__put_double(w, o->seconds);
    rh__put_small(w, o->max_runs);
    rh__put_small(w, o->max_steps);
    rh__put_small(w, o->parts);
    rh__put(w, o->item, o->size);
}

bool rh__order_decode(struct rh__order *o, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    bool good = rh__get_small(&r) == ORDER;
    o->lease = rh__get_small(&r);
    o->seconds = rh__get_double(&r);
    o->max_runs = rh__get_small(&r);
    o->max_steps = rh__get_small(&r);
    uint64_t parts = rh__get_small(&r);
    o->parts = parts < RH__MOST_PARTS ? (uint32_t)parts : RH__MOST_PARTS;
    o->item = r.at;
    o->size = r.left;
    return good && !r.bad && o->lease && o->seconds > 0 && o->seconds < 1e6 && parts <= RH__MOST_PARTS;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

void rh__report_encode_front(const struct rh__report *r, struct rh__writer *w)
{
    rh__put_small(w, REPORT);
    rh__put_small(w, r->lease);
    rh__put_small(w, r->rest.count);
    rh__put_block(w, r->rest.bytes, r->rest.size);
}

bool rh__report_decode(struct rh__report *report, const void *bytes, size_t size)
{
    struct rh__reader r = rh__reader_of(bytes, size);
    bool good = rh__get_small(&r) == REPORT;
    report->lease = rh__get_small(&r);
    uint64_t count = rh__get_small(&r);
    report->rest.count = (uint32_t)count;
    report->rest.bytes = rh__get_block(&r, &report->rest.size);
    report->results = r.at;
    report->results_size = r.left;
    return good && !r.bad && report->lease && count <= RH__MOST_PARTS && rh__items_check(&report->rest);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static bool send_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = recv(fd, bytes, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

bool rh__stream_send(int fd, const void *bytes, size_t size)
{
    uint64_t length = size;
    return send_all(fd, (const unsigned char *)&length, sizeof length) && send_all(fd, bytes, size);
}

bool rh__stream_receive(int fd, void *buffer, size_t room, size_t *size)
{
    uint64_t length;
    if (!receive_all(fd, (unsigned char *)&length, sizeof length) || length > room)
        return false;
    *size = (size_t)length;
    return receive_all(fd, buffer, *size);
}
