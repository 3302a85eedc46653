/* Making programs (oracle_program.h) from seeds, making them smaller, and writing them down. */
#ifndef RH_TESTS_EXPLORE_ORACLE_MAKE_H
#define RH_TESTS_EXPLORE_ORACLE_MAKE_H

#include "explore/oracle_program.h"

static inline uint32_t below(uint64_t *random, uint32_t n)
{
    *random = scrambled(*random, 1);
    return (uint32_t)(*random >> 20) % n;
}

static inline void make_faults(struct features *p, uint64_t *random)
{
    switch (below(random, 12)) {
    case 0:
        p->losses = 1 + below(random, 2);
        break;
    case 1:
        p->duplicates = 1;
        break;
    case 2:
        p->crashes = 1;
        break;
    case 3:
        p->crashes = p->restarts = 1;
        break;
    case 4:
        p->crashes = p->kept = 1;
        break;
    case 5:
        p->crashes = p->restarts = 1;
        p->kept = below(random, 2);
        p->losses = below(random, 2);
        break;
    case 6:
        p->losses = p->duplicates = 1;
        break;
    default:
        break;
    }
}

/* Stores that fail; what else is made of this seed stays as it is. */
static inline void make_stores(struct features *p)
{
    uint64_t random = scrambled(p->seed, 79);
    if (!(p->has >> F_STORE & 1) || p->losses || p->duplicates)
        return;
    switch (below(&random, 6)) {
    case 0:
        p->unopened = 1;
        break;
    case 1:
        p->unstored = 1;
        break;
    case 2:
        p->damaged = p->unstored = 1;
        break;
    case 3:
        p->unopened = p->unstored = 1 + below(&random, 2);
        break;
    default:
        break;
    }
}

/* Stores that several want to have: a misuse, unless one ends before the other comes. */
static inline void features_share(struct features *p)
{
    uint64_t random = scrambled(p->seed, 80);
    if (p->has >> F_STORE & 1)
        p->shares = below(&random, 3);
}

/* With what makes a difference then. */
static inline void features_with_time(struct features *p, enum rh_time time)
{
    static const enum feature timed[] = { F_TIMER, F_WITHIN, F_SLEEP, F_NOW, F_TIMEOUT, F_LATE, F_TIMER };
    uint64_t random = scrambled(p->seed, 78);
    p->time = time;
    if (time == RH_TIME_LOGICAL)
        p->has |= (uint64_t)1 << (below(&random, 2) ? F_LATE : F_NOW);
    for (uint32_t n = time == RH_TIME_ORDERED ? 1 + below(&random, 2) : 0; n; n--) {
        enum feature f = timed[below(&random, sizeof timed / sizeof *timed)];
        p->has |= (uint64_t)1 << f;
        if (f == F_TIMEOUT)
            p->has |= (uint64_t)1 << F_RECEIVE;
    }
}

static inline void features_make(struct features *p, uint64_t seed)
{
    uint64_t random = scrambled(seed, 77);
    *p = (struct features){ .seed = seed, .model = (uint32_t)(seed % 4) };
    for (uint32_t n = 1 + below(&random, 3); n; n--) {
        enum feature f = (enum feature)below(&random, F_BIRTH);
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
        if (f != feature_needs[f] && feature_needs[f] == F_WALKER && below(&random, 3) == 0)
            p->has |= (uint64_t)1 << F_RECEIVE;
    }
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_OUTSIDE;
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_BODY;
    p->walkers = p->has >> F_WALKER & 1 ? 1 + below(&random, 2) : 0;
    p->actors = 3 - (p->walkers > 0) - below(&random, 2);
    p->starts = 2 + below(&random, 2);
    p->ttl = 2 + below(&random, 2);
    make_faults(p, &random);
    make_stores(p);
    uint64_t later = scrambled(seed, 79);
    if (below(&later, 3) == 0) { /* what came later, beside what the seed has always given */
        enum feature f = (enum feature)(F_BIRTH + below(&later, F_COUNT - F_BIRTH));
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
        if (f == F_JOIN)
            p->has |= (uint64_t)1 << F_RETURN;
        if (f == F_RETURN)
            p->has |= (uint64_t)1 << F_MONITOR;
    }
    p->may = below(&later, 3);
    uint32_t time = below(&random, 3);
    features_with_time(p, time == 0 ? RH_TIME_LOGICAL : time == 1 ? RH_TIME_ORDERED : RH_TIME_FREE);
}

/* The same with less of it, where it is too large; false where there is no less. */
static inline bool features_shrink(struct features *p)
{
    if (p->ttl > 2)
        p->ttl--;
    else if (p->starts > 2)
        p->starts--;
    else if (p->losses > 1)
        p->losses--;
    else if (p->ttl > 1)
        p->ttl--;
    else if (p->starts > 1)
        p->starts--;
    else if (p->walkers > 1)
        p->walkers--;
    else if (p->actors > 2)
        p->actors--;
    else
        return false;
    return true;
}

static inline struct rh_semantics features_semantics(const struct features *p)
{
    static const struct rh_actor_type *const players_only[] = { &rh_actor_player, &rh_actor_starter, NULL };
    static const struct rh_actor_type *const walkers_only[] = { &rh_actor_walker, NULL };
    static const struct rh_actor_type *const *const may[] = { NULL, players_only, walkers_only };
    return (struct rh_semantics){ .model = (enum rh_model)p->model,
                                  .granularity = RH_GRAIN_OBJECT,
                                  .time = (enum rh_time)p->time,
                                  .dead_letters = RH_DEAD_LETTER_IGNORE,
                                  .losses = p->losses,
                                  .duplicates = p->duplicates,
                                  .crashes = p->crashes,
                                  .restarts = p->restarts,
                                  .kept_restarts = p->kept,
                                  .failed_opens = p->unopened,
                                  .damaged_stores = p->damaged,
                                  .failed_puts = p->unstored,
                                  .may_crash = may[p->may % 3],
                                  .may_lose = may[p->may % 3],
                                  .max_actors = 32,
                                  .max_steps = 300,
                                  .max_bytes_per_actor = 65536,
                                  .seed = p->seed + 1 };
}

/* As text, and back. */
#define NUMBERS(X)                                                                                                     \
    X(actors)                                                                                                          \
    X(walkers)                                                                                                         \
    X(starts)                                                                                                          \
    X(ttl)                                                                                                             \
    X(model)                                                                                                           \
    X(time)                                                                                                            \
    X(losses)                                                                                                          \
    X(duplicates)                                                                                                      \
    X(crashes)                                                                                                         \
    X(restarts)                                                                                                        \
    X(kept)                                                                                                            \
    X(unopened)                                                                                                        \
    X(damaged)                                                                                                         \
    X(unstored)                                                                                                        \
    X(shares)                                                                                                          \
    X(may)                                                                                                             \
    X(fails)

static inline void features_write(const struct features *p, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "seed=%llu", (unsigned long long)p->seed);
#define PUT(name) n += p->name ? (size_t)snprintf(text + n, size - n, " " #name "=%u", p->name) : 0;
    NUMBERS(PUT)
#undef PUT
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (p->has >> f & 1)
            n += (size_t)snprintf(text + n, size - n, " %s%s", p->off >> f & 1 ? "-" : "", feature_names[f]);
    for (uint32_t i = 0; i < p->cut_count; i++)
        n += (size_t)snprintf(text + n, size - n, " cut=%u", p->cut[i]);
}

static inline bool features_read_word(struct features *p, const char *word)
{
    unsigned long long value = strchr(word, '=') ? strtoull(strchr(word, '=') + 1, NULL, 10) : 0;
    size_t n = strcspn(word, "=");
    if (n == 4 && strncmp(word, "seed", n) == 0)
        return p->seed = value, true;
    if (n == 3 && strncmp(word, "cut", n) == 0)
        return p->cut_count < MOST_CUTS ? p->cut[p->cut_count++] = (uint32_t)value, true : false;
#define GET(name)                                                                                                      \
    if (word[n] && n == sizeof #name - 1 && strncmp(word, #name, n) == 0)                                              \
        return p->name = (uint32_t)value, true;
    NUMBERS(GET)
#undef GET
    for (uint32_t f = 0; f < F_COUNT; f++)
        if (strcmp(word + (*word == '-'), feature_names[f]) == 0) {
            p->has |= (uint64_t)1 << f;
            p->off |= (uint64_t)(*word == '-') << f;
            return true;
        }
    return false;
}

/* False where a word is not known. */
static inline bool features_read(struct features *p, const char *text)
{
    *p = (struct features){ 0 };
    while (*text) {
        char word[64];
        size_t n = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        if (n && !features_read_word(p, word))
            return false;
        text += n + (text[n] == ' ');
    }
    return p->actors + p->walkers > 0 && p->actors + p->walkers <= MOST_PLAYERS;
}

#endif
