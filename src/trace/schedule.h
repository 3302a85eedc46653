/* Schedules as text: the choices of a run, one a line, by names that survive unrelated edits of the program.
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
 * Actors go by their stable names; a message by its type, sender and receiver, and where there are several such by
 * how many of them were sent before it: `writer#1 takes write from action#1 (2)` is the second, `(2, copy)` a duplicate
 * of that one, `(copy 2)` the second duplicate of the first.  Lines:
 *
 *     A takes T from S (n)           A's timer "N" fires           A stops waiting          A chooses V of N
 *     A goes on                      T from A to R (n) is accepted A's write is durable
 *     the clock reaches A's timer "N"                              the clock reaches the end of A's wait
 *     T from S to A (n) is lost      T from S to A (n) is doubled  A crashes keeping K      A restarts [with its state]
 *     the network splits: A B ...    the network heals             the run ends
 *
 * `#` at the beginning of a line or behind space begins a comment (in the program's own names it is written `\#`, a new
 * line `\n`, a backslash twice, other control characters `\x1b`), `...` stands for any number of choices (a partial
 * schedule), and behind the last line whoever replays decides.  The first event of a run (the test's body) is not
 * written: it is always the same. */
#ifndef RH_TRACE_SCHEDULE_H
#define RH_TRACE_SCHEDULE_H

#include <rehearse/world.h>

#include "base/text.h"

enum { RH__SCHEDULE_VERSION = 1 };

/* The line of a choice that is open or was taken. */
void rh__choice_line(const struct rh_world *w, const struct rh_choice *choice, struct rh__text *to);

/* The whole run so far, with head. */
void rh__schedule_write(const struct rh_world *w, struct rh__text *to);

struct rh__schedule_line {
    char *text;      /* without comment and surrounding space; "..." for any choices */
    uint32_t number; /* in the file, from 1 */
};

struct rh__schedule_setting {
    char *name, *value;
};

struct rh__schedule {
    char *bytes; /* owns all texts */
    char *test;  /* NULL if it does not say */
    struct rh__schedule_setting *settings;
    uint32_t setting_count;
    struct rh__schedule_line *lines;
    uint32_t line_count;
};

/* Reads `size` bytes; false with a sentence that names the line. */
bool rh__schedule_parse(struct rh__schedule *s, const char *bytes, size_t size, char *error, size_t error_size);
bool rh__schedule_read(struct rh__schedule *s, const char *path, char *error, size_t error_size);
void rh__schedule_release(struct rh__schedule *s);

/* Applies `set` lines to semantics; params go to the array (room for `most`).  False with a sentence. */
bool rh__schedule_settings(const struct rh__schedule *s, struct rh_semantics *semantics, struct rh_param *params,
                           size_t *param_count, size_t most, char *error, size_t error_size);

/* Sets one field of the semantics by its name: "model" "fifo", "losses" "2".  False with a sentence. */
bool rh__semantics_set(struct rh_semantics *s, const char *name, const char *value, char *error, size_t error_size);
/* As `set` lines: all that is not the default, or not what the test itself says. */
void rh__semantics_write(const struct rh_semantics *s, const struct rh_semantics *own, struct rh__text *to);
/* Every field, in a fixed order, with its value as text (limits as they count where the test leaves them at 0). */
struct rh__setting {
    const char *name, *value;
    bool word;  /* the value is a word, else a number or, of a flag, 0 or 1 */
    bool fault; /* a budget of faults */
    bool usual; /* it has the value that tests have unless they say otherwise */
};
void rh__semantics_each(const struct rh_semantics *s, void (*each)(void *arg, const struct rh__setting *setting),
                        void *arg);
const char *rh__model_name(enum rh_model model);
const char *rh__granularity_name(enum rh_granularity granularity);
const char *rh__time_name(enum rh_time time);

#endif
