/* The input of rh__plan (plan.h); private to it. */
/* Private to src/coverage. */
#ifndef RH_COVERAGE_PLAN_PREPARE_H
#define RH_COVERAGE_PLAN_PREPARE_H

#include "coverage/plan.h"
#include "coverage/type_orders.h"

enum plan_mark {
    SCHEDULED = 1,
    LEFT_OUT = 2, /* it depends on a receive that was moved */
    POISONED = 4, /* it is omitted with its effects, and with all later effects of its actor */
    PUT_OFF = 8,  /* a partner was scheduled before it */
    WANTED = 16,  /* it will be scheduled because other steps need it */
    ALL_OF = 32,  /* so will all earlier steps of its actor */
};

/* The receives of one actor, in the order of the run. */
struct plan_party {
    uint32_t first, count; /* range in `receives` */
    uint32_t words;        /* words of a set of these receives */
    uint64_t *forward;     /* of each: the later receives with which it may have a goal, itself first */
    uint64_t *back;        /* the same, itself last */
    uint64_t *must;        /* of each: the earlier receives that must precede it */
    uint64_t *behind;      /* of each: the later receives that must follow it; NULL if not needed */
    uint64_t *tail;        /* the receives that are left in the current schedule */
    uint32_t arrived;      /* mailbox: how many messages, in the order of the run, have been sent */
};

/* Lists of steps by the step that they follow. */
struct plan_heads {
    uint32_t *cause, *born, *after, *local;
};

struct rh__plan_input {
    const struct rh__steps *s;
    enum rh__criterion criterion;
    bool farthest;
    uint32_t first_open;          /* all goals of earlier steps are achieved or tried */
    struct rh__type_orders kinds; /* the first orders to try */
    struct plan_party *parties;   /* by actor */
    uint32_t *receives;           /* steps */
    uint32_t *place;              /* of each step: its index among the receives of its actor */
    uint32_t *known;              /* of each step: its receive in the coverage */
    struct plan_heads first, next;
    uint32_t *fences; /* of the whole run */
    uint32_t fence_count;
    /* The current schedule. */
    unsigned char *marks;
    uint32_t *plan, plan_count;
    uint32_t *stack, *wanted;
    uint32_t flushed; /* everything before this step that is left has been scheduled */
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

static inline const struct rh__coverage_step *step_at(const struct rh__plan_input *g, uint32_t step)
{
    return &g->s->list[step];
}

#endif
