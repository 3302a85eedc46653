/* See liar.h. */
#include "link/support/liar.h"

#include <hiredis/hiredis.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/random.h"
#include "explore/support/runs.h"
#include "link/wire.h"

enum { PIECE = 1 << 16, KEPT = 64, MOST_PICKS = 64 };

/* One connection, in a process of its own. */
struct teller {
    const struct lies *lies;
    volatile unsigned *told;
    uint64_t random;
    int client, server;
    redisReader *reader;
    struct rh__writer out;
    struct rh__writer kept[KEPT]; /* earlier answers as bytes */
    unsigned kept_count;
};

static uint32_t below(struct teller *t, uint32_t n)
{
    return rh__random_below(&t->random, n);
}

/* ---- answers as bytes -------------------------------------------------------------------------------------------- */

static void put_line(struct rh__writer *w, char kind, long long number)
{
    char line[40];
    rh__put(w, line, (size_t)snprintf(line, sizeof line, "%c%lld\r\n", kind, number));
}

static void put_text(struct rh__writer *w, const char *text, size_t size)
{
    put_line(w, '$', (long long)size);
    rh__put(w, text, size);
    rh__put(w, "\r\n", 2);
}

/* `lie` is said instead of the part `at`. */
static void put_reply(struct rh__writer *w, const struct rh__reply *r, const struct rh__reply *at,
                      const struct rh__writer *lie)
{
    if (r == at) {
        rh__put(w, lie->at, lie->len);
        return;
    }
    switch (r ? r->type : REDIS_REPLY_NIL) {
    case REDIS_REPLY_INTEGER:
        put_line(w, ':', r->number);
        break;
    case REDIS_REPLY_STRING:
        put_text(w, r->text, r->size);
        break;
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
        rh__put(w, r->type == REDIS_REPLY_ERROR ? "-" : "+", 1);
        rh__put(w, r->text, r->size);
        rh__put(w, "\r\n", 2);
        break;
    case REDIS_REPLY_ARRAY:
        put_line(w, '*', (long long)r->count);
        for (size_t i = 0; i < r->count; i++)
            put_reply(w, r->parts[i], at, lie);
        break;
    default:
        put_line(w, '$', -1);
    }
}

/* ---- lies -------------------------------------------------------------------------------------------------------- */

/* Some parts of an answer that are of this type, or of any with -1; the whole one among them. */
static unsigned find(const struct rh__reply *r, int type, const struct rh__reply **found, unsigned count)
{
    if (r && count < MOST_PICKS && (type < 0 || r->type == type))
        found[count++] = r;
    for (size_t i = 0; r && i < r->count && count < MOST_PICKS; i++)
        count = find(r->parts[i], type, found, count);
    return count;
}

static void put_another_type(struct teller *t, struct rh__writer *w)
{
    static const char *const other[] = { ":7\r\n",       "$-1\r\n", "*-1\r\n",     "*0\r\n",
                                         "$2\r\nok\r\n", "+ok\r\n", "-ERR so\r\n", "*2\r\n:1\r\n*0\r\n" };
    const char *text = other[below(t, sizeof other / sizeof *other)];
    rh__put(w, text, strlen(text));
}

static void put_another_number(struct teller *t, struct rh__writer *w, long long was)
{
    const long long other[] = { 0,         -1,     INT64_MAX, INT64_MIN, (long long)((unsigned long long)was + 1),
                                1ll << 32, 1000000 };
    put_line(w, ':', other[below(t, sizeof other / sizeof *other)]);
}

static void put_another_text(struct teller *t, struct rh__writer *w, const struct rh__reply *was)
{
    static char text[1 << 16];
    size_t size = 0;
    switch (below(t, 4)) {
    case 0:
        break;
    case 1:
        size = sizeof text;
        memset(text, 'x', size);
        break;
    case 2: /* the same with other bytes in it */
        size = was->size < sizeof text ? was->size : sizeof text;
        memcpy(text, was->text, size);
        for (uint32_t i = 1 + below(t, 4); size && i; i--)
            text[below(t, (uint32_t)size)] = (char)below(t, 256);
        break;
    default:
        size = was->size / 2 < sizeof text ? was->size / 2 : sizeof text;
        memcpy(text, was->text, size);
    }
    put_text(w, text, size);
}

static void put_other_count(struct teller *t, struct rh__writer *w, const struct rh__reply *was, bool longer)
{
    size_t n = longer ? was->count * 2 : was->count ? below(t, (uint32_t)was->count) : 0;
    put_line(w, '*', (long long)n);
    for (size_t i = 0; i < n; i++)
        put_reply(w, was->parts[i % was->count], (const struct rh__reply *)t, NULL);
}

static void put_error(struct teller *t, struct rh__writer *w)
{
    static const char *const errors[] = { "-LOADING it loads\r\n", "-BUSY it is busy\r\n", "-NOSCRIPT it is lost\r\n",
                                          "-OOM no memory\r\n",    "-NOPERM no right\r\n", "-\r\n" };
    const char *text = errors[below(t, sizeof errors / sizeof *errors)];
    rh__put(w, text, strlen(text));
}

static void put_huge(struct teller *t, struct rh__writer *w)
{
    static const char *const huge[] = { "*4000000\r\n", "*2147483647\r\n", "$536870912\r\nabc",
                                        "*1\r\n*4000000\r\n:1\r\n", "$99999999999999\r\n" };
    const char *text = huge[below(t, sizeof huge / sizeof *huge)];
    rh__put(w, text, strlen(text));
}

static void put_nested(struct rh__writer *w)
{
    for (int i = 0; i < 1000; i++)
        rh__put(w, "*1\r\n", 4);
    rh__put(w, ":1\r\n", 4);
}

/* Writes the lie.  False if there is none of this kind in this answer. */
static bool lie(struct teller *t, enum lie kind, const struct rh__reply *r)
{
    const struct rh__reply *found[MOST_PICKS], *at = r;
    struct rh__writer w = rh__writer_new();
    static const int types[LIE_COUNT] = { [LIE_type] = -1,
                                          [LIE_number] = REDIS_REPLY_INTEGER,
                                          [LIE_text] = REDIS_REPLY_STRING,
                                          [LIE_shorter] = REDIS_REPLY_ARRAY,
                                          [LIE_longer] = REDIS_REPLY_ARRAY };
    if (kind <= LIE_longer) {
        unsigned n = find(r, types[kind], found, 0);
        if (!n)
            return false;
        at = found[below(t, n)];
    }
    bool good = true;
    switch (kind) {
    case LIE_type:
        put_another_type(t, &w);
        break;
    case LIE_number:
        put_another_number(t, &w, at->number);
        break;
    case LIE_text:
        put_another_text(t, &w, at);
        break;
    case LIE_shorter:
    case LIE_longer:
        put_other_count(t, &w, at, kind == LIE_longer);
        break;
    case LIE_earlier: {
        unsigned n = t->kept_count < KEPT ? t->kept_count : KEPT;
        const struct rh__writer *old = n ? &t->kept[below(t, n)] : NULL;
        good = old != NULL;
        if (old)
            rh__put(&w, old->at, old->len);
        break;
    }
    case LIE_error:
        put_error(t, &w);
        break;
    case LIE_huge:
        put_huge(t, &w);
        break;
    case LIE_nested:
        put_nested(&w);
        break;
    case LIE_cut:
        put_reply(&w, r, (const struct rh__reply *)t, NULL);
        w.len /= 2;
        break;
    case LIE_info: {
        const char *was = r->type == REDIS_REPLY_STRING ? strstr(r->text, t->lies->info_was) : NULL;
        good = was != NULL;
        if (was) {
            struct rh__writer text = rh__writer_new();
            const char *behind = was + strlen(t->lies->info_was);
            rh__put(&text, r->text, (size_t)(was - r->text));
            rh__put(&text, t->lies->info_is, strlen(t->lies->info_is));
            rh__put(&text, behind, r->size - (size_t)(behind - r->text));
            put_text(&w, (const char *)text.at, text.len);
            rh__writer_release(&text);
        }
        break;
    }
    default:
        break;
    }
    if (good)
        put_reply(&t->out, r, at, &w);
    rh__writer_release(&w);
    return good;
}

/* ---- a connection ------------------------------------------------------------------------------------------------ */

static void keep(struct teller *t, const struct rh__writer *answer)
{
    struct rh__writer *k = &t->kept[t->kept_count++ % KEPT];
    if (!k->owns)
        *k = rh__writer_new();
    k->len = 0;
    rh__put(k, answer->at, answer->len);
}

static bool send_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Answers the client.  False if the connection is over. */
static bool answer(struct teller *t, const struct rh__reply *r)
{
    const struct lies *l = t->lies;
    enum lie kind = (enum lie)below(t, LIE_COUNT);
    bool lies = *t->told < l->most && below(t, l->one_in) == 0;
    while (!(l->kinds >> kind & 1))
        kind = (kind + 1) % LIE_COUNT;
    t->out.len = 0;
    if (lies && (kind == LIE_silent || lie(t, kind, r))) {
        __atomic_add_fetch(t->told, 1, __ATOMIC_SEQ_CST);
    } else {
        t->out.len = 0;
        put_reply(&t->out, r, (const struct rh__reply *)t, NULL);
        keep(t, &t->out);
    }
    bool sent = send_all(t->client, t->out.at, t->out.len);
    return sent && !(lies && kind == LIE_cut);
}

static void tell(struct teller *t)
{
    static char piece[PIECE];
    for (;;) {
        struct pollfd p[] = { { .fd = t->client, .events = POLLIN }, { .fd = t->server, .events = POLLIN } };
        if (poll(p, 2, -1) <= 0)
            continue;
        if (p[0].revents) {
            ssize_t n = recv(t->client, piece, sizeof piece, 0);
            if (n <= 0 || !send_all(t->server, (unsigned char *)piece, (size_t)n))
                return;
        }
        if (p[1].revents) {
            ssize_t n = recv(t->server, piece, sizeof piece, 0);
            void *reply = NULL;
            if (n <= 0 || redisReaderFeed(t->reader, piece, (size_t)n) != REDIS_OK)
                return;
            while (redisReaderGetReply(t->reader, &reply) == REDIS_OK && reply) {
                bool good = answer(t, reply);
                rh__reply_free(reply);
                rh__reader_restart(t->reader);
                reply = NULL;
                if (!good)
                    return;
            }
        }
    }
}

static int socket_at(struct sockaddr_un *to, const char *path)
{
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(to->sun_path, sizeof to->sun_path, "%s", path);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

_Noreturn static void be_liar(int listener, const char *server, const struct lies *lies, volatile unsigned *told)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    for (unsigned connections = 0;; connections++) {
        int client = accept(listener, NULL, NULL);
        if (client < 0 || fork() != 0) {
            close(client);
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct sockaddr_un to;
        struct teller t = { .lies = lies, .told = told, .client = client, .server = socket_at(&to, server) };
        t.random = rh__random_seed(lies->seed, connections);
        t.reader = rh__reader_new();
        t.out = rh__writer_new();
        if (t.reader && connect(t.server, (struct sockaddr *)&to, sizeof to) == 0)
            tell(&t);
        _exit(0);
    }
}

struct liar liar_started(const char *folder, const char *server, const struct lies *lies)
{
    struct liar l;
    struct sockaddr_un to;
    char path[100];
    snprintf(path, sizeof path, "%s/liar", folder);
    unlink(path);
    int listener = socket_at(&to, path);
    assert_int_equal(bind(listener, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(listen(listener, 64), 0);
    l.told = mmap(NULL, sizeof *l.told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(l.told != MAP_FAILED);
    *l.told = 0;
    snprintf(l.url, sizeof l.url, "redis+unix://%s", path);
    fflush(NULL);
    l.pid = fork();
    assert_true(l.pid >= 0);
    if (l.pid == 0)
        be_liar(listener, server, lies, l.told);
    close(listener);
    return l;
}

void liar_end(struct liar *l)
{
    kill(l->pid, SIGKILL);
    waitpid(l->pid, NULL, 0);
    munmap((void *)(uintptr_t)l->told, sizeof *l->told);
}

const char *lie_name(enum lie kind)
{
    static const char *const names[] = {
#define X(name) #name,
        LIES(X)
#undef X
    };
    return names[kind];
}
