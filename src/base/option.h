/* How an option of the command line is shown: in the help, in the manual and in the completions of shells.  Rows of
 * several tables contain one: options of commands (runner), settings of the semantics (trace), reporters (report). */
#ifndef RH_BASE_OPTION_H
#define RH_BASE_OPTION_H

/* The lists of options in help and manual. */
enum rh__option_group { RH__GROUP_RUNS, RH__GROUP_SEMANTICS, RH__GROUP_REPORTS, RH__GROUP_REPLAY, RH__GROUP_COUNT };

/* What a shell offers behind the option. */
enum rh__completion {
    RH__COMPLETE_NOTHING,
    RH__COMPLETE_FILE,
    RH__COMPLETE_STREAM, /* a file, or a stream such as `-` for standard output (base/files.h) */
    RH__COMPLETE_FOLDER,
    RH__COMPLETE_CHOICES,   /* the words of `choices`, and `also` */
    RH__COMPLETE_EXPLORER,  /* an explorer of the test program */
    RH__COMPLETE_PARAMETER, /* NAME= of a parameter of the test program */
};

struct rh__option {
    enum rh__option_group group;
    const char *name;     /* without dashes: "max-runs" for --max-runs, one letter for -p */
    const char *argument; /* what the help calls its value: "N"; NULL: it takes none */
    const char *help;     /* one line, no capital, no full stop */
    const char *manual;   /* further sentences for the manual, `code` in backquotes; NULL: none */
    enum rh__completion complete;
    const char *const *choices; /* NULL behind the last; the help lists them */
    const char *also;           /* one more choice, or NULL */
};

#endif
