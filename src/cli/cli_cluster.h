/* Explorations that are shared over a server: `rehearse test|agent BINARY --cluster URL`, `rehearse jobs`.  This
 * process holds the connection, and the test program is its child (cluster/link.h). */
#ifndef RH_CLI_CLUSTER_H
#define RH_CLI_CLUSTER_H

#include <stdbool.h>

/* argv: the command, the test program, options.  Both functions give the exit code. */
int rh__cli_cluster(int argc, char **argv);
int rh__cli_jobs(int argc, char **argv);

/* Whether the command is shared over a server. */
bool rh__cli_wants_cluster(int argc, char **argv);

#endif
