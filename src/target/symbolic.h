/* Symbolic execution of one handler: which message makes it reach a block, from a given state [TAP, section 5].
 *
 * The state has concrete bytes, those of a run; the message is unknown.  Every path of the handler is followed, with
 * the condition under which it is taken, and functions that it calls are executed inside it.  What the handler does to
 * others (sends, spawns, timers) does not matter for the block, so such calls have no effect.
 *
 * An answer is a proposal, not a proof: calls without a model return anything, and paths with an instruction that is
 * not known are given up.  The caller replays it.  No answer means nothing at all. */
#ifndef RH_TARGET_SYMBOLIC_H
#define RH_TARGET_SYMBOLIC_H

#include "target/bitcode_program.h"

struct rh__symbolic_question {
    const struct rh__program *program;
    LLVMValueRef handler;            /* rh_on_ACTOR__MESSAGE */
    LLVMValueRef when;               /* predicate of the message; NULL for none */
    const LLVMBasicBlockRef *blocks; /* reach one of these */
    uint32_t block_count;
    const uint8_t *state;
    uint32_t state_size;
    const uint8_t *message; /* bytes of which eight in a row are a reference stay as they are */
    uint32_t message_size;
    uint32_t most_paths;
};

struct rh__symbolic_answer {
    bool found;
    uint8_t *message;  /* message_size bytes, of the caller */
    uint32_t block;    /* which of the blocks */
    uint32_t paths;    /* followed to their end */
    uint32_t queries;  /* of the solver */
    char trouble[128]; /* why a path was given up; "" if none was */
};

void rh__symbolic_solve(const struct rh__symbolic_question *q, struct rh__symbolic_answer *a);

#endif
