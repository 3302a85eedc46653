#include "explore/support/conform.h"

#include "explore/explorers.h"

struct heard *heard;

void heard_clear(void)
{
    if (!heard)
        heard = rh_shared_new(sizeof *heard);
    assert_non_null(heard);
    memset(heard, 0, sizeof *heard);
}

static void blame(const char *wrong)
{
    if (!heard->wrong)
        heard->wrong = wrong;
}

/* ---- told(EXPLORER): whether the calls to EXPLORER come in order ------------------------------------------------- */

static uint32_t told_begin(void *state, const struct rh_world *w)
{
    uint32_t keep = rh_inner_begin(state, w);
    if (heard->running)
        blame("begin was called, and the run before had no end");
    if (keep > 1 && keep > heard->recorded)
        blame("begin keeps more events than the last run has");
    heard->begins++;
    heard->keep = keep;
    heard->last = 0;
    heard->running = keep != 0;
    return keep;
}

static void hear_choose(const struct rh_world *w)
{
    uint32_t events = rh__depth(w);
    uint64_t hash = sequence_of(w);
    assert_true(events < sizeof heard->prefix / sizeof *heard->prefix);
    if (!heard->running)
        blame("choose was called outside of a run");
    if (heard->last ? events != heard->last + 1 : events > heard->keep)
        blame("choose was not asked about an event");
    if (!heard->last && events < heard->keep) {
        heard->again++;
        if (events != 1)
            blame("a run that is made again does not begin at its beginning");
    }
    if (events > 1 && events <= heard->keep && hash != heard->prefix[events])
        blame("the run does not begin with the events that begin keeps");
    heard->prefix[events] = hash;
    heard->recorded = heard->last = events;
}

static uint32_t told_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    hear_choose(w);
    uint32_t pick = rh_inner_choose(state, w, open, count);
    if (pick == RH_ABANDON || pick == RH_ASIDE) {
        heard->abandoned++;
        heard->running = false;
    }
    return pick;
}

static void told_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (!heard->running)
        blame("end was called outside of a run");
    heard->running = false;
    heard->ends++;
    heard->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(state, w, run);
}

static const struct rh_explorer told = { .name = "told",
                                         .state_size = sizeof(struct rh_inner),
                                         .arguments = rh_only_arguments,
                                         .open = rh_only_open,
                                         .begin = told_begin,
                                         .choose = told_choose,
                                         .end = told_end,
                                         .report = &rh_only_report,
                                         .decorator = &rh_only_decorator };
RH_EXPLORER(told)

/* ---- passes(EXPLORER): changes nothing --------------------------------------------------------------------------- */

static const struct rh_explorer passes = { .name = "passes",
                                           .state_size = sizeof(struct rh_inner),
                                           .arguments = rh_only_arguments,
                                           .open = rh_only_open,
                                           .decorator = &rh_only_decorator };
RH_EXPLORER(passes)

/* ---- quitter: abandons every second run -------------------------------------------------------------------------- */

static uint32_t quitter_begin(void *state, const struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 10;
}
static uint32_t quitter_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)open;
    return *(uint32_t *)state % 2 && rh__depth(w) == 2 ? RH_ABANDON : count - 1;
}
static const struct rh_explorer quitter = {
    .name = "quitter", .state_size = 8, .begin = quitter_begin, .choose = quitter_choose
};
RH_EXPLORER(quitter)

/* ---- witness: has notes, and says that the program diverged ------------------------------------------------------ */

static uint32_t witness_begin(void *state, const struct rh_world *w)
{
    (void)w;
    return (*(uint32_t *)state)++ < 3;
}
static uint32_t witness_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)state, (void)w, (void)open;
    return count - 1;
}
static enum rh_verdict witness_verdict(const void *state)
{
    (void)state;
    return RH_VERDICT_EXHAUSTIVE; /* the engine must see the divergence */
}
static void witness_notes(const void *state, char *buffer, size_t size)
{
    (void)state;
    snprintf(buffer, size, "the witness speaks");
}
static bool witness_diverged(const void *state)
{
    return *(const uint32_t *)state > 3;
}
static const struct rh_explorer_report witness_report = { .verdict = witness_verdict,
                                                          .notes = witness_notes,
                                                          .diverged = witness_diverged };
static const struct rh_explorer witness = {
    .name = "witness", .state_size = 8, .begin = witness_begin, .choose = witness_choose, .report = &witness_report
};
RH_EXPLORER(witness)

/* ---- relay(EXPLORER) --------------------------------------------------------------------------------------------- */

uint32_t relay_at = RELAY_NEVER;
bool relay_half;

enum { MOST_CLAIMS = 256 };

struct relay {
    struct rh_inner inner;
    uint32_t begins;
    size_t size; /* of the item that waits; 0: none */
    unsigned char item[1 << 15];
    uint32_t claims, taken; /* items with keys that were written, and how many of them were taken */
    size_t claim_size[MOST_CLAIMS];
    unsigned char claim[MOST_CLAIMS][1 << 12];
};

/* Keeps the first claim with each key. */
static void take_claims(struct relay *r)
{
    size_t size;
    assert_in_range(r->claims, 0, MOST_CLAIMS - 1);
    while ((size = rh_inner_claim(&r->inner, r->claim[r->claims], sizeof *r->claim)) != 0) {
        uint32_t i = 0;
        while (memcmp(r->claim[i], r->claim[r->claims], RH_ITEM_KEY) != 0)
            i++;
        r->claim_size[r->claims] = size;
        r->claims += i == r->claims;
        assert_in_range(r->claims, 0, MOST_CLAIMS - 1);
    }
}

static bool take_item(struct relay *r, const struct rh_world *w)
{
    take_claims(r);
    const unsigned char *item = r->size ? r->item : r->claim[r->taken];
    size_t size = r->size ? r->size : r->taken < r->claims ? r->claim_size[r->taken++] : 0;
    bool taken = size && rh_inner_unpack(&r->inner, w, item, size);
    if (size && !taken)
        blame("an explorer refuses its own item");
    r->size = 0;
    return taken;
}

static uint32_t relay_begin(void *state, const struct rh_world *w)
{
    struct relay *r = state;
    bool moved = false;
    if (r->begins++ == relay_at) {
        r->size = rh_inner_pack(&r->inner, r->item, sizeof r->item, relay_half);
        heard->again += r->size > 0;
        moved = !relay_half && take_item(r, w);
    }
    uint32_t keep = rh_inner_begin(&r->inner, w);
    while (!keep && take_item(r, w)) {
        moved = true;
        keep = rh_inner_begin(&r->inner, w);
    }
    return keep && moved ? 1 : keep; /* the last run was another item's */
}

static const struct rh_explorer relay = { .name = "relay",
                                          .state_size = sizeof(struct relay),
                                          .arguments = rh_only_arguments,
                                          .open = rh_only_open,
                                          .begin = relay_begin,
                                          .report = &rh_only_report,
                                          .decorator = &rh_only_decorator };
RH_EXPLORER(relay)
