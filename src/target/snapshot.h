/* A state of the world between two steps, read from what the explorer `reach` writes (explore/decorate/worlds.h): where
 * the search begins. */
#ifndef RH_TARGET_SNAPSHOT_H
#define RH_TARGET_SNAPSHOT_H

#include "target/bitcode_program.h"

enum rh__snap_status {
    RH__SNAP_IDLE,
    RH__SNAP_NEW,    /* it takes rh_start first */
    RH__SNAP_INSIDE, /* its code waits: not followed from here */
    RH__SNAP_GONE,
    RH__SNAP_OUTSIDE,
};

struct rh__snap_actor {
    enum rh__snap_status status;
    uint32_t type, behaviour; /* of the program; RH__NO_INDEX for none */
    uint8_t *state;
    uint32_t size;
    char *name;
};

struct rh__snap_message {
    bool taken;
    uint32_t type, from, to; /* type RH__NO_INDEX: of no declared type */
    uint8_t *value, *tail;
    uint32_t size, tail_size;
    bool tail_known; /* or there is none */
};

struct rh__snap_timer {
    uint32_t actor, type;
    uint8_t *value;
    uint32_t size;
    char *name;
};

struct rh__snap_opening {
    uint32_t actor, type;
    LLVMValueRef when; /* NULL for none */
};

struct rh__snapshot {
    char *schedule; /* that leads there */
    uint32_t choices;
    uint32_t outside_left, outside_next;
    struct rh__snap_actor *actors;
    struct rh__snap_message *messages;
    struct rh__snap_timer *timers;
    struct rh__snap_opening *openings;
    uint32_t actor_count, message_count, timer_count, opening_count;
};

/* All snapshots of a record; the caller frees them.  Text that is none is passed over. */
struct rh__snapshot *rh__snapshots_read(const struct rh__program *p, const char *record, uint32_t *count);
void rh__snapshots_free(struct rh__snapshot *all, uint32_t count);

/* The reference of an actor, as this world gives them (world/state.h). */
static inline uint64_t rh__snap_reference(uint32_t actor)
{
    return 0x7265660000000001u + actor;
}

#endif
