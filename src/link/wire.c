/* See wire.h. */
#include "link/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fail.h"
#include "explore/engine/engine.h"

enum { MOST_ANSWER = 1 << 30, PIECE = 1 << 16, MOST_WORDS = 16 };

struct rh__wire {
    int fd;
    double seconds; /* longest time of a call */
    double until;   /* end of the call under way */
    SSL_CTX *context;
    SSL *tls;
    redisReader *reader;
};

static bool say(char *error, size_t size, const char *what, const char *why)
{
    snprintf(error, size, "%s: %s", what, why);
    return false;
}

static bool say_tls(char *error, size_t size, const char *what)
{
    char why[256];
    unsigned long code = ERR_get_error();
    ERR_error_string_n(code, why, sizeof why);
    return say(error, size, what, code ? why : "the connection was closed");
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static bool wait_for(struct rh__wire *w, short events)
{
    struct pollfd p = { .fd = w->fd, .events = events };
    for (;;) {
        double left = w->until - rh__now_seconds();
        if (left <= 0) {
            errno = ETIMEDOUT;
            return false;
        }
        int n = poll(&p, 1, (int)(left * 1000) + 1);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* What to do after a call of TLS that did not succeed: wait, or give up. */
static bool again_tls(struct rh__wire *w, int result)
{
    int why = SSL_get_error(w->tls, result);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
        return wait_for(w, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
    if (why != SSL_ERROR_SYSCALL || !errno)
        errno = ECONNRESET;
    return false;
}

static bool send_all(struct rh__wire *w, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n;
        if (w->tls) {
            ERR_clear_error();
            n = SSL_write(w->tls, bytes, size > (1 << 20) ? 1 << 20 : (int)size);
            if (n <= 0 && !again_tls(w, (int)n))
                return false;
        } else {
            n = send(w->fd, bytes, size, MSG_NOSIGNAL);
            if (n < 0 && (errno == EAGAIN ? !wait_for(w, POLLOUT) : errno != EINTR))
                return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static ssize_t receive_some(struct rh__wire *w, char *bytes, size_t size)
{
    for (;;) {
        ssize_t n;
        if (w->tls) {
            ERR_clear_error();
            n = SSL_read(w->tls, bytes, (int)size);
            if (n > 0)
                return n;
            if (!again_tls(w, (int)n))
                return -1;
        } else {
            n = recv(w->fd, bytes, size, 0);
            if (n > 0)
                return n;
            if (n == 0)
                errno = ECONNRESET;
            if (n == 0 || (errno == EAGAIN ? !wait_for(w, POLLIN) : errno != EINTR))
                return -1;
        }
    }
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static struct rh__reply *receive(struct rh__wire *w, char *error, size_t error_size)
{
    char piece[PIECE];
    size_t sum = 0;
    void *reply = NULL;
    rh__reader_restart(w->reader);
    for (;;) {
        if (redisReaderGetReply(w->reader, &reply) != REDIS_OK) {
            say(error, error_size, "the server does not speak the Redis protocol", w->reader->errstr);
            return NULL;
        }
        if (reply)
            return reply;
        ssize_t n = receive_some(w, piece, sizeof piece);
        sum += n > 0 ? (size_t)n : 0;
        if (n <= 0 || sum > MOST_ANSWER || redisReaderFeed(w->reader, piece, (size_t)n) != REDIS_OK) {
            say(error, error_size, "the connection is lost",
                n <= 0 ? strerror(errno) : "the answer of the server is too large");
            return NULL;
        }
    }
}

struct rh__reply *rh__wire_command(struct rh__wire *w, size_t count, const char *const *words, const size_t *sizes,
                                   char *error, size_t error_size)
{
    char *command = NULL;
    if (w->fd < 0) {
        say(error, error_size, "the connection is lost", "it was closed before");
        return NULL;
    }
    long long size = redisFormatCommandArgv(&command, (int)count, (const char **)(uintptr_t)words, sizes);
    w->until = rh__now_seconds() + w->seconds;
    struct rh__reply *r = NULL;
    if (size < 0)
        say(error, error_size, "the connection is lost", "no memory for a command");
    else if (!send_all(w, command, (size_t)size))
        say(error, error_size, "the connection is lost", strerror(errno));
    else
        r = receive(w, error, error_size);
    if (size >= 0)
        redisFreeCommand(command);
    if (!r) { /* what arrives later would be taken for the answer to another command */
        close(w->fd);
        w->fd = -1;
    }
    return r;
}

struct rh__reply *rh__wire_say(struct rh__wire *w, char *error, size_t error_size, ...)
{
    const char *words[MOST_WORDS];
    size_t sizes[MOST_WORDS], n = 0;
    va_list list;
    va_start(list, error_size);
    while (n < MOST_WORDS && (words[n] = va_arg(list, const char *))) {
        sizes[n] = strlen(words[n]);
        n++;
    }
    va_end(list);
    return rh__wire_command(w, n, words, sizes, error, error_size);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool connect_to(struct rh__wire *w, const struct sockaddr *to, socklen_t size)
{
    int one = 1, why = 0;
    socklen_t room = sizeof why;
    w->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (w->fd < 0)
        return false;
    if (to->sa_family != AF_UNIX) {
        setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(w->fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    }
    if (connect(w->fd, to, size) == 0)
        return true;
    if ((errno == EINPROGRESS || errno == EAGAIN) && wait_for(w, POLLOUT) &&
        getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &why, &room) == 0 && why == 0)
        return true;
    why = why ? why : errno;
    close(w->fd);
    w->fd = -1;
    errno = why;
    return false;
}

static bool open_socket(struct rh__wire *w, const struct rh__address *a, char *error, size_t error_size)
{
    if (*a->path) {
        struct sockaddr_un to = { .sun_family = AF_UNIX };
        memcpy(to.sun_path, a->path, strlen(a->path) + 1);
        return connect_to(w, (const struct sockaddr *)&to, sizeof to) ||
               say(error, error_size, a->path, strerror(errno));
    }
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
    int code = getaddrinfo(a->host, a->port, &hints, &all);
    if (code != 0)
        return say(error, error_size, a->host, gai_strerror(code));
    bool good = false;
    for (const struct addrinfo *i = all; i && !good; i = i->ai_next)
        good = connect_to(w, i->ai_addr, i->ai_addrlen);
    freeaddrinfo(all);
    return good || say(error, error_size, a->host, strerror(errno));
}

/* The name of the host, or its number, must be in the certificate. */
static bool check_host(SSL *tls, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_get0_param(tls);
    if (X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1)
        return true;
    return SSL_set_tlsext_host_name(tls, host) == 1 && SSL_set1_host(tls, host) == 1;
}

static bool open_tls(struct rh__wire *w, const struct rh__address *a, const struct rh__secrets *s, bool *refused,
                     char *error, size_t error_size)
{
    *refused = true;
    w->context = SSL_CTX_new(TLS_client_method());
    if (!w->context || SSL_CTX_set_min_proto_version(w->context, TLS1_2_VERSION) != 1)
        return say_tls(error, error_size, "TLS cannot start");
    SSL_CTX_set_verify(w->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(w->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (s->ca ? SSL_CTX_load_verify_locations(w->context, s->ca, NULL) != 1
              : SSL_CTX_set_default_verify_paths(w->context) != 1)
        return say_tls(error, error_size, s->ca ? s->ca : "the certificates of the system");
    if (s->cert && (SSL_CTX_use_certificate_chain_file(w->context, s->cert) != 1 ||
                    SSL_CTX_use_PrivateKey_file(w->context, s->key ? s->key : s->cert, SSL_FILETYPE_PEM) != 1))
        return say_tls(error, error_size, s->cert);
    w->tls = SSL_new(w->context);
    if (!w->tls || !check_host(w->tls, a->host) || SSL_set_fd(w->tls, w->fd) != 1)
        return say_tls(error, error_size, "TLS cannot start");
    for (;;) {
        ERR_clear_error();
        errno = 0;
        int n = SSL_connect(w->tls);
        if (n == 1)
            break;
        if (again_tls(w, n))
            continue;
        long wrong = SSL_get_verify_result(w->tls);
        *refused = wrong != X509_V_OK || ERR_peek_error();
        if (wrong != X509_V_OK)
            return say(error, error_size, "the certificate of the server is refused",
                       X509_verify_cert_error_string(wrong));
        return say_tls(error, error_size, "TLS");
    }
    *refused = false;
    return true;
}

/* False if the server does not take the secret. */
static bool prove(struct rh__wire *w, const struct rh__address *a, const struct rh__secrets *s, bool *refused,
                  char *error, size_t error_size)
{
    struct rh__reply *r = !s->password ? rh__wire_say(w, error, error_size, "PING", NULL)
                          : *a->user   ? rh__wire_say(w, error, error_size, "AUTH", a->user, s->password, NULL)
                                       : rh__wire_say(w, error, error_size, "AUTH", s->password, NULL);
    bool good = r && r->type != REDIS_REPLY_ERROR;
    if (r && !good) {
        *refused = strncmp(r->text, "LOADING", 7) != 0;
        snprintf(error, error_size,
                 !*refused     ? "the server is not ready: %.200s"
                 : s->password ? "the server refuses the secret: %.200s"
                               : "the server wants a password: %.200s",
                 r->text);
    }
    rh__reply_free(r);
    return good;
}

struct rh__wire *rh__wire_open(const struct rh__address *a, const struct rh__secrets *s, double seconds, bool *refused,
                               char *error, size_t error_size)
{
    struct rh__wire *w = rh__alloc_array(1, sizeof *w);
    *refused = false;
    if (!w) {
        snprintf(error, error_size, "no memory for a connection");
        return NULL;
    }
    *w = (struct rh__wire){ .fd = -1, .seconds = seconds, .until = rh__now_seconds() + seconds };
    w->reader = rh__reader_new();
    if (w->reader && open_socket(w, a, error, error_size) &&
        (!a->tls || open_tls(w, a, s, refused, error, error_size)) && prove(w, a, s, refused, error, error_size))
        return w;
    if (!w->reader)
        snprintf(error, error_size, "no memory for a connection");
    rh__wire_close(w);
    return NULL;
}

void rh__wire_close(struct rh__wire *w)
{
    if (!w)
        return;
    SSL_free(w->tls);
    SSL_CTX_free(w->context);
    if (w->fd >= 0)
        close(w->fd);
    rh__reader_free(w->reader);
    rh__free(w);
}
