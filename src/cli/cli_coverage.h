/* rehearse coverage: files of --coverage-file, which need no test program. */
#ifndef RH_CLI_COVERAGE_H
#define RH_CLI_COVERAGE_H

/* The words behind `coverage`; gives the exit code. */
int rh__cli_coverage(int argc, char **argv);

#endif
