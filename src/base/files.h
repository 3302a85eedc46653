/* Files that must be there whole, and stay. */
#ifndef RH_BASE_FILES_H
#define RH_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* False with errno. */
bool rh__write_all(int fd, const void *bytes, size_t size);
/* A new file, or a new name of one, is durable only when its folder is. */
bool rh__sync_folder(const char *path);

#endif
