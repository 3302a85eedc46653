/* Stratified sampling [Desai 2015, 4].  A sample with d delays is a walk over whole runs: the run without delays,
 * then runs that each have one delay more.  The new delay is at a place that is drawn from those after the last
 * delay.  A place is a step at which a delay gives a choice that was not passed over yet.  So each run with d delays
 * is drawn with a probability of at least 1 / L^d, if no run has more than L steps.
 *
 * The strata follow each other, d = 0, 1, 2, ..., with c1 * c2^d samples each.  Every run of a walk is made, and a bug
 * in it is found.  A walk can begin at a run that an exhaustive search has put off (struct rh__starts): then the delays
 * of that run come first, and the probability is 1 / (S L^d) for S such runs.
 *
 * The runs of two walks with the same delays are the same run: it is made once, as long as it is
 * remembered how many places it has.  As long as nothing is forgotten, it is known how many runs with so many delays
 * there are: as many as the runs with one delay less have places.  When all of them were made, the next stratum
 * begins; when their runs have no places, every run was made, and sampling ends.
 *
 * A sample is a function of the seed, its number of delays and its number in the stratum.  So several workers draw what
 * one process draws: a stratum is a round (struct rh_explorer_rounds), and an item has some of its samples.  A worker
 * remembers its own runs only, so that some are made by several workers. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "explore/delaying/delaying.h"
#include "explore/explorers.h"

enum { KNOWN_BITS = 16, WINDOW = 8, MOST_REPEATED = 10000, ITEM = 'w', TOLD = 't', SAVED = 'v', MOST_BATCH = 256 };

/* A run that was made: a hash of its delays, and the places in it after the last of them, + 1. */
struct known {
    uint64_t walk;
    uint32_t places;
};

/* The runs with so many delays that were made, and their places. */
struct stratum {
    uint64_t runs, places;
};

struct rh__ss {
    struct rh__delay_options o;
    struct rh_exploration *x;
    uint64_t random;
    uint32_t *walk; /* places between the delays */
    uint32_t room, length;
    uint32_t delays;       /* of the stratum */
    uint64_t sample;       /* of the stratum */
    uint64_t until;        /* of a worker: the samples before this one are its item */
    bool active, works;    /* it has work; this is a worker */
    bool keeps, no_places; /* items were given; no delay changes anything */
    uint64_t told;         /* of a worker: samples that were told */
    uint64_t samples;      /* of all strata */
    uint64_t repeated;     /* runs of samples that were known */
    struct rh__starts starts;
    uint64_t start;  /* of the walk */
    uint32_t *given; /* delays of the start, by level */
    uint32_t given_top;
    struct known *known;
    struct stratum *strata; /* by delays */
    uint32_t complete;      /* all runs of so many strata were made */
    bool all_made, forgot;  /* every run; some are not remembered */
    /* The run under way. */
    uint32_t at, places;   /* delays that were made; places since the last one */
    uint32_t actors, last; /* before the last step; events when choose was asked last, 0: not yet */
    bool begun;
    unsigned char *state;
};

struct rh__ss *rh__ss_open(struct rh_exploration *x, const struct rh__delay_options *o)
{
    struct rh__ss *s = rh_exploration_memory(x, sizeof *s);
    if (!s)
        return NULL;
    s->o = *o;
    s->x = x;
    s->room = rh_exploration_max_steps(x) + 2;
    s->walk = rh_exploration_memory(x, (size_t)s->room * sizeof *s->walk);
    s->given = rh_exploration_memory(x, (size_t)s->room * sizeof *s->given);
    s->known = rh_exploration_memory(x, ((size_t)1 << KNOWN_BITS) * sizeof *s->known);
    s->strata = rh_exploration_memory(x, (size_t)s->room * sizeof *s->strata);
    s->state = rh_exploration_memory(x, o->delaying->state_size);
    return s->walk && s->given && s->known && s->strata && s->state ? s : NULL;
}

/* The next sample begins. */
static void draw_start(struct rh__ss *s)
{
    s->random = rh__random_seed(rh__mix(s->o.seed, s->sample), 5 + s->delays);
    if (!s->starts.count)
        return;
    s->start = rh__random_next(&s->random) % s->starts.count;
    s->given_top = s->starts.get(s->starts.arg, s->start, s->given);
}

void rh__ss_start_from(struct rh__ss *s, const struct rh__starts *starts)
{
    s->starts = *starts;
    draw_start(s);
}

/* ---- runs that were made ----------------------------------------------------------------------------------------- */

static uint64_t hash_walk(const struct rh__ss *s)
{
    uint64_t hash = rh__mix(1, s->start);
    for (uint32_t i = 0; i < s->length; i++)
        hash = rh__mix(hash, s->walk[i]);
    return hash;
}

/* Returns the entry of the run, or the one for it: a full window loses one. */
static struct known *entry_of(struct rh__ss *s, uint64_t walk)
{
    uint32_t i = 0;
    struct known *window = &s->known[walk >> (64 - KNOWN_BITS) & ~(uint64_t)(WINDOW - 1)];
    while (i < WINDOW && window[i].places && window[i].walk != walk)
        i++;
    return &window[i < WINDOW ? i : walk % WINDOW];
}

/* Counts a run that was made for the first time.  Workers know their own runs only, and walks from runs that were put
 * off do not begin at the beginning. */
static void count_run(struct rh__ss *s, uint32_t places)
{
    s->strata[s->length].runs++;
    s->strata[s->length].places += places;
    while (!s->works && !s->starts.count && !s->forgot && !s->all_made && s->complete < s->room) {
        const struct stratum *this = &s->strata[s->complete];
        if (this->runs != (s->complete ? this[-1].places : 1))
            break;
        s->complete++;
        s->all_made = !this->places;
    }
}

static void remember(struct rh__ss *s, uint32_t places)
{
    uint64_t walk = hash_walk(s);
    struct known *k = entry_of(s, walk);
    bool again = k->places && k->walk == walk;
    s->forgot |= k->places && !again;
    *k = (struct known){ walk, places + 1 };
    if (!again)
        count_run(s, places);
}

/* True if the run with the delays of the walk was made. */
static bool recall(struct rh__ss *s, uint32_t *places)
{
    uint64_t walk = hash_walk(s);
    const struct known *k = entry_of(s, walk);
    if (k->walk != walk || !k->places)
        return false;
    *places = k->places - 1;
    return true;
}

/* ---- walks ------------------------------------------------------------------------------------------------------- */

static double samples_of(const struct rh__ss *s)
{
    double n = ceil(s->o.c1 * pow(s->o.c2, s->delays));
    return n > 1 ? n : 1;
}

/* The walk has all of its delays: the next one begins.  False if nothing is left. */
static bool next_walk(struct rh__ss *s)
{
    s->samples++;
    s->length = 0;
    if (s->works) {
        s->sample++;
        draw_start(s);
        return s->sample < s->until;
    }
    s->sample++;
    if (s->all_made && !s->o.repeats)
        return false;
    bool only_one = !s->delays && !s->starts.count; /* all samples without delays are the same run */
    bool all_known = s->complete > s->delays && !s->o.repeats;
    if (s->sample >= samples_of(s) || only_one || all_known) {
        s->delays++;
        s->sample = 0;
    }
    draw_start(s);
    return s->delays < s->room && !(s->o.bounded && s->delays > s->o.most);
}

/* Goes on to a run that was not made yet.  The last run of the walk has so many places. */
static bool next_run(struct rh__ss *s, uint32_t places)
{
    for (uint32_t tries = 0;; tries++) {
        if (s->length < s->delays && places)
            s->walk[s->length++] = rh__random_below(&s->random, places);
        else if ((s->no_places = !s->length && s->delays && !places && !s->starts.count) || !next_walk(s))
            return false; /* no delay changes anything, or nothing is left */
        bool repeats = s->o.repeats && s->length;
        if (repeats || !recall(s, &places) || tries == MOST_REPEATED || rh_exploration_is_over(s->x))
            return true;
        s->repeated += s->length > 0;
    }
}

uint32_t rh__ss_begin(struct rh__ss *s, const struct rh_world *w)
{
    (void)w;
    if (!s->active || (s->begun && !s->last))
        return 0; /* or the test has no choices */
    if (s->begun) {
        remember(s, s->places);
        if (!next_run(s, s->places))
            return 0;
    }
    if (!s->begun)
        draw_start(s);
    s->begun = true;
    s->at = s->places = s->last = 0;
    return 1;
}

uint32_t rh__ss_choose(struct rh__ss *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    const struct rh_delaying *d = s->o.delaying;
    uint32_t events = rh__depth(w), level = events - 1, here = 0;
    bool is_free = level + 1 >= s->given_top;
    if (!s->last)
        rh__delaying_begin(d, s->state, w, s->o.seed);
    else
        rh__delaying_step(d, s->state, w, s->actors, s->o.seed);
    for (; level < s->given_top && here < s->given[level] && here + 1 < count; here++)
        d->delay(s->state, w, open, count);
    for (; is_free && s->at < s->length && s->walk[s->at] == s->places && here + 1 < count; s->at++, here++) {
        d->delay(s->state, w, open, count);
        s->places = 0;
    }
    uint32_t pick = d->next(s->state, w, open, count);
    RH__ASSERT(pick < count, "delaying explorer %s chose number %u of %u choices", d->name, pick, count);
    s->places += is_free && here + 1 < count;
    s->actors = rh_world_actor_count(w);
    s->last = events;
    return pick;
}

void rh__ss_notes(const struct rh__ss *s, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%llu samples, with up to %u %sdelays", (unsigned long long)s->samples,
                 s->delays ? s->delays - (s->sample == 0) : 0, s->starts.count ? "more " : "");
    if (s->starts.count)
        rh__text_add(&t, ", from %llu runs that were put off", (unsigned long long)s->starts.count);
    if (s->repeated)
        rh__text_add(&t, "; %llu of their runs were known and not made again", (unsigned long long)s->repeated);
    if (s->all_made)
        rh__text_add(&t, "; every run was made");
    else if (s->complete > 1)
        rh__text_add(&t, "; every run with at most %u delay%s was made", s->complete - 1, s->complete == 2 ? "" : "s");
}

bool rh__ss_works(const struct rh__ss *s)
{
    return s->works;
}

/* ---- several workers --------------------------------------------------------------------------------------------- */

/* Samples of a stratum, from one to another. */
static size_t put_item(uint32_t delays, uint64_t from, uint64_t to, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    unsigned char kind = ITEM;
    rh__put(&w, &kind, 1);
    rh__put32(&w, delays);
    rh__put64(&w, from);
    rh__put64(&w, to);
    return w.full ? 0 : w.len;
}

/* The sample under way is drawn again by whoever goes on. */
size_t rh__ss_pack(struct rh__ss *s, void *buffer, size_t room, bool half)
{
    if (half || !s->active || (s->works ? s->sample >= s->until : s->begun))
        return 0;
    size_t size = s->works ? put_item(s->delays, s->sample, s->until, buffer, room) : rh_item_put_root(buffer, room);
    s->active = !size;
    return size;
}

bool rh__ss_unpack(struct rh__ss *s, const void *item, size_t size)
{
    struct rh__reader r = rh__reader_of(item, size);
    s->works = !rh_item_is_root(item, size);
    s->active = !s->works;
    if (s->active)
        return true;
    const unsigned char *kind = rh__get(&r, 1);
    s->delays = rh__get32(&r);
    s->sample = rh__get64(&r);
    s->until = rh__get64(&r);
    s->length = 0;
    s->begun = s->no_places = false;
    s->active = kind && *kind == ITEM && rh__reader_done(&r) && s->sample < s->until && s->delays < s->room;
    return s->active;
}

size_t rh__ss_tell(struct rh__ss *s, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    const unsigned char front[] = { TOLD, s->no_places };
    rh__put(&w, front, sizeof front);
    rh__put64(&w, s->samples - s->told);
    s->told = w.full ? s->told : s->samples;
    return w.full ? 0 : w.len;
}

bool rh__ss_gather(struct rh__ss *s, const void *told, size_t size)
{
    struct rh__reader r = rh__reader_of(told, size);
    const unsigned char *front = rh__get(&r, 2);
    uint64_t samples = rh__get64(&r);
    if (!front || front[0] != TOLD || front[1] > 1 || !rh__reader_done(&r))
        return false;
    s->no_places |= front[1];
    s->samples += samples;
    return true;
}

bool rh__ss_has_more(const struct rh__ss *s)
{
    bool last = s->o.bounded && s->delays >= s->o.most && s->sample >= samples_of(s);
    return !s->keeps || !(last || s->no_places || s->delays + 1 >= s->room);
}

size_t rh__ss_give(struct rh__ss *s, void *buffer, size_t room, bool idle)
{
    double all = s->delays ? samples_of(s) : 1; /* all samples without delays are the same run */
    if (s->keeps && s->sample >= all) {
        if (!idle || !rh__ss_has_more(s))
            return 0;
        s->delays++;
        s->sample = 0;
        all = samples_of(s);
    }
    double left = all - (double)s->sample;
    uint64_t most = left / 16 < MOST_BATCH ? (uint64_t)(left / 16) + 1 : MOST_BATCH;
    size_t size = put_item(s->delays, s->sample, s->sample + most, buffer, room);
    s->keeps = true;
    s->sample += size ? most : 0;
    return size;
}

size_t rh__ss_save(const struct rh__ss *s, void *buffer, size_t room)
{
    struct rh__writer w = rh__writer_of(buffer, room);
    const unsigned char front[] = { SAVED, s->keeps, s->no_places };
    rh__put(&w, front, sizeof front);
    rh__put32(&w, s->delays);
    rh__put64(&w, s->sample);
    rh__put64(&w, s->samples);
    enum { SIZE = 3 + 4 + 8 + 8 };
    return SIZE;
}

bool rh__ss_load(struct rh__ss *s, const void *saved, size_t size)
{
    struct rh__reader r = rh__reader_of(saved, size);
    const unsigned char *front = rh__get(&r, 3);
    s->delays = rh__get32(&r);
    s->sample = rh__get64(&r);
    s->samples = rh__get64(&r);
    if (!front || front[0] != SAVED || front[1] > 1 || front[2] > 1 || !rh__reader_done(&r) || s->delays >= s->room)
        return false;
    s->keeps = front[1];
    s->no_places = front[2];
    return true;
}
