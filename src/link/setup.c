/* See setup.h. */
#include "link/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "REHEARSE_CLUSTER_PASSWORD";

/* The value of an option, in the same word or in the next one; NULL if it is not given. */
static const char *option(int argc, char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && (argv[i][n] == '=' || (!argv[i][n] && i + 1 < argc)))
            return argv[i][n] ? argv[i] + n + 1 : argv[i + 1];
    return NULL;
}

static bool flag(int argc, char **argv, const char *name)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

/* The first line of a file that nobody else may read. */
static bool read_password(const char *path, char *to, size_t room, char *error, size_t error_size)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fstat(fd, &s) != 0) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    ssize_t n = -1;
    if (!S_ISREG(s.st_mode) || (s.st_mode & 077))
        snprintf(error, error_size, "%s can be read by others: chmod 600 it, it holds a password", path);
    else if ((n = read(fd, to, room - 1)) < 0)
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
    close(fd);
    if (n < 0)
        return false;
    to[n] = 0;
    to[strcspn(to, "\r\n")] = 0;
    if (!*to)
        snprintf(error, error_size, "%s holds no password", path);
    return *to != 0;
}

bool rh__setup_read(struct rh__server_setup *s, int argc, char **argv, char *error, size_t error_size)
{
    static char password[1024];
    const char *url = option(argc, argv, "--cluster"), *file = option(argc, argv, "--cluster-password-file");
    const char *lease = option(argc, argv, "--lease"), *from_environment = getenv(variable);
    *s = (struct rh__server_setup){ .lease_seconds = 30 };
    if (!url) {
        snprintf(error, error_size, "--cluster URL is missing: redis://HOST[:PORT][/JOB]");
        return false;
    }
    if (!rh__address_parse(&s->address, url, error, error_size))
        return false;
    if (!s->address.tls && !rh__address_is_here(&s->address) && !flag(argc, argv, "--insecure")) {
        snprintf(error, error_size,
                 "redis:// to %s is open to whoever is in between, who could read and change the work: use rediss:// "
                 "(TLS), or say --insecure",
                 s->address.host);
        return false;
    }
    if (lease) {
        char *end;
        s->lease_seconds = strtod(lease, &end);
        if (*end || !(s->lease_seconds >= 0.1) || s->lease_seconds > 86400) {
            snprintf(error, error_size, "--lease wants seconds, from 0.1 to 86400");
            return false;
        }
    }
    s->secrets = (struct rh__secrets){ .ca = option(argc, argv, "--cluster-ca"),
                                       .cert = option(argc, argv, "--cluster-cert"),
                                       .key = option(argc, argv, "--cluster-key") };
    if (file) {
        if (!read_password(file, password, sizeof password, error, error_size))
            return false;
        s->secrets.password = password;
    } else if (from_environment && *from_environment) {
        snprintf(password, sizeof password, "%s", from_environment);
        s->secrets.password = password;
    }
    unsetenv(variable); /* the program under test need not know it */
    return true;
}

bool rh__setup_hash(const char *path, char sha256[65], char *error, size_t error_size)
{
    unsigned char bytes[1 << 16], sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    FILE *f = fopen(path, "rb");
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    bool good = f && c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;
    for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, f));)
        good = EVP_DigestUpdate(c, bytes, n) == 1;
    good = good && !ferror(f) && EVP_DigestFinal_ex(c, sum, &size) == 1 && size == 32;
    for (unsigned i = 0; good && i < size; i++)
        snprintf(sha256 + (size_t)2 * i, 3, "%02x", sum[i]);
    if (!good)
        snprintf(error, error_size, "%s cannot be read: %s", path, strerror(errno));
    if (f)
        fclose(f);
    EVP_MD_CTX_free(c);
    return good;
}
