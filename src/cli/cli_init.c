/* See cli_init.h.  All files are looked for before the first is written, and each is created, never opened: a file that
 * is there already stays as it is. */
#include "cli/cli_init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/files.h"
#include "base/visible.h"

enum { EXIT_GOOD, EXIT_WRONG_USE = 2, EXIT_TOOL = 3 };

static bool path_of(const char *folder, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s", folder, name);
    if (n > 0 && (size_t)n < size)
        return true;
    rh__complain("%.100s...: the name is too long", folder);
    return false;
}

/* Whether none of the files is there. */
static bool all_are_new(const char *folder)
{
    char path[RH__PATH_BYTES];
    struct stat s;
    for (const struct rh__embedded *f = rh__init_files; f->name; f++) {
        if (!path_of(folder, f->name, path, sizeof path))
            return false;
        if (lstat(path, &s) == 0) {
            rh__complain("%s is there already; nothing was written: name a new folder", path);
            return false;
        }
    }
    return true;
}

/* The folders of a path, from the first on that is not there. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!good)
            rh__complain("%s: %s", path, strerror(errno));
        *slash = '/';
        if (!good)
            return false;
    }
    return true;
}

/* The last part of the folder's name, as far as CMake takes it for a project's name. */
static void project_name(const char *folder, char *name, size_t size)
{
    char whole[RH__PATH_BYTES];
    size_t n = 0;
    if (!realpath(folder, whole))
        snprintf(whole, sizeof whole, "%s", folder);
    const char *slash = strrchr(whole, '/');
    for (const char *c = slash ? slash + 1 : whole; *c && n + 1 < size; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        bool digit = *c >= '0' && *c <= '9';
        name[n] = letter || (n && (digit || *c == '-')) ? *c : '_';
        n++;
    }
    name[n] = 0;
    if (!n)
        snprintf(name, size, "tickets");
}

/* Writes the bytes with @NAME@ replaced. */
static bool write_filled(int fd, const char *at, size_t size, const char *name)
{
    static const char mark[] = "@NAME@";
    const char *end = at + size;
    while (at < end) {
        const char *found = memmem(at, (size_t)(end - at), mark, strlen(mark));
        const char *stop = found ? found : end;
        if (!rh__write_all(fd, at, (size_t)(stop - at)) || (found && !rh__write_all(fd, name, strlen(name))))
            return false;
        at = found ? found + strlen(mark) : end;
    }
    return true;
}

static bool create(const char *folder, const struct rh__embedded *f, const char *name)
{
    char path[RH__PATH_BYTES];
    if (!path_of(folder, f->name, path, sizeof path) || !make_folders(path))
        return false;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write_filled(fd, (const char *)f->bytes, f->size, name);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        why = errno;
    }
    if (!good)
        rh__complain("%s: %s", path, strerror(why));
    return good;
}

int rh__cli_init(int argc, char **argv)
{
    char name[128];
    struct stat s;
    if (argc == 1 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        puts("rehearse init DIR    writes a small project: actors, a test with a planted bug, CMake, CI");
        return EXIT_GOOD;
    }
    if (argc != 1 || !*argv[0] || argv[0][0] == '-') {
        rh__complain("init wants one folder: rehearse init DIR");
        return EXIT_WRONG_USE;
    }
    const char *folder = argv[0];
    if (stat(folder, &s) == 0 && !S_ISDIR(s.st_mode)) {
        rh__complain("%s is no folder", folder);
        return EXIT_WRONG_USE;
    }
    if (!all_are_new(folder))
        return EXIT_WRONG_USE;
    char probe[RH__PATH_BYTES];
    if (!path_of(folder, "x", probe, sizeof probe) || !make_folders(probe))
        return EXIT_TOOL;
    project_name(folder, name, sizeof name);
    for (const struct rh__embedded *f = rh__init_files; f->name; f++)
        if (!create(folder, f, name))
            return EXIT_TOOL;
    printf("wrote");
    for (const struct rh__embedded *f = rh__init_files; f->name; f++)
        printf("%s%s", f == rh__init_files ? " " : ", ", f->name);
    printf("\n\nnext:\n    cd ");
    rh__print_visible(stdout, folder, SIZE_MAX);
    puts("\n    cmake -B build && cmake --build build\n"
         "    rehearse test build/tickets_test                   # passes\n"
         "    rehearse test build/tickets_test -p bug=forgets    # finds the planted bug");
    return EXIT_GOOD;
}
