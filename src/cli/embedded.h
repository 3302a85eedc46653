/* Files that are a part of the command (cmake/RehearseEmbed.cmake). */
#ifndef RH_CLI_EMBEDDED_H
#define RH_CLI_EMBEDDED_H

#include <stddef.h>

struct rh__embedded {
    const char *name; /* with folders */
    const unsigned char *bytes;
    size_t size;
};

/* The project that `rehearse init` writes: the files of templates/project.  The last has no name. */
extern const struct rh__embedded rh__init_files[];

#endif
