/* Included first in each file that `rehearse-bitcode --null` compiles: sends to nobody get a block of their own, which
 * `rehearse target --null` can look for.  Nothing else changes.  Do not include it yourself. */
#ifndef RH_NULL_H
#define RH_NULL_H

#if __has_include(<rehearse.h>)
#include <rehearse.h>

/* In librehearse-blocks: does nothing. */
void rh_to_nobody_(void);

#define RH_SOMEBODY_(to)                                                                                               \
    (__extension__({                                                                                                   \
        rh_ref rh_to_ = (to);                                                                                          \
        if (rh_is_nobody(rh_to_))                                                                                      \
            rh_to_nobody_();                                                                                           \
        rh_to_;                                                                                                        \
    }))
#define RH_ASKED_BY_(request)                                                                                          \
    (__extension__({                                                                                                   \
        struct rh_request rh_request_ = (request);                                                                     \
        if (rh_is_nobody(rh_request_.who))                                                                             \
            rh_to_nobody_();                                                                                           \
        rh_request_;                                                                                                   \
    }))

#define rh_send_(to, ...)          (rh_send_)(RH_SOMEBODY_(to), __VA_ARGS__)
#define rh_ask_(to, ...)           (rh_ask_)(RH_SOMEBODY_(to), __VA_ARGS__)
#define rh_forward_(to, ...)       (rh_forward_)(RH_SOMEBODY_(to), __VA_ARGS__)
#define rh_reply_to_(request, ...) (rh_reply_to_)(RH_ASKED_BY_(request), __VA_ARGS__)

#endif
#endif
