/* Durable puts per second: one actor and many, each putting 100 bytes and waiting until they are durable, against a
 * loop that writes 100 bytes and syncs the file, in the same folder and run.  With many actors one sync serves all that
 * wait.
 *
 *     build/bench/runtime_store [FOLDER]      the folder decides which disk is measured; it must not exist */
#include <rehearse/runtime.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 100, RAW_SYNCS = 200 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

RH_PROCESS(putter, int which; int puts;);
RH_BODY(putter)
{
    char name[32], value[SIZE] = "";
    snprintf(name, sizeof name, "putter %d", state->which);
    rh_store_open(name);
    for (int i = 0; i < state->puts; i++) {
        memcpy(value, &i, sizeof i);
        rh_store_put("key", value, sizeof value);
        rh_store_sync();
    }
}

static double raw(const char *folder)
{
    char path[512], bytes[SIZE] = "";
    snprintf(path, sizeof path, "%s/raw", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    double start = now();
    for (int i = 0; i < RAW_SYNCS; i++)
        if (pwrite(fd, bytes, sizeof bytes, (off_t)i * SIZE) != SIZE || fdatasync(fd) != 0)
            exit(3);
    double each = (now() - start) / RAW_SYNCS;
    close(fd);
    unlink(path);
    return 1 / each;
}

static double ours(const char *folder, int actors, int puts)
{
    struct rh_runtime_options options = { .threads = 2, .store_folder = folder };
    if (!rh_runtime_start(&options))
        exit(3);
    double start = now();
    for (int i = 0; i < actors; i++)
        rh_spawn(putter, .which = i, .puts = puts);
    rh_runtime_wait();
    double seconds = now() - start;
    rh_runtime_stop();
    return actors * puts / seconds;
}

int main(int argc, char **argv)
{
    static const int actors[] = { 1, 16, 256, 4096 };
    const char *folder = argc > 1 ? argv[1] : "runtime_store.tmp";
    char path[512];
    ours(folder, 1, 1); /* makes the folder */
    printf("%8s %12s %12s %8s\n", "actors", "puts/s", "raw syncs/s", "ratio");
    for (size_t i = 0; i < sizeof actors / sizeof *actors; i++) {
        double alone = raw(folder), together = ours(folder, actors[i], actors[i] < 4096 ? 200 : 20);
        printf("%8d %12.0f %12.0f %7.2fx\n", actors[i], together, alone, together / alone);
    }
    static const char *const files[] = { "journal", "journal.mark" };
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder) == 0 ? 0 : 3;
}
