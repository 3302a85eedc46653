/* The stratified exhaustive search, for the explorers `delay` and, with several workers, `stateful`. */
#ifndef RH_EXPLORE_DELAYING_SEARCH_H
#define RH_EXPLORE_DELAYING_SEARCH_H

#include <rehearse/delaying.h>

struct rh__delay_options {
    const struct rh_delaying *delaying; /* NULL: rtc */
    uint64_t seed;
    uint64_t kilobytes; /* of visited states */
    uint64_t frontier_kilobytes;
    uint64_t most;       /* delays */
    double c1, c2;       /* samples of a stratum: c1 * c2^delays */
    bool bounded, check; /* `most` is given; compare every state with the definition of soundness */
    bool repeats;        /* sampling makes runs that it has made */
    bool narrows;        /* leaves out what rh__world_narrows does, as stateful; the search reports for it */
    bool combined;       /* samples follow when the memory of the exhaustive search is used up */
};

/* Where sampling begins: runs that an exhaustive search has put off. */
struct rh__starts {
    uint64_t count;  /* 0: it begins at the beginning */
    uint32_t delays; /* strata of the search, the last one perhaps unfinished */
    /* Writes the delays of such a run by level, and returns the number of levels. */
    uint32_t (*get)(void *arg, uint64_t which, uint32_t *delays);
    void *arg;
};

struct rh__ses *rh__ses_open(struct rh_exploration *x, const struct rh__delay_options *o);
uint32_t rh__ses_begin(struct rh__ses *s, const struct rh_world *w);
uint32_t rh__ses_choose(struct rh__ses *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh__ses_end(struct rh__ses *s, const struct rh_world *w, const struct rh_run *run);
enum rh_verdict rh__ses_verdict(const struct rh__ses *s);
bool rh__ses_diverged(const struct rh__ses *s);
/* In the explorer that keeps the search of several workers: there were monitors with hot behaviours, and this search
 * looks for no loops. */
bool rh__ses_was_hot(const struct rh__ses *s);
void rh__ses_notes(const struct rh__ses *s, char *buffer, size_t size);
/* For several workers: see struct rh_explorer_share and struct rh_explorer_rounds. */
size_t rh__ses_pack(struct rh__ses *s, void *buffer, size_t room, bool half);
bool rh__ses_unpack(struct rh__ses *s, const void *item, size_t size);
size_t rh__ses_tell(struct rh__ses *s, void *buffer, size_t room);
size_t rh__ses_give(struct rh__ses *s, void *buffer, size_t room, bool idle);
bool rh__ses_gather(struct rh__ses *s, const void *told, size_t size);
bool rh__ses_has_more(const struct rh__ses *s);
size_t rh__ses_save(const struct rh__ses *s, void *buffer, size_t room);
const void *rh__ses_known(const struct rh__ses *s, uint64_t *life, size_t *size);
bool rh__ses_learn(struct rh__ses *s, const void *bytes, size_t size);
bool rh__ses_load(struct rh__ses *s, const void *saved, size_t size);
/* The memory is used up, and something is left: sampling can begin there.  With `combined` only. */
bool rh__ses_is_used_up(const struct rh__ses *s);
struct rh__starts rh__ses_starts(struct rh__ses *s);

#endif
