/* What the command line and the environment say of a server. */
#ifndef RH_LINK_SETUP_H
#define RH_LINK_SETUP_H

#include "link/server.h"

/* Reads --cluster, --lease, --insecure, --resume and --cluster-...; other words are for the test program.  Also reads
 * the password.  False with a sentence. */
bool rh__setup_read(struct rh__server_setup *s, int argc, char **argv, char *error, size_t error_size);
/* The SHA-256 of a file, in hexadecimal digits.  False with a sentence. */
bool rh__setup_hash(const char *path, char sha256[65], char *error, size_t error_size);

#endif
