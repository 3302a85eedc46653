/* What a generator of schedules (generate.h) holds; private to it. */
#ifndef RH_COVERAGE_GENERATOR_H
#define RH_COVERAGE_GENERATOR_H

#include "coverage/generate.h"
#include "coverage/kinds.h"

enum mark {
    SCHEDULED = 1,
    LEFT_OUT = 2, /* it depends on a receive that was moved */
    POISONED = 4, /* so does what it causes, and what its actor causes from here on */
    PUT_OFF = 8,  /* some partner was scheduled before it */
    WANTED = 16,  /* it will be scheduled with others that something needs, */
    ALL_OF = 32,  /* and so will all that its actor did before */
};

/* The receives of one actor, in the order of the run. */
struct party {
    uint32_t first, count; /* in `receives` */
    uint32_t words;        /* of a set of them */
    uint64_t *forward;     /* of each: the later ones that it may have a goal with, itself first */
    uint64_t *back;        /* the same, itself last */
    uint64_t *must;        /* of each: the earlier ones that must be before it */
    uint64_t *behind;      /* of each: the later ones that must be behind it; NULL where that is not asked */
    uint64_t *tail;        /* those that are left, in the schedule under way */
    uint32_t arrived;      /* mailbox: the messages of so many, in the order of the run, are sent */
};

/* Lists of steps by what they follow. */
struct heads {
    uint32_t *cause, *born, *after, *local;
};

struct rh__generator {
    const struct rh__steps *s;
    enum rh__criterion criterion;
    bool farthest;
    uint32_t first_open;    /* all goals of earlier steps are achieved or tried */
    struct rh__kinds kinds; /* to begin with */
    struct party *parties;  /* by actor */
    uint32_t *receives;     /* steps */
    uint32_t *place;        /* of each step: among the receives of its actor */
    uint32_t *known;        /* of each step: the receive in the coverage */
    struct heads first, next;
    uint32_t *fences; /* of the whole run */
    uint32_t fence_count;
    /* The schedule under way. */
    unsigned char *marks;
    uint32_t *plan, plan_count;
    uint32_t *stack, *wanted;
    uint32_t flushed; /* all that is left before this step is scheduled */
    uint32_t goals;
    char *memory;
    size_t size, used;
};

static inline bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

static inline void put_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= (uint64_t)1 << bit % 64;
}

static inline void clear_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] &= ~((uint64_t)1 << bit % 64);
}

static inline const struct rh__step *step_at(const struct rh__generator *g, uint32_t step)
{
    return &g->s->list[step];
}

#endif
