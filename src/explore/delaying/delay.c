/* delay(NAME, SEARCH): a search with a delaying explorer (rehearse/delaying.h). */
#include <stdio.h>
#include <string.h>

#include "explore/delaying/delaying.h"
#include "explore/explorers.h"

struct delay {
    struct rh__ses *ses; /* NULL: sampling only */
    struct rh__ss *ss;   /* NULL: no sampling */
    bool sampling;
};

static bool delay_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    struct delay *d = state;
    const char *name = rh_arguments_text(a, "order", "rtc"), *search = rh_arguments_text(a, "search", "ses");
    struct rh__delay_options o = { .delaying = rh__delaying_named(name),
                                   .seed = rh_exploration_seed(x),
                                   .kilobytes = rh_arguments_number(a, "kb", 1 << 20),
                                   .frontier_kilobytes = rh_arguments_number(a, "frontier", 1 << 20),
                                   .most = rh_arguments_number(a, "delays", 0),
                                   .c1 = rh_arguments_real(a, "c1", 10),
                                   .c2 = rh_arguments_real(a, "c2", 3),
                                   .bounded = rh_arguments_has(a, "delays"),
                                   .check = rh_arguments_has(a, "check"),
                                   .repeats = rh_arguments_has(a, "repeats"),
                                   .combined = strcmp(search, "ses+ss") == 0 };
    if (!o.delaying) {
        char names[256];
        rh__delaying_names(names, sizeof names);
        snprintf(error, error_size, "there is no delaying explorer %s; there are %s", name, names);
        return false;
    }
    const struct rh_delaying *e = o.delaying;
    if (e->state_size > RH_DELAYING_MOST_STATE || !e->state_size || !e->next || !e->delay || !e->start) {
        snprintf(error, error_size, "delaying explorer %s needs a state of 1 to %d bytes, next, delay and start", name,
                 (int)RH_DELAYING_MOST_STATE);
        return false;
    }
    bool searches = strcmp(search, "ss") != 0;
    d->sampling = !searches;
    d->ses = searches ? rh__ses_open(x, &o) : NULL;
    d->ss = !searches || o.combined ? rh__ss_open(x, &o) : NULL;
    bool good = (d->ses || !searches) && (d->ss || (searches && !o.combined));
    if (!good)
        snprintf(error, error_size, "no memory for explorer delay");
    return good;
}

/* The exhaustive search gives way to sampling when its memory is used up. */
static uint32_t delay_begin(void *state, const struct rh_world *w)
{
    struct delay *d = state;
    uint32_t keep = d->sampling ? 0 : rh__ses_begin(d->ses, w);
    if (!d->sampling && !keep && d->ss && rh__ses_is_used_up(d->ses)) {
        struct rh__starts starts = rh__ses_starts(d->ses);
        rh__ss_start_from(d->ss, &starts);
        d->sampling = starts.count > 0;
    }
    return d->sampling ? rh__ss_begin(d->ss, w) : keep;
}

static uint32_t delay_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct delay *d = state;
    return d->sampling ? rh__ss_choose(d->ss, w, open, count) : rh__ses_choose(d->ses, w, open, count);
}

static void delay_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct delay *d = state;
    if (!d->sampling)
        rh__ses_end(d->ses, w, run);
}

static enum rh_verdict delay_verdict(const void *state)
{
    const struct delay *d = state;
    if (d->sampling) /* an item of samples is done when they are made; the whole search is never */
        return rh__ss_works(d->ss) ? RH_VERDICT_EXHAUSTIVE : RH_VERDICT_SAMPLED;
    return rh__ses_verdict(d->ses);
}

static bool delay_diverged(const void *state)
{
    const struct delay *d = state;
    return d->ses && rh__ses_diverged(d->ses);
}

static void delay_notes(const void *state, char *buffer, size_t size)
{
    const struct delay *d = state;
    if (d->ses)
        rh__ses_notes(d->ses, buffer, size);
    size_t used = d->ses ? strlen(buffer) : 0;
    if (d->ses && d->sampling && used + 2 < size)
        buffer[used++] = '\n';
    if (d->sampling)
        rh__ss_notes(d->ss, buffer + used, size - used);
}

/* ---- several workers --------------------------------------------------------------------------------------------- */

/* One of the two searches: what comes after memory is used up is in one process. */
static bool delay_can(const void *state)
{
    const struct delay *d = state;
    return !d->ses || !d->ss;
}

static size_t delay_pack(void *state, void *buffer, size_t room, bool half)
{
    struct delay *d = state;
    if (!delay_can(d))
        return 0;
    return d->ses ? rh__ses_pack(d->ses, buffer, room, half) : rh__ss_pack(d->ss, buffer, room, half);
}

static bool delay_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct delay *d = state;
    (void)w;
    bool good = true;
    if (d->ss)
        good = rh__ss_unpack(d->ss, item, size);
    return good && (!d->ses || rh__ses_unpack(d->ses, item, size));
}

static size_t delay_give(void *state, void *buffer, size_t room, bool idle)
{
    struct delay *d = state;
    return d->ses ? rh__ses_give(d->ses, buffer, room, idle) : rh__ss_give(d->ss, buffer, room, idle);
}

static bool delay_gather(void *state, const void *told, size_t size)
{
    struct delay *d = state;
    return d->ses ? rh__ses_gather(d->ses, told, size) : rh__ss_gather(d->ss, told, size);
}

static bool delay_has_more(const void *state)
{
    const struct delay *d = state;
    return d->ses ? rh__ses_has_more(d->ses) : rh__ss_has_more(d->ss);
}

static size_t delay_save(const void *state, void *buffer, size_t room)
{
    const struct delay *d = state;
    return d->ses ? rh__ses_save(d->ses, buffer, room) : rh__ss_save(d->ss, buffer, room);
}

static bool delay_load(void *state, const void *saved, size_t size)
{
    struct delay *d = state;
    return d->ses ? rh__ses_load(d->ses, saved, size) : rh__ss_load(d->ss, saved, size);
}

static size_t delay_tell(void *state, void *buffer, size_t room)
{
    struct delay *d = state;
    return d->ses ? rh__ses_tell(d->ses, buffer, room) : rh__ss_tell(d->ss, buffer, room);
}

static const void *delay_known(const void *state, uint64_t *life, size_t *size)
{
    const struct delay *d = state;
    if (d->ses)
        return rh__ses_known(d->ses, life, size);
    *life = *size = 0;
    return NULL;
}

static bool delay_learn(void *state, const void *bytes, size_t size)
{
    struct delay *d = state;
    return d->ses ? rh__ses_learn(d->ses, bytes, size) : !size;
}

static const struct rh_explorer_rounds delay_rounds = { .give = delay_give,
                                                        .gather = delay_gather,
                                                        .has_more = delay_has_more,
                                                        .save = delay_save,
                                                        .load = delay_load,
                                                        .tell = delay_tell,
                                                        .known = delay_known,
                                                        .learn = delay_learn };
static const struct rh_explorer_share delay_share = {
    .can = delay_can, .pack = delay_pack, .unpack = delay_unpack, .rounds = &delay_rounds
};

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const struct rh_explorer_report delay_report = { .verdict = delay_verdict,
                                                        .notes = delay_notes,
                                                        .diverged = delay_diverged };
static const struct rh_argument delay_arguments[] = {
    { .name = "order", .kind = RH_ARGUMENT_WORD, .help = "rtc, rr, prr, or your own; default rtc" },
    { .name = "search",
      .kind = RH_ARGUMENT_WORD,
      .words = "ses|ss|ses+ss",
      .help = "ses: every state, by delays; ss: samples, by delays; ses+ss: ses until memory is short; default ses" },
    { .name = "delays",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 0,
      .most = 1e6,
      .named = true,
      .help = "at most so many delays" },
    { .name = "kb",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 30,
      .named = true,
      .help = "ses: memory for visited states, in KiB (1048576)" },
    { .name = "frontier",
      .kind = RH_ARGUMENT_NUMBER,
      .least = 1,
      .most = 1 << 30,
      .named = true,
      .help = "ses: memory for runs that are put off, twice so many KiB (1048576); more go to a file in TMPDIR" },
    { .name = "c1",
      .kind = RH_ARGUMENT_REAL,
      .least = 1e-9,
      .most = 1e12,
      .named = true,
      .help = "ss: c1 * c2^D samples with D delays (10)" },
    { .name = "c2", .kind = RH_ARGUMENT_REAL, .least = 1e-9, .most = 1e6, .named = true, .help = "ss: see c1 (3)" },
    { .name = "check", .kind = RH_ARGUMENT_FLAG, .help = "ses: check in every state that delays give every choice" },
    { .name = "repeats", .kind = RH_ARGUMENT_FLAG, .help = "ss: make a run again if it is drawn again" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_delay = {
    .name = "delay",
    .summary = "runs by the number of deviations from an order of choices",
    .state_size = sizeof(struct delay),
    .arguments = delay_arguments,
    .matches_states = true,
    .open = delay_open,
    .begin = delay_begin,
    .choose = delay_choose,
    .end = delay_end,
    .report = &delay_report,
    .share = &delay_share,
};
