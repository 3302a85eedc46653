#include "explore/support/oracle_make.h"

static void make_faults(struct features *p, uint64_t *random)
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
static void make_stores(struct features *p)
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
    p->sure = below(&random, 3) == 0;
}

void features_share(struct features *p)
{
    uint64_t random = scrambled(p->seed, 80);
    if (p->has >> F_STORE & 1)
        p->shares = below(&random, 3);
}

void features_with_time(struct features *p, enum rh_time time)
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

void features_with_sets(struct features *p)
{
    uint64_t random = scrambled(p->seed, 81);
    p->has |= (uint64_t)1 << F_SET | (uint64_t)1 << F_WALKER;
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_RECEIVE;
    if (below(&random, 2) == 0)
        p->has |= (uint64_t)1 << F_FAN;
    p->walkers += !p->walkers;
    if (p->actors + p->walkers > 4)
        p->actors = 4 - p->walkers;
    p->starts = 3;
    p->ttl = 2;
}

void features_make(struct features *p, uint64_t seed)
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
        enum feature f = (enum feature)(F_BIRTH + below(&later, F_SET - F_BIRTH));
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

void features_make_crowd(struct features *p, uint64_t seed)
{
    static const enum feature operations[] = { F_TABLE, F_ORDERED, F_NAME, F_ALIVE, F_LINK, F_MONITOR, F_TABLE },
                              others[] = {
                                  F_STOP,    F_EXIT,  F_KILL, F_FAN,   F_TO_NAME,    F_TRAP, F_STORE,  F_POLL,
                                  F_TIMEOUT, F_MATCH, F_BODY, F_SPAWN, F_EVENTUALLY, F_ASK,  F_CHOOSE, F_TEST
                              };
    uint64_t random = scrambled(seed, 81);
    *p = (struct features){ .seed = seed, .model = (uint32_t)(seed % 4), .crowd = 1 };
    p->has = (uint64_t)1 << operations[below(&random, sizeof operations / sizeof *operations)];
    if (below(&random, 2))
        p->has |= (uint64_t)1 << operations[below(&random, sizeof operations / sizeof *operations)];
    if (below(&random, 3)) {
        enum feature f = others[below(&random, sizeof others / sizeof *others)];
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
    }
    p->walkers = p->has >> F_WALKER & 1 ? 1 : 0;
    p->actors = 3 - p->walkers + below(&random, 2);
    p->starts = p->actors + p->walkers;
    p->ttl = 1;
    if (below(&random, 3) == 0)
        make_faults(p, &random);
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_OUTSIDE;
    if (below(&random, 6) == 0)
        features_with_time(p, below(&random, 2) ? RH_TIME_LOGICAL : RH_TIME_ORDERED);
}

void features_make_scarce(struct features *p, uint64_t seed)
{
    uint64_t random = scrambled(seed, 82);
    if (below(&random, 3))
        features_make(p, seed);
    else
        features_make_crowd(p, seed);
    p->losses = p->duplicates = 0;
    p->crashes = 2 + (below(&random, 6) == 0);
    p->restarts = below(&random, 4) ? 1 : 0;
    p->kept = !p->restarts || below(&random, 3) == 0;
    p->may = below(&random, 4) ? 0 : p->may;
    p->ttl = 1 + (below(&random, 4) == 0);
    p->starts = 1 + (below(&random, 3) == 0);
    if (p->actors + p->walkers > 2 && below(&random, 6)) {
        p->walkers = p->walkers > 0;
        p->actors = 2 - p->walkers;
    }
}

void features_make_mortal(struct features *p, uint64_t seed)
{
    static const enum feature ends[] = { F_STOP, F_EXIT, F_KILL, F_RETURN, F_STOP };
    uint64_t random = scrambled(seed, 83);
    features_make(p, seed);
    p->has |= (uint64_t)1 << ends[below(&random, sizeof ends / sizeof *ends)];
    if (p->walkers == 0 && below(&random, 2)) { /* whose bodies end */
        p->has |= (uint64_t)1 << F_WALKER;
        p->walkers = 1;
        p->actors -= p->actors > 2;
    }
    p->dead = 1;
}

void features_make_linked(struct features *p, uint64_t seed)
{
    static const enum feature ends[] = { F_STOP, F_EXIT, F_KILL, F_EXIT, F_BIRTH },
                              others[] = { F_MONITOR, F_FROM,  F_TYPE, F_POLL, F_TIMEOUT, F_MATCH,  F_KILL,
                                           F_SPAWN,   F_START, F_TEST, F_BODY, F_RECEIVE, F_BECOME, F_NAME };
    uint64_t random = scrambled(seed, 84);
    *p = (struct features){ .seed = seed, .model = (uint32_t)(seed % 4), .crowd = below(&random, 2) };
    p->has = (uint64_t)1 << F_LINK | (uint64_t)1 << ends[below(&random, sizeof ends / sizeof *ends)];
    if (below(&random, 4))
        p->has |= (uint64_t)1 << F_TRAP;
    for (uint32_t n = 1 + below(&random, 2); n; n--) {
        enum feature f = others[below(&random, sizeof others / sizeof *others)];
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
    }
    if (below(&random, 2))
        p->has |= (uint64_t)1 << F_WALKER | (uint64_t)1 << F_EXITED;
    p->walkers = p->has >> F_WALKER & 1 ? 1 + below(&random, 2) : 0;
    p->actors = 3 - (p->walkers > 0) - below(&random, 2);
    p->starts = 2 + below(&random, 2);
    p->ttl = 1 + below(&random, 2);
    if (below(&random, 3) == 0)
        make_faults(p, &random);
    if (below(&random, 6) == 0)
        features_with_time(p, below(&random, 2) ? RH_TIME_LOGICAL : RH_TIME_ORDERED);
}

void features_make_gathering(struct features *p, uint64_t seed)
{
    uint64_t random = scrambled(seed, 85);
    if (below(&random, 3))
        features_make(p, seed);
    else
        features_make_linked(p, seed);
    p->has |= (uint64_t)1 << F_GATHER;
    if (below(&random, 2))
        p->has |= (uint64_t)1 << F_FAN;
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_BECOME;
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << F_TIMER;
    p->actors = 1 + below(&random, 3);
    if (p->actors + p->walkers > 4)
        p->walkers = 1;
    p->starts = 3 + below(&random, 2);
    p->ttl = 2;
}

void features_make_clients(struct features *p, uint64_t seed)
{
    static const enum feature others[] = { F_FAN, F_ASK, F_CHOOSE, F_TIMER, F_BODY, F_TABLE, F_EXIT, F_OUTSIDE };
    uint64_t random = scrambled(seed, 85);
    *p = (struct features){ .seed = seed, .model = (uint32_t)(seed % 4), .crowd = below(&random, 2) };
    p->has = (uint64_t)1 << F_HISTORY;
    if (below(&random, 2)) {
        enum feature f = others[below(&random, sizeof others / sizeof *others)];
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
    }
    p->actors = 3;
    p->starts = 2 + below(&random, 2);
    p->ttl = 2;
    if (below(&random, 3) == 0)
        make_faults(p, &random);
}

void features_make_processes(struct features *p, uint64_t seed)
{
    static const enum feature operations[] = { F_TABLE, F_ORDERED, F_NAME,  F_TO_NAME, F_LINK,  F_MONITOR, F_TRAP,
                                               F_EXIT,  F_KILL,    F_ALIVE, F_SPAWN,   F_BIRTH, F_JOIN,    F_RETURN,
                                               F_YIELD, F_FAN,     F_REPLY, F_ASK,     F_WITHIN },
                              seen[] = { F_TABLE, F_TABLE, F_ORDERED, F_NAME, F_ALIVE },
                              waits[] = { F_TYPE, F_FROM, F_MATCH, F_TIMEOUT, F_POLL, F_EXITED, F_SLEEP, F_RECEIVE };
    uint64_t random = scrambled(seed, 86);
    *p = (struct features){ .seed = seed, .model = (uint32_t)(seed % 4), .crowd = below(&random, 3) > 0 };
    p->has = (uint64_t)1 << F_WALKER | (uint64_t)1 << seen[below(&random, sizeof seen / sizeof *seen)];
    for (uint32_t n = 1 + below(&random, 2); n; n--) {
        enum feature f = operations[below(&random, sizeof operations / sizeof *operations)];
        p->has |= (uint64_t)1 << f | (uint64_t)1 << feature_needs[f];
    }
    for (uint32_t n = below(&random, 3); n; n--)
        p->has |= (uint64_t)1 << waits[below(&random, sizeof waits / sizeof *waits)];
    if (below(&random, 3) == 0)
        p->has |= (uint64_t)1 << (below(&random, 2) ? F_BODY : F_TEST);
    p->kills = below(&random, 3) == 0 && p->has & ((uint64_t)1 << F_KILL | (uint64_t)1 << F_LINK);
    p->walkers = 2 + (below(&random, 4) == 0);
    p->actors = below(&random, 6) == 0;
    p->starts = p->actors + p->walkers;
    p->ttl = 1 + below(&random, 2);
    p->busy = 1 + below(&random, 2);
}

bool features_shrink(struct features *p)
{
    if (p->busy > 1)
        p->busy--;
    else if (p->ttl > 2)
        p->ttl--;
    else if (p->starts > 2)
        p->starts--;
    else if (p->losses > 1)
        p->losses--;
    else if (p->crashes > 2)
        p->crashes--;
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

struct rh_semantics features_semantics(const struct features *p)
{
    static const struct rh_actor_type *const players_only[] = { &rh_actor_player, &rh_actor_starter, NULL };
    static const struct rh_actor_type *const walkers_only[] = { &rh_actor_walker, NULL };
    static const struct rh_actor_type *const *const may[] = { NULL, players_only, walkers_only };
    static const char *const preparations[] = { PREPARATIONS, NULL };
    return (struct rh_semantics){ .model = (enum rh_model)p->model,
                                  .granularity = p->grain ? (enum rh_granularity)p->grain : RH_GRAIN_OBJECT,
                                  .time = (enum rh_time)p->time,
                                  .pauses = !p->still,
                                  .dead_letters = p->dead ? RH_DEAD_LETTER_FAIL : RH_DEAD_LETTER_IGNORE,
                                  .losses = p->losses,
                                  .duplicates = p->duplicates,
                                  .crashes = p->crashes,
                                  .restarts = p->restarts,
                                  .kept_restarts = p->kept,
                                  .failed_opens = p->unopened,
                                  .kills = p->kills ? RH_KILL_ANYWHERE : RH_KILL_AT_WAITS,
                                  .atomic = p->kills ? preparations : NULL,
                                  .damaged_stores = p->damaged,
                                  .failed_puts = p->unstored,
                                  .may_crash = may[p->may % 3],
                                  .may_lose = may[p->may % 3],
                                  .max_actors = 32,
                                  .max_steps = 300,
                                  .max_bytes_per_actor = 65536,
                                  .seed = p->seed + 1 };
}

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
    X(sure)                                                                                                            \
    X(grain)                                                                                                           \
    X(may)                                                                                                             \
    X(crowd)                                                                                                           \
    X(dead)                                                                                                            \
    X(still)                                                                                                           \
    X(untimed)                                                                                                         \
    X(busy)                                                                                                            \
    X(kills)                                                                                                           \
    X(fails)

void features_write(const struct features *p, char *text, size_t size)
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

static bool features_read_word(struct features *p, const char *word)
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

bool features_read(struct features *p, const char *text)
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
