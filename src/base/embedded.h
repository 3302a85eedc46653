/* Files that are a part of the library or of the command (cmake/RehearseEmbed.cmake). */
#ifndef RH_BASE_EMBEDDED_H
#define RH_BASE_EMBEDDED_H

#include <stddef.h>

struct rh__embedded {
    const char *name; /* with folders */
    const unsigned char *bytes;
    size_t size;
};

/* Each is an array; the last file has no name. */
extern const struct rh__embedded rh__init_files[];      /* templates/project: the project that `rehearse init` writes */
extern const struct rh__embedded rh__page_files[];      /* src/report/page: the page of a report */
extern const struct rh__embedded rh__jobs_page_files[]; /* src/cli/page: the page of `serve --cluster` */

#endif
