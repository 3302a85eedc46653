/* See capture.h. */
#include "base/capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int rh__capture_open(void)
{
    int fd = memfd_create("printed", MFD_CLOEXEC);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a standard stream is closed, and stays so */
    close(fd);
    return above;
}

void rh__capture_begin(int capture)
{
    int to = capture >= 0 ? capture : open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    if (to >= 0)
        dup2(to, STDOUT_FILENO);
    if (to >= 0 && capture < 0)
        close(to);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash leaves the lines before it */
}

uint64_t rh__capture_size(int capture)
{
    struct stat s;
    fflush(stdout);
    return capture >= 0 && fstat(capture, &s) == 0 ? (uint64_t)s.st_size : 0;
}

void rh__capture_clear(int capture)
{
    fflush(stdout);
    if (capture >= 0 && ftruncate(capture, 0) == 0)
        lseek(capture, 0, SEEK_SET);
}

size_t rh__capture_read(int capture, char *to, size_t size)
{
    size_t done = 0;
    while (capture >= 0 && done < size) {
        ssize_t n = pread(capture, to + done, size - done, (off_t)done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

uint64_t rh__capture_lines(int capture)
{
    char buffer[4096], last = '\n';
    uint64_t lines = 0;
    off_t at = 0;
    for (ssize_t n; capture >= 0 && (n = pread(capture, buffer, sizeof buffer, at)) > 0; at += n) {
        for (ssize_t i = 0; i < n; i++)
            lines += buffer[i] == '\n';
        last = buffer[n - 1];
    }
    return lines + (last != '\n');
}
