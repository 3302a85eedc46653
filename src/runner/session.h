/* A session explores one test under one model.  Every command that runs a test is a few lines around a session:
 *
 *     struct rh__plan plan;         what to explore: from the options (batch.c), or from a schedule (replay.c)
 *     struct rh__session s;
 *     int code = rh__session_open(&s, &plan);
 *     if (code == RH__EXIT_OK)
 *         code = rh__session_run(&s);
 *     if (code == RH__EXIT_OK) {
 *         rh__session_result(&s, &result);
 *         rh__reports_result(&reports, &result);
 *     }
 *     rh__session_close(&s);        also after a call that failed
 *
 * The session makes the world and the exploration, starts workers, keeps the checkpoint, checks whether the program is
 * deterministic, makes the runs, and collects the result. */
#ifndef RH_RUNNER_SESSION_H
#define RH_RUNNER_SESSION_H

#include "findings/minimise.h"
#include "findings/story.h"
#include "report/result.h"
#include "runner/options.h"

/* What to explore, and how. */
struct rh__plan {
    const char *program; /* as the user called it */
    const struct rh_test *test;
    struct rh_semantics semantics; /* as the explorer needs them */
    struct rh_semantics asked;     /* as the user asked for them */
    const struct rh_param *params;
    size_t param_count;
    const char *explorer;
    struct rh__limits limits;
    bool first_run_twice; /* makes the first run twice before all others, to check that the program is deterministic */
    bool quiet;           /* the world prints no warnings */
    bool curves_of_sequences;                   /* --curve */
    bool curves;                                /* how the exploration goes on is noted, for pages */
    bool in_words;                              /* stories are sentences, not tables */
    bool whole_story;                           /* all events, whole values */
    bool mute;                                  /* what the program prints goes nowhere */
    void (*progress)(struct rh_exploration *x); /* NULL for none */
    uint32_t workers;                           /* 0 and 1: this process explores */
    const char *checkpoint;                     /* NULL for none */
    bool resume;
    bool cluster; /* work is shared over a link (cluster/link.h) */
    double lease_seconds;
    bool minimise;                                   /* makes the runs of findings smaller (findings/minimise.h) */
    bool explain;                                    /* finds out why they fail (findings/why.h) */
    const struct rh__shrink_limits *minimise_limits; /* NULL: the usual ones */
    bool required;                                   /* a verdict below `require` is not enough */
    enum rh_verdict require;
};

/* How stories are told: flags of findings/story.h. */
static inline unsigned rh__plan_telling(const struct rh__plan *p)
{
    return (p->in_words ? RH__TELL_IN_WORDS : 0u) | (p->whole_story ? RH__TELL_WHOLE : 0u);
}

struct rh__session {
    struct rh__plan plan;
    struct rh_world *world;
    struct rh_exploration *x;
    struct rh_exploration *search;  /* beside x (beside.h); NULL: none */
    struct rh_outcome *determinism; /* of the check before the first run; in shared memory */
    int printed;                    /* what the first run prints; -1: not kept */
    uint64_t printed_lines;
    bool endless;              /* a first run did not come to its end (first_look.h) */
    double spent;              /* processor time of looks and searches before the exploration: the limit has it, too */
    int interrupted;           /* the signal that interrupted before the world was made; 0: none */
    struct rh__results *early; /* what had been found before; NULL: nothing */
    uint64_t *monitors;        /* see struct rh_world_options; in shared memory */
    struct rh_timer_names *timer_names;
    uint64_t *atomic_met;
    uint64_t *params_asked; /* bits of parameters that a run asked for; in shared memory */
    char again[2048];       /* the command that explores the same runs, for internal errors */
    char error[1024];       /* after a call that failed; "" if the sentence is on standard error already */
};

/* After an exploration beside that of the session: passes an interrupt on, and what was found until then. */
void rh__session_interrupted(struct rh__session *s, const struct rh_exploration *x);

/* Makes the world and opens the explorer.  Gives RH__EXIT_OK, or an exit code with a sentence in s->error. */
int rh__session_open(struct rh__session *s, const struct rh__plan *plan);
/* Makes the runs; likewise. */
int rh__session_run(struct rh__session *s);
/* The result of a run that gave RH__EXIT_OK.  It refers to the session. */
void rh__session_result(const struct rh__session *s, struct rh__result *r);
void rh__session_close(struct rh__session *s);

#endif
