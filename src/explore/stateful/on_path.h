/* The states on the path of a depth-first search, by fingerprint.  Levels are entered and left last in, first out. */
#ifndef RH_EXPLORE_ON_PATH_H
#define RH_EXPLORE_ON_PATH_H

#include <rehearse/explorer.h>

struct rh__on_path_level;

struct rh__on_path {
    struct rh__on_path_level *levels; /* by depth */
    uint32_t *newest;                 /* by hash: the deepest level of a list, + 1 */
};

/* For depths below `room`; false if memory is short. */
bool rh__on_path_open(struct rh__on_path *p, struct rh_exploration *x, uint32_t room);
/* There is no level any more. */
void rh__on_path_clear(struct rh__on_path *p);
void rh__on_path_enter(struct rh__on_path *p, uint32_t depth, struct rh_fingerprint f);
/* The deepest level. */
void rh__on_path_leave(struct rh__on_path *p, uint32_t depth);
/* The depth at which the state is on the path, + 1; 0: it is not. */
uint32_t rh__on_path_has(const struct rh__on_path *p, struct rh_fingerprint f);

#endif
