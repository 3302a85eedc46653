/* `rehearse init DIR`: writes a small project, which builds, passes, and has a bug to find. */
#ifndef RH_CLI_INIT_H
#define RH_CLI_INIT_H

/* The words after `init`; returns an exit status. */
int rh__cli_init(int argc, char **argv);

#endif
