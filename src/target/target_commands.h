/* The commands of rehearse-target: each takes the words behind its name, and returns an exit code. */
#ifndef RH_TARGET_COMMANDS_H
#define RH_TARGET_COMMANDS_H

#include <stdbool.h>

enum { RH__TARGET_OK = 0, RH__TARGET_MISSED = 1, RH__TARGET_USAGE = 2, RH__TARGET_TOOL = 3 };

struct rh__program;

int rh__command_graph(int argc, char **argv);
int rh__command_target(int argc, char **argv);
int rh__command_summaries(int argc, char **argv); /* for tests of this program: plan_verify.c */

/* Opens the program of a command; complains if that is not possible, and notes which sources are newer. */
bool rh__command_open(struct rh__program *p, const char *path);

#endif
