/* Calls of rehearse.h go through trampolines (blocking.c).  A trampoline saves what the program has in registers above
 * all frames of the library, and notes where.  So the part of a stopped fiber's stack that is the program's own can be
 * told from the library's.  Calls that are next to nothing, such as rh_self, do without; none of the others returns
 * more than one word. */
#ifndef RH_ACTOR_BLOCKING_H
#define RH_ACTOR_BLOCKING_H

#include <rehearse/test.h>

/* Nobody stops in RH__CALLS_THAT_GO_ON, and no stack is to be clean: then these calls go through no trampoline.  True
 * but while a controlled world needs them. */
extern __attribute__((visibility("hidden"))) bool rh__calls_are_plain;

/* While such a call is under way: the end of the program's own part of the stack, where its registers and the arguments
 * of the call are; else NULL.  NULL on machines for which there is no trampoline. */
extern _Thread_local void *rh__program_frame;

/* Where the stack of an actor is to be clean: the end of the call clears what its frames have left there, down to this
 * address; NULL: nowhere.  What they leave depends on what the library has done before, and becomes a part of the
 * program's next frames. */
extern _Thread_local char *rh__clean_down_to;
/* The same for a call without a trampoline: all below the caller's frame. */
#if defined(__x86_64__)
void rh__clean_stack(void);
#else
static inline void rh__clean_stack(void)
{
}
#endif

/* X(name, words of its arguments) */
/* An actor may stop in these with any granularity. */
#define RH__CALLS_THAT_BLOCK(X)                                                                                        \
    X(rh_ask_, 6)                                                                                                      \
    X(rh_exit_, 2)                                                                                                     \
    X(rh_kill_, 3)                                                                                                     \
    X(rh_join_, 3)                                                                                                     \
    X(rh_yield_, 1)                                                                                                    \
    X(rh_sleep_, 2)                                                                                                    \
    X(rh_choose_, 2)                                                                                                   \
    X(rh_receive_, 2)                                                                                                  \
    X(rh_receive_set_, 3)                                                                                              \
    X(rh_store_open_, 2)                                                                                               \
    X(rh_store_sync_, 1)                                                                                               \
    X(rh_store_put_sync_, 4)                                                                                           \
    X(rh_wanted_, 4)                                                                                                   \
    X(rh_advance_time_, 2)
/* In these it stops between operations on objects or sends only, or never. */
#define RH__CALLS_THAT_GO_ON(X)                                                                                        \
    X(rh_spawn_, 3)                                                                                                    \
    X(rh_spawn_watched_, 4)                                                                                            \
    X(rh_send_, 6)                                                                                                     \
    X(rh_send_to_name_, 4)                                                                                             \
    X(rh_send_from_, 5)                                                                                                \
    X(rh_reply_, 5)                                                                                                    \
    X(rh_reply_to_, 7)                                                                                                 \
    X(rh_forward_, 2)                                                                                                  \
    X(rh_return_, 3)                                                                                                   \
    X(rh_link_, 2)                                                                                                     \
    X(rh_unlink_, 2)                                                                                                   \
    X(rh_monitor_, 2)                                                                                                  \
    X(rh_demonitor_, 2)                                                                                                \
    X(rh_register_, 3)                                                                                                 \
    X(rh_unregister_, 2)                                                                                               \
    X(rh_whereis_, 2)                                                                                                  \
    X(rh_info_, 3)                                                                                                     \
    X(rh_alive_, 2)                                                                                                    \
    X(rh_timer_, 5)                                                                                                    \
    X(rh_timer_cancel_, 2)                                                                                             \
    X(rh_table_put_, 5)                                                                                                \
    X(rh_table_insert_new_, 5)                                                                                         \
    X(rh_table_remove_, 3)                                                                                             \
    X(rh_table_swap_, 7)                                                                                               \
    X(rh_table_get_, 5)                                                                                                \
    X(rh_table_add_, 4)                                                                                                \
    X(rh_table_count_, 2)                                                                                              \
    X(rh_table_next_, 5)                                                                                               \
    X(rh_property_, 4)                                                                                                 \
    X(rh_history_call_, 5)                                                                                             \
    X(rh_history_return_, 5)                                                                                           \
    X(rh_announce_, 3)                                                                                                 \
    X(rh_observe_, 3)                                                                                                  \
    X(rh_tail, 1)                                                                                                      \
    X(rh_state_of_, 3)                                                                                                 \
    X(rh_name, 1)                                                                                                      \
    X(rh_become_, 2)                                                                                                   \
    X(rh_stop_, 1)                                                                                                     \
    X(rh_trap_exits_, 2)                                                                                               \
    X(rh_now_ms, 0)                                                                                                    \
    X(rh_random, 0)                                                                                                    \
    X(rh_turn_to_, 2)                                                                                                  \
    X(rh_store_put_, 4)                                                                                                \
    X(rh_store_get_, 4)                                                                                                \
    X(rh_open_, 4)                                                                                                     \
    X(rh_abstract_, 3)                                                                                                 \
    X(rh_external_, 2)
#define RH__CALLS(X) RH__CALLS_THAT_BLOCK(X) RH__CALLS_THAT_GO_ON(X)

/* The name of the function behind the trampoline; without trampolines, of the function itself. */
#if defined(__x86_64__)
#define RH__BEHIND(name) rh__call_##name
#else
#define RH__BEHIND(name) name
#endif
#define RH__BEHIND_X(name, words) __typeof__(name) RH__BEHIND(name);
RH__CALLS(RH__BEHIND_X)
#undef RH__BEHIND_X

#endif
