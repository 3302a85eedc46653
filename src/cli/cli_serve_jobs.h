/* `rehearse serve --cluster URL`: the jobs of a server in a page, as they go on. */
#ifndef RH_CLI_SERVE_JOBS_H
#define RH_CLI_SERVE_JOBS_H

/* `argv` is "serve" and the words behind it.  Returns an exit code. */
int rh__cli_serve_jobs(int argc, char **argv);

#endif
