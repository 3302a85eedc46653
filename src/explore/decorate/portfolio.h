/* Explorers that explore the same test one after the other, a run or a slice of runs each.
 *
 *     portfolio(EXPLORER, ...)   a run each in turn (portfolio.c)
 *     auto                       members and their shares by what the test is and what each brings (auto.c)
 *
 * The state of such a decorator begins with a struct rh__portfolio.  Its verdict is the best one of all members that
 * are done: a member that has made every run makes the others superfluous. */
#ifndef RH_EXPLORE_DECORATE_PORTFOLIO_H
#define RH_EXPLORE_DECORATE_PORTFOLIO_H

#include <rehearse/explorer.h>

struct rh__portfolio {
    uint32_t count, turn; /* number of members, and the member that acts now */
    struct rh_inner member[RH_MOST_INNER];
    bool done[RH_MOST_INNER];
};

/* Asks the member whose turn it is for a run.  Returns what its `begin` returns; marks it as done if that is 0. */
uint32_t rh__portfolio_begin_member(struct rh__portfolio *p, const struct rh_world *w);
/* True if the other members cannot add anything to what the member whose turn it is has found out. */
bool rh__portfolio_is_settled(const struct rh__portfolio *p);

enum rh_verdict rh__portfolio_verdict(const void *state);
double rh__portfolio_estimate(const void *state);
/* The table rh_explorer_share. */
bool rh__portfolio_can_share(const void *state);
size_t rh__portfolio_pack(void *state, void *buffer, size_t room, bool half);
size_t rh__portfolio_claim(void *state, void *buffer, size_t room, uint64_t key[2]);
bool rh__portfolio_unpack(void *state, const struct rh_world *w, const void *item, size_t size);
double rh__portfolio_share(const void *state, uint64_t *runs);
/* Of the table rh_explorer_decorator. */
const struct rh_inner *rh__portfolio_members(const void *state, uint32_t *count, uint32_t *now);

#endif
