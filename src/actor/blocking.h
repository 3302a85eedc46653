/* Calls of rehearse.h that may block.  Each goes through a trampoline (blocking.c), which saves what the program has in
 * registers above all frames of the library, and notes where.  So the part of a blocked fiber's stack that is the
 * program's own can be told from the library's. */
#ifndef RH_ACTOR_BLOCKING_H
#define RH_ACTOR_BLOCKING_H

#include <rehearse.h>

/* While a call that may block is under way: the end of the program's own part of the stack, where its registers and the
 * arguments of the call are; else NULL.  NULL on machines for which there is no trampoline. */
extern _Thread_local void *rh__program_frame;

/* Behind the trampolines. */
const void *rh__call_ask(rh_ref to, const struct rh_message_type *type, const void *value,
                         const struct rh_message_type *reply, int64_t timeout_ms, const char *here);
void rh__call_sleep(int64_t ms, const char *here);
uint32_t rh__call_choose(uint32_t n, const char *here);
const struct rh_envelope *rh__call_receive(const struct rh_filter *filter, const char *here);
void rh__call_store_sync(const char *here);
void rh__call_store_put_sync(const char *key, const void *bytes, size_t size, const char *here);

#endif
