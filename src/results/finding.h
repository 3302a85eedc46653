/* A finding: an error that occurred in some runs, and one run that shows the error. */
#ifndef RH_RESULTS_FINDING_H
#define RH_RESULTS_FINDING_H

#include "run/run.h"

enum {
    RH__MAX_FINDINGS = 32,
    RH__RUN_BYTES = 1 << 25, /* only address space: pages that nobody writes take no memory */
    RH__SCHEDULE_BYTES = 1 << 24,
    RH__STORY_BYTES = 1 << 18,
};

/* How the shown run was made smaller (findings/minimise.h). */
struct rh__minimised {
    uint32_t before, after; /* events, without the first one; 0: it was not tried */
    uint32_t faults_before, faults_after;
    uint64_t runs;
    uint32_t tail; /* of a run without end that is no loop: after so many events whoever has waited longest moves */
    uint64_t handler_ms; /* processor time in handlers that did not return */
    bool costly;         /* it was given up: a run took too long */
    bool repeats;        /* the run failed again in the same way; if not, it was left as it is */
    bool whole;          /* no single step can be left out; if not, a limit ended the search */
};

/* Why the shown run fails (findings/why.h).  Events are those of the shown run.  Continuations are without further
 * faults. */
enum rh__why_differs {
    RH__WHY_UNKNOWN, /* no passing run was found near */
    RH__WHY_ORDER,   /* with event `second` before event `first` it passes */
    RH__WHY_WAITING, /* if the actor takes message `message`, which was under way, before event `first`, it passes */
    RH__WHY_FAULT,   /* without event `first`, a fault, it passes */
    RH__WHY_OTHER,   /* if another choice is made instead of event `first`, it passes */
    RH__WHY_USE,     /* event `first` uses an object; a run in which another actor changes it before that passes */
};
enum { RH__WHY_POINTS = 64, RH__PASSING_BYTES = 1 << 23 };
struct rh__why {
    bool known;             /* the fields of the decisive step are valid */
    uint32_t decisive;      /* after this event no continuation avoids the failure; 0: no run avoids it */
    bool exhaustive;        /* all continuations after it were made; if not, as many as `continuations` were drawn */
    uint64_t continuations; /* after it; all of them fail in the same way.  Of a lasso, if `exhaustive`: states */
    bool leaves_loop;       /* of a lasso: continuations avoid it at every event, also in the loop: no event decides */
    uint32_t point_count;   /* the curve: how often random continuations of the run up to `event` fail in this way */
    struct rh__why_point {
        uint32_t event, failed, samples;
    } points[RH__WHY_POINTS]; /* by event */
    /* The nearest passing run: made again, and finished without a failure. */
    enum rh__why_differs differs;
    uint32_t first, second, message;
    char uses[2][256];      /* an order of two operations on one object: who, what, where; "": it is none */
    uint32_t places;        /* events that only one of the two runs has, and one for the order itself */
    unsigned char *passing; /* encoded (run/encode.h) */
    size_t passing_size;    /* 0: there is none, or it is too long to keep */
    uint64_t runs;          /* that all this took */
};

struct rh__finding {
    uint64_t signature; /* identity of the finding: see rh__finding_signature */
    uint64_t count;     /* number of runs with this finding */
    uint64_t run;       /* number of the run in which it was first found */
    struct rh_outcome outcome;
    char actor[256];
    unsigned char *encoded; /* the shown run (run/encode.h) */
    size_t encoded_size;    /* 0: the finding belongs to no run, or its run is too long to keep */
    /* The process that reports derives these texts from the run (rh__findings_describe in findings/story.h).  They are
     * "" before. */
    char *schedule;    /* text: trace/schedule.h */
    char *story;       /* the story of the run, for users */
    char reason[512];  /* "sink#1 took a before b; a run in the other order passes" (findings/why.h) */
    char decided[256]; /* "after event 5 it cannot be avoided: all 12 continuations fail" */
    uint32_t *picks;   /* index of the choice at each event, from event 1: the place of the run in the tree */
    uint32_t pick_count;
    struct rh__minimised minimised;
    struct rh__why why;
    bool changed; /* all fields but the count are new since the last mark (rh__results_set_mark) */
};

/* Identity of a finding.  Two findings of the same kind at the same place are equal.  Without a place, the sentences
 * are compared instead, without their digits. */
uint64_t rh__finding_signature(const struct rh_outcome *o);
/* True if the run with choices `a` comes before the run with choices `b` in the tree. */
bool rh__picks_before(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count);
/* True if the run with choices `a` is the better one to show: it is shorter, or as long and before the other. */
bool rh__picks_better(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count);
/* Makes this run the shown run.  Keeps up to 256 bytes of each message value, or fewer if there is no room. */
void rh__finding_keep_run(struct rh__finding *f, const struct rh__run *r);
/* Makes the finding show no run. */
void rh__finding_drop_run(struct rh__finding *f);
/* Copies all fields about the shown run, but neither the signature nor the count. */
void rh__finding_copy(struct rh__finding *to, const struct rh__finding *from);

/* Allocates the texts of all findings, and picks for `events` events each, as one mapping: mappings of their own would
 * be most of what a short exploration costs.  Returns the memory to release, or NULL if memory is short. */
void *rh__findings_init(struct rh__finding findings[RH__MAX_FINDINGS], size_t events);
void rh__findings_release(void *memory, size_t events);

#endif
