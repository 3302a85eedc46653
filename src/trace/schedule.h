/* Schedules as text: the choices of a run, one a line, with names that survive unrelated edits of the program.
 *
 *     rehearse schedule 1
 *     test a_write_is_never_lost
 *     set model=fifo
 *     set param.actions=2
 *     # 3 events
 *     action#1 takes execute from test
 *     terminator#1 takes action_done from action#1
 *     writer#1 takes flush from terminator#1
 *
 * Actors have their stable names.  A message is named by its type, sender and receiver and, if there are several such,
 * by its index among them: `writer#1 takes write from action#1 (2)` is the second, `(2, copy)` a duplicate of that one,
 * `(copy 2)` the second duplicate of the first.  Lines:
 *
 *     A takes T from S (n)           A's timer "N" fires           A stops waiting          A chooses V of N
 *     A goes on                      T from A to R (n) is accepted A's write is durable
 *     the clock reaches A's timer "N"                              the clock reaches the end of A's wait
 *     T from S to A (n) is lost      T from S to A (n) is doubled  A crashes keeping K      A restarts [with its state]
 *     the network splits: A B ...    the network heals             the run ends
 *     the network splits: A | B C | the rest                       the network splits: A B not heard by the rest
 *     outside N sends T { .field = V, ... } to A                   reaches FILE:LINE (only as the last line)
 *
 * `the loop begins: M stays hot` says that the lines behind it repeat for ever, and that monitor M is hot all the
 * time (a lasso).  A replay compares the state at the end with that at this line.
 *
 * `#` at the beginning of a line or after space begins a comment (in the program's own names it is written `\#`, a
 * newline `\n`, a backslash twice, other control characters `\x1b`).  `...` stands for any number of choices (a partial
 * schedule), `... without timers` for any number of others than timers.  After the last line the caller decides. 
 * The first event of a run (the test's body) is not written, because it is always the same. */
#ifndef RH_TRACE_SCHEDULE_H
#define RH_TRACE_SCHEDULE_H

#include "base/option.h"
#include "base/text.h"
#include "run/run.h"

enum { RH__SCHEDULE_VERSION = 1 };
#define RH__SCHEDULE_LOOP   "the loop begins"
#define RH__SCHEDULE_CIRCLE RH__SCHEDULE_LOOP ": messages go in a circle"

/* Writes the line of a choice that is open or was made. */
void rh__choice_line(const struct rh__run *r, const struct rh_choice *choice, struct rh__text *to);
/* Whether a line is that of the choice.  `buffer` is for its text; a choice whose text does not fit there is not that
 * of any line. */
bool rh__schedule_fits(const struct rh__run *r, const struct rh_choice *choice, const char *line, char *buffer,
                       size_t size);

/* Writes the whole run so far, with its head. */
void rh__schedule_write(const struct rh__run *r, struct rh__text *to);

struct rh__schedule_line {
    char *text;      /* without comment and surrounding space; "..." for any choices */
    uint32_t number; /* line number in the file, from 1 */
};

struct rh__schedule_setting {
    char *name, *value;
};

struct rh__schedule {
    char *bytes; /* owns all texts */
    char *test;  /* NULL if the schedule names none */
    struct rh__schedule_setting *settings;
    uint32_t setting_count;
    struct rh__schedule_line *lines;
    uint32_t line_count;
};

/* Reads `size` bytes, without a world; false with a sentence that names the line. */
bool rh__schedule_parse(struct rh__schedule *s, const char *bytes, size_t size, char *error, size_t error_size);
bool rh__schedule_read(struct rh__schedule *s, const char *path, char *error, size_t error_size);
void rh__schedule_release(struct rh__schedule *s);

/* Applies the `set` lines to the semantics; parameters go to the array (room for `most`).  Returns false with a
 * sentence on failure. */
bool rh__schedule_settings(const struct rh__schedule *s, struct rh_semantics *semantics, struct rh_param *params,
                           size_t *param_count, size_t most, char *error, size_t error_size);

/* Sets one field of the semantics by its name: "model" "fifo", "losses" "2".  Returns false with a sentence on
 * failure. */
bool rh__semantics_set(struct rh_semantics *s, const char *name, const char *value, char *error, size_t error_size);
/* Writes `set` lines for all fields that differ from the default or from the test's own semantics. */
void rh__semantics_write(const struct rh_semantics *s, const struct rh_semantics *own, struct rh__text *to);
/* A field, in a fixed order, with its value as text (for limits that the test leaves at 0, their default). */
struct rh__setting {
    const char *name, *value;
    bool word;   /* the value is a word; otherwise it is a number */
    bool flag;   /* the number is 0 or 1, for false and true */
    bool fault;  /* a budget of faults */
    bool always; /* schedules and reports name it, even if it is usual */
    bool usual;  /* the value is that of a test that does not set it */
};
void rh__semantics_each(const struct rh_semantics *s, void (*each)(void *arg, const struct rh__setting *setting),
                        void *arg);
/* The i-th field and its option, which has no name if there is none; NULL after the last field. */
const struct rh__option *rh__semantics_option(size_t i, const char **field);
const char *rh__model_name(enum rh_model model);
const char *rh__granularity_name(enum rh_granularity granularity);
const char *rh__time_name(enum rh_time time);

#endif
