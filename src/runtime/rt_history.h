/* Histories of clients in production (RH_HISTORY): recorded if the options say so, checked when the runtime stops. */
#ifndef RH_RUNTIME_HISTORY_H
#define RH_RUNTIME_HISTORY_H

#include <rehearse.h>

/* `client` is nobody for a thread that is no actor. */
uint64_t rh__rt_history_call(const struct rh_history *history, const char *key, const struct rh_message_type *type,
                             const void *value, rh_ref client);
void rh__rt_history_return(const struct rh_history *history, uint64_t call, const struct rh_message_type *type,
                           const void *value, const char *here);

/* When no actor and no other thread calls any more: reports each history that has no order (kind "history"), and frees
 * all of them. */
void rh__rt_histories_end(void);

#endif
