/* `rehearse serve BINARY TEST`: stepping in the page, on loopback. */
#ifndef RH_CLI_SERVE_H
#define RH_CLI_SERVE_H

/* `argv` has the words behind `serve`: a test program that was checked, a test, and options for `step`.  Returns an
 * exit code. */
int rh__cli_serve(int argc, char **argv);

#endif
