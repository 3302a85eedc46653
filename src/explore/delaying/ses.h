/* The state of the stratified exhaustive search.  Private to src/explore/delaying.
 *
 *     ses.c        the search
 *     ses_pool.c   the same with several workers */
#ifndef RH_EXPLORE_SES_H
#define RH_EXPLORE_SES_H

#include <rehearse/visited.h>

#include "base/bytes.h"
#include "explore/delaying/delaying.h"
#include "explore/delaying/frontier.h"
#include "explore/stateful/on_path.h"

/* See ses_pool.c. */
struct rh__ses_pool {
    /* Of a worker. */
    bool works;                   /* this is a worker */
    struct rh_visited *common;    /* the set of the one that keeps the search */
    struct rh_fingerprint *print; /* by level */
    struct rh_fingerprint last;   /* of the state in which the run has ended */
    bool has_last, running;
    uint32_t meaning;     /* of fingerprints, when the run began */
    uint64_t number;      /* of the item under way */
    unsigned char *entry; /* its bytes */
    size_t entry_size;
    unsigned char *told; /* records of runs */
    size_t told_size;
    uint32_t slot; /* of the set (rh__exploration_publish) */
    /* Of the one that keeps the search. */
    bool keeps;                /* items were given */
    bool hot;                  /* see rh__ses_was_hot; of a worker: since the last record */
    uint64_t numbered;         /* items that were given */
    struct rh__writer records; /* of the round */
    struct rh__writer states;  /* all fingerprints */
    uint64_t life;             /* how often the search has begun */
    uint32_t common_meaning;   /* of all fingerprints; of a worker: as the one that keeps the search wants it */
    bool starts_over;          /* some worker has seen the program read the clock or take a set: they mean more now */
};

struct rh__ses_level {
    uint32_t count;  /* open choices */
    uint32_t delays; /* before the choice, at this level */
    uint32_t pick;
    uint32_t actors; /* before the step */
};

struct rh__ses {
    struct rh__delay_options o;
    struct rh_exploration *x;
    struct rh_visited *visited;
    struct rh__on_path on_path;
    struct rh__splits *splits;
    struct rh__ses_level *path;
    unsigned char *states, *after; /* of the explorer, by level: before the delays of the choice, and with it */
    struct rh__frontier frontiers[2], *now, *next;
    unsigned char *item; /* the item to be put off */
    uint32_t *given;     /* delays by level, of the item under way */
    uint64_t *starts;    /* offsets of items, times 2, + 1 if in `next`: where sampling begins */
    uint32_t given_top;
    uint32_t top, room, floor;
    uint32_t base;   /* levels before this one are the way to the item */
    uint32_t delays; /* of the stratum */
    bool begun, placed, diverged, unsound, full, stopped;
    bool set_full;   /* of visited states */
    bool used_up;    /* the memory, before all states were visited */
    char where[256]; /* of an unsound explorer */
    uint64_t transitions, most_items, runs;
    uint32_t deepest;
    bool active; /* it has work */
    struct rh__ses_pool pool;
};

/* Puts the other choices of a level off to the next stratum: an item for the next of them, which puts off the rest. */
void rh__ses_put_off(struct rh__ses *s, uint32_t level);
/* Writes the delays of an item by level, and returns the number of levels; 0 for bytes that are no item. */
uint32_t rh__ses_read_item(const struct rh__ses *s, const void *item, size_t size, uint32_t *delays);
/* Makes `given` the item under way.  Returns the events to keep. */
uint32_t rh__ses_take(struct rh__ses *s, uint32_t levels);
/* Forgets the path. */
void rh__ses_leave_path(struct rh__ses *s);
/* Goes on to the next stratum.  False if there is none, or it has too many delays. */
bool rh__ses_next_stratum(struct rh__ses *s);

bool rh__ses_pool_open(struct rh__ses *s);
uint32_t rh__ses_pool_begin(struct rh__ses *s, const struct rh_world *w);
/* True if the state was visited before this round. */
bool rh__ses_pool_visited(const struct rh__ses *s, struct rh_fingerprint f);

#endif
