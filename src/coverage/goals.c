/* See goals.h. */
#include "coverage/goals.h"

#include <rehearse/sandbox.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "coverage/scratch.h"

enum {
    MOST_ACTORS = 1 << 16,
    MOST_RECEIVES = 1 << 22,
    FEWEST = 64, /* rows of a matrix: a power of two */
};
static const size_t address_space = (size_t)1 << 36; /* address space; only used pages cost memory */

const char *rh__criterion_name(enum rh__criterion criterion)
{
    static const char *const names[] = {
#define RH__X(name, text) text,
        RH__CRITERIA(RH__X)
#undef RH__X
    };
    return names[criterion];
}

uint32_t rh__criteria_parse(const char *text, char *error, size_t error_size)
{
    uint32_t all = (1u << RH__CRITERION_COUNT) - 1, found = 0;
    for (const char *word = text;;) {
        size_t n = strcspn(word, ",");
        uint32_t one = n == 3 && strncmp(word, "all", 3) == 0 ? all : 0;
        for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
            if (strlen(rh__criterion_name(i)) == n && strncmp(rh__criterion_name(i), word, n) == 0)
                one = 1u << i;
        if (!one) {
            snprintf(error, error_size, "\"%.*s\" is not a coverage criterion; there are pr, pcr, pmr and all", (int)n,
                     word);
            return 0;
        }
        found |= one;
        if (!word[n])
            return found;
        word += n + 1;
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *at(const struct rh__coverage *c, uint64_t offset)
{
    return (char *)(uintptr_t)c + offset;
}

uint64_t rh__coverage_take(struct rh__coverage *c, size_t bytes)
{
    size_t offset = (c->used + 15) / 16 * 16;
    if (bytes > c->size - offset) {
        c->full = 1;
        return 0;
    }
    c->used = offset + bytes;
    return offset;
}

static uint64_t keep_text(struct rh__coverage *c, const char *text)
{
    size_t size = strlen(text) + 1;
    uint64_t to = rh__coverage_take(c, size);
    if (to)
        memcpy(at(c, to), text, size);
    return to;
}

struct rh__coverage *rh__coverage_new(uint32_t criteria, const char *subject)
{
    size_t size = address_space;
    struct rh__coverage *c = NULL;
    while (!c && size >= (size_t)1 << 26) {
        c = rh_shared_new(size);
        size = c ? size : size / 4;
    }
    if (!c)
        return NULL;
    *c = (struct rh__coverage){ .size = size, .used = sizeof *c, .criteria = criteria, .table_size = 1 << 10 };
    c->actors = rh__coverage_take(c, MOST_ACTORS * sizeof(struct rh__covered_actor));
    c->actor_table = rh__coverage_take(c, 2 * MOST_ACTORS * sizeof(uint32_t));
    c->receives = rh__coverage_take(c, (size_t)MOST_RECEIVES * sizeof(struct rh__covered_receive));
    c->table = rh__coverage_take(c, c->table_size * sizeof(uint32_t));
    c->subject = keep_text(c, subject);
    return c;
}

void rh__coverage_free(struct rh__coverage *c)
{
    if (c)
        rh_shared_free(c, c->size);
}

const struct rh__covered_actor *rh__covered_actor(const struct rh__coverage *c, uint32_t actor)
{
    return (const struct rh__covered_actor *)at(c, c->actors) + actor;
}

const struct rh__covered_receive *rh__covered_receive(const struct rh__coverage *c, uint32_t receive)
{
    return (const struct rh__covered_receive *)at(c, c->receives) + receive;
}

const char *rh__coverage_text(const struct rh__coverage *c, uint64_t text)
{
    return text ? at(c, text) : "";
}

static struct rh__covered_actor *actor_at(struct rh__coverage *c, uint32_t actor)
{
    return (struct rh__covered_actor *)at(c, c->actors) + actor;
}

static struct rh__covered_receive *receive_at(struct rh__coverage *c, uint32_t receive)
{
    return (struct rh__covered_receive *)at(c, c->receives) + receive;
}

/* The tables contain index + 1. */
static uint32_t *actor_place(const struct rh__coverage *c, uint64_t id)
{
    uint32_t *table = at(c, c->actor_table), mask = 2 * MOST_ACTORS - 1, i = (uint32_t)rh__mix(id, 3) & mask;
    while (table[i] && rh__covered_actor(c, table[i] - 1)->id != id)
        i = (i + 1) & mask;
    return &table[i];
}

static uint32_t *receive_place(const struct rh__coverage *c, uint64_t id)
{
    uint32_t *table = at(c, c->table), mask = c->table_size - 1, i = (uint32_t)rh__mix(id, 3) & mask;
    while (table[i] && rh__covered_receive(c, table[i] - 1)->id != id)
        i = (i + 1) & mask;
    return &table[i];
}

uint64_t rh__coverage_changes(const struct rh__coverage *c)
{
    uint64_t n = c->actor_count + c->receive_count + c->all_free + c->changing;
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        n += c->counts[i].goals;
    return n;
}

uint32_t rh__coverage_find(const struct rh__coverage *c, uint64_t id)
{
    return *receive_place(c, id) - 1; /* RH_NONE if the entry is 0 */
}

static bool grow_table(struct rh__coverage *c)
{
    uint64_t table = rh__coverage_take(c, (size_t)c->table_size * 2 * sizeof(uint32_t));
    if (!table)
        return false;
    c->table = table;
    c->table_size *= 2;
    for (uint32_t i = 0; i < c->receive_count; i++)
        *receive_place(c, receive_at(c, i)->id) = i + 1;
    return true;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

uint64_t *rh__coverage_row(const struct rh__coverage *c, const struct rh__covered_actor *a, uint32_t matrix,
                           uint32_t bit)
{
    return (uint64_t *)at(c, a->matrices) + ((size_t)matrix * a->room + bit) * (a->room / 64);
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

static bool make_room(struct rh__coverage *c, struct rh__covered_actor *a)
{
    struct rh__covered_actor larger = *a;
    larger.room = a->room ? a->room * 2 : FEWEST;
    larger.matrices = rh__coverage_take(c, (size_t)RH__MATRICES * larger.room * (larger.room / 8));
    if (!larger.matrices)
        return false;
    for (uint32_t m = 0; m < RH__MATRICES; m++)
        for (uint32_t i = 0; i < a->count; i++)
            memcpy(rh__coverage_row(c, &larger, m, i), rh__coverage_row(c, a, m, i), a->room / 8);
    *a = larger;
    return true;
}

/* Adds goals from one receive to the receives in `to`, which has bits of word `word` only; counts new goals. */
static void achieve(struct rh__coverage *c, struct rh__covered_actor *a, uint32_t matrix, uint32_t from, uint32_t word,
                    uint64_t to)
{
    uint64_t *have = rh__coverage_row(c, a, matrix, from) + word, added = to & ~*have;
    if (!added)
        return;
    *have |= added;
    uint64_t pairs = 0;
    for (uint64_t left = added; left; left &= left - 1)
        pairs += has_bit(rh__coverage_row(c, a, matrix, word * 64 + (uint32_t)__builtin_ctzll(left)), from);
    if (matrix == RH__CHAIN)
        return;
    if (matrix == RH__FREE) {
        c->new_pairs += (uint64_t)__builtin_popcountll(added) - pairs;
        c->all_free += (uint64_t)__builtin_popcountll(added);
        return;
    }
    uint64_t goals = (uint64_t)__builtin_popcountll(added);
    c->counts[matrix].goals += goals;
    c->counts[matrix].pairs += pairs;
    a->covered += matrix == RH__PR ? pairs : 0;
    c->news[matrix].goals += goals;
    c->news[matrix].pairs += pairs;
}

static void achieve_one(struct rh__coverage *c, struct rh__covered_actor *a, uint32_t matrix, uint32_t from,
                        uint32_t to)
{
    achieve(c, a, matrix, from, to / 64, (uint64_t)1 << to % 64);
}

void rh__coverage_achieve(struct rh__coverage *c, uint32_t matrix, uint32_t from, uint32_t to)
{
    const struct rh__covered_receive *x = receive_at(c, from), *y = receive_at(c, to);
    if (x->actor == y->actor && x != y)
        achieve_one(c, actor_at(c, x->actor), matrix, x->bit, y->bit);
}

bool rh__achieved(const struct rh__coverage *c, uint32_t matrix, uint32_t a, uint32_t b)
{
    bool back = matrix == RH__FREE || matrix == RH__CHAIN; /* see add_free, add_chain */
    const struct rh__covered_receive *x = rh__covered_receive(c, back ? b : a),
                                     *y = rh__covered_receive(c, back ? a : b);
    return has_bit(rh__coverage_row(c, rh__covered_actor(c, x->actor), matrix, x->bit), y->bit);
}

enum rh__pair rh__pair_of(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b)
{
    bool met = rh__achieved(c, RH__PR, a, b), met_back = rh__achieved(c, RH__PR, b, a);
    bool done = rh__achieved(c, criterion, a, b), done_back = rh__achieved(c, criterion, b, a);
    if (!met && !met_back)
        return RH__PAIR_APART;
    if (criterion == RH__PMR && !rh__covered_receive(c, a)->becomes && !rh__covered_receive(c, b)->becomes)
        return RH__PAIR_UNRELATED;
    if (done && done_back)
        return RH__PAIR_COVERED;
    if (c->exhausted || rh__achieved(c, RH__CHAIN, a, b) || rh__achieved(c, RH__CHAIN, b, a))
        return RH__PAIR_IMPOSSIBLE;
    /* For a missing order: was it always the other way round, and never freely? */
    bool forced_back = !done && !met && !rh__achieved(c, RH__FREE, b, a);
    bool forced = !done_back && !met_back && !rh__achieved(c, RH__FREE, a, b);
    return forced || forced_back ? RH__PAIR_FORCED : RH__PAIR_OPEN;
}

static void note_change(struct rh__coverage *c, uint32_t receive)
{
    c->changing += !receive_at(c, receive)->becomes;
    receive_at(c, receive)->becomes = 1;
}

/* ---- those that occur -------------------------------------------------------------------------------------------- */

uint32_t rh__coverage_know_actor(struct rh__coverage *c, uint64_t id, const char *name)
{
    uint32_t *place = actor_place(c, id);
    if (*place)
        return *place - 1;
    if (c->actor_count == MOST_ACTORS) {
        c->full = 1;
        return RH_NONE;
    }
    *actor_at(c, c->actor_count) =
        (struct rh__covered_actor){ .id = id, .name = keep_text(c, name), .first = RH_NONE, .last = RH_NONE };
    *place = ++c->actor_count;
    return *place - 1;
}

uint32_t rh__coverage_know_receive(struct rh__coverage *c, uint64_t id, uint32_t actor, const char *text, bool becomes)
{
    uint32_t *place = receive_place(c, id);
    if (*place) {
        struct rh__covered_receive *known = receive_at(c, *place - 1);
        if (becomes)
            note_change(c, *place - 1);
        return known->actor == actor ? *place - 1 : RH_NONE;
    }
    struct rh__covered_actor *a = actor_at(c, actor);
    if (c->receive_count == MOST_RECEIVES || (c->receive_count >= c->table_size / 2 && !grow_table(c)) ||
        (a->count == a->room && !make_room(c, a))) {
        c->full = 1;
        return RH_NONE;
    }
    uint32_t index = c->receive_count++;
    *receive_at(c, index) = (struct rh__covered_receive){
        .id = id, .text = keep_text(c, text), .actor = actor, .bit = a->count++, .next = RH_NONE
    };
    struct rh__covered_receive *new = receive_at(c, index);
    new->text_hash = rh__hash(text, strlen(text), 0);
    for (uint32_t i = a->first; i != RH_NONE; i = receive_at(c, i)->next)
        new->same += receive_at(c, i)->text_hash == new->text_hash;
    if (a->last == RH_NONE)
        a->first = index;
    else
        receive_at(c, a->last)->next = index;
    a->last = index;
    *receive_place(c, id) = index + 1;
    c->new_receives++;
    if (becomes)
        note_change(c, index);
    return index;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/* The receives of one actor in a run. */
struct sequence {
    const uint32_t *receives; /* receives of the coverage, in order */
    const uint32_t *steps;
    const uint32_t *becomes; /* whether they change handlers in this run */
    const uint32_t *moments; /* equal for the receives of one set */
    uint32_t count;
};

/* The end of the receives that come at the same time as this one, which is the first of them. */
static uint32_t end_of_moment(const struct sequence *q, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < q->count && q->moments[end] == q->moments[i])
        end++;
    return end;
}

static uint32_t bit_of(struct rh__coverage *c, const struct sequence *q, uint32_t i)
{
    return receive_at(c, q->receives[i])->bit;
}

static void add_pr(struct rh__coverage *c, struct rh__covered_actor *a, const struct sequence *q, uint64_t *later)
{
    uint32_t words = a->room / 64;
    memset(later, 0, words * sizeof *later);
    for (uint32_t i = q->count, end = i; i-- > 0;) {
        uint32_t bit = bit_of(c, q, i);
        for (uint32_t k = 0; k < words; k++)
            if (later[k])
                achieve(c, a, RH__PR, bit, k, later[k]);
        if (i && q->moments[i - 1] == q->moments[i])
            continue;
        for (; end > i; end--)
            later[bit_of(c, q, end - 1) / 64] |= (uint64_t)1 << bit_of(c, q, end - 1) % 64;
    }
}

/* From each of the receives `from` up to `end` to each of those at the moment `at`. */
static void achieve_all(struct rh__coverage *c, struct rh__covered_actor *a, uint32_t matrix, const struct sequence *q,
                        uint32_t from, uint32_t end, uint32_t at)
{
    for (uint32_t i = from; i < end; i++)
        for (uint32_t k = at; k < end_of_moment(q, at); k++)
            achieve_one(c, a, matrix, bit_of(c, q, i), bit_of(c, q, k));
}

static void add_pcr(struct rh__coverage *c, struct rh__covered_actor *a, const struct sequence *q)
{
    for (uint32_t i = 0, end = end_of_moment(q, i); end < q->count; i = end, end = end_of_moment(q, i))
        achieve_all(c, a, RH__PCR, q, i, end, end);
}

/* Between two changes of handlers, each receive forms a pair with the change before and with the change after it. */
static void add_pmr(struct rh__coverage *c, struct rh__covered_actor *a, const struct sequence *q)
{
    uint32_t changed = RH_NONE;
    for (uint32_t i = 0, end; i < q->count; i = end) {
        bool changes = false;
        end = end_of_moment(q, i);
        for (uint32_t k = i; k < end; k++) {
            changes |= q->becomes[k] != 0;
            if (q->becomes[k])
                note_change(c, q->receives[k]);
        }
        if (changes)
            achieve_all(c, a, RH__PMR, q, changed == RH_NONE ? 0 : changed, i, i);
        else if (changed != RH_NONE)
            achieve_all(c, a, RH__PMR, q, changed, end_of_moment(q, changed), i);
        if (changes)
            changed = i;
    }
}

/* Records which pairs came in an order that nothing forced.  A row belongs to the later receive, so that rows are
 * processed word by word.  If all orders were seen, there is nothing to learn. */
static void add_free(struct rh__coverage *c, struct rh__covered_actor *a, const struct rh__steps *s,
                     const struct sequence *q, uint64_t *earlier, uint32_t *bits)
{
    uint32_t words = a->room / 64;
    if (a->covered == (uint64_t)a->count * (a->count - 1) / 2)
        return;
    uint64_t *seen = rh__scratch(0, (size_t)s->count * 2 * words * sizeof *seen);
    uint64_t *must = rh__scratch(1, ((size_t)s->count + 1) * words * sizeof *must);
    if (!seen || !must) {
        c->full = 1;
        return;
    }
    for (uint32_t i = 0; i < q->count; i++)
        bits[q->steps[i]] = receive_at(c, q->receives[i])->bit;
    rh__must_happen_before(s, bits, words, seen, must);
    memset(earlier, 0, words * sizeof *earlier);
    for (uint32_t i = 0, done = 0; i < q->count; i++) {
        uint32_t bit = bits[q->steps[i]];
        const uint64_t *forced = must + (size_t)q->steps[i] * words;
        for (uint32_t k = 0; k < words; k++)
            if (earlier[k] & ~forced[k])
                achieve(c, a, RH__FREE, bit, k, earlier[k] & ~forced[k]);
        if (i + 1 < q->count && q->moments[i + 1] == q->moments[i])
            continue;
        for (; done <= i; done++) {
            earlier[bit_of(c, q, done) / 64] |= (uint64_t)1 << bit_of(c, q, done) % 64;
            bits[q->steps[done]] = RH_NONE;
        }
    }
}

static void add_sequence(struct rh__coverage *c, const struct rh__steps *s, const struct sequence *q, uint32_t *bits)
{
    struct rh__covered_actor *a = actor_at(c, receive_at(c, q->receives[0])->actor);
    uint64_t *set = rh__scratch(2, a->room / 8);
    if (!set) {
        c->full = 1;
        return;
    }
    add_pr(c, a, q, set);
    if (c->criteria & 1u << RH__PCR)
        add_pcr(c, a, q);
    add_pmr(c, a, q); /* cheap, and shows whether pmr applies at all */
    add_free(c, a, s, q, set, bits);
}

/* Whether to follow a receive that is new, if its actor has followed so many, and has so many in this run. */
static bool is_followed(uint64_t id, uint32_t followed, uint32_t in_run)
{
    enum { EACH = RH__FOLLOWED / 4, MOST = 30 };
    uint32_t halvings = followed < RH__FOLLOWED ? 0 : 1 + (followed - RH__FOLLOWED) / EACH, of_run = 0;
    while (in_run >> of_run > RH__FOLLOWED)
        of_run++;
    halvings = halvings > of_run ? halvings : of_run;
    return (rh__mix(id, 17) & (((uint64_t)1 << (halvings < MOST ? halvings : MOST)) - 1)) == 0;
}

static uint32_t new_receive(struct rh__coverage *c, const struct rh__steps *s, uint32_t step, uint32_t in_run,
                            const uint64_t *actor_ids, rh__name_fn *name, void *arg)
{
    char text[512];
    uint64_t actor_id = actor_ids[s->list[step].actor];
    uint32_t actor = *actor_place(c, actor_id) - 1;
    if (!is_followed(s->list[step].id, actor == RH_NONE ? 0 : actor_at(c, actor)->count, in_run)) {
        c->full = 1;
        return RH_NONE;
    }
    if (actor == RH_NONE) {
        name(arg, step, false, text, sizeof text);
        actor = rh__coverage_know_actor(c, actor_id, text);
    }
    name(arg, step, true, text, sizeof text);
    return actor == RH_NONE ? RH_NONE : rh__coverage_know_receive(c, s->list[step].id, actor, text, false);
}

/* Notes the receives of the same actor from whose identities that of a new receive is computed: the nearest one, and
 * those of which that one is. */
static void add_chain(struct rh__coverage *c, const struct rh__steps *s, const uint32_t *of_step, uint32_t step)
{
    const struct rh__covered_receive *r = receive_at(c, of_step[step]);
    struct rh__covered_actor *a = actor_at(c, r->actor);
    uint32_t at = s->list[step].parent;
    while (at != RH_NONE && at && (of_step[at] == RH_NONE || receive_at(c, of_step[at])->actor != r->actor))
        at = s->list[at].parent;
    if (at == RH_NONE || !at)
        return;
    const struct rh__covered_receive *by = receive_at(c, of_step[at]);
    uint64_t *row = rh__coverage_row(c, a, RH__CHAIN, r->bit), *before = rh__coverage_row(c, a, RH__CHAIN, by->bit);
    for (uint32_t i = 0; i < a->room / 64; i++)
        row[i] |= before[i];
    row[by->bit / 64] |= (uint64_t)1 << by->bit % 64;
}

/* The receive of a step; RH_NONE if it is not followed, or if a receive with the same identity came before in this
 * run. */
static uint32_t known(struct rh__coverage *c, const struct rh__steps *s, uint32_t step, uint32_t in_run,
                      const uint64_t *actor_ids, rh__name_fn *name, void *arg)
{
    uint32_t receive = rh__coverage_find(c, s->list[step].id);
    if (receive == RH_NONE)
        receive = new_receive(c, s, step, in_run, actor_ids, name, arg);
    if (receive == RH_NONE || receive_at(c, receive)->in_run == c->runs)
        return RH_NONE;
    receive_at(c, receive)->in_run = c->runs;
    return receive;
}

void rh__coverage_no_news(struct rh__coverage *c)
{
    memset(c->news, 0, sizeof c->news);
    c->new_receives = 0;
    c->new_pairs = 0;
}

void rh__coverage_add(struct rh__coverage *c, const struct rh__steps *s, const uint64_t *actor_ids, rh__name_fn *name,
                      void *arg)
{
    /* Sorted by actor: the start of each actor's part, then its receives, steps and changes. */
    size_t n = (size_t)s->count;
    uint32_t *begins = rh__scratch(3, (2 * (size_t)s->actors + 1 + 6 * n) * sizeof *begins);
    rh__coverage_no_news(c);
    c->runs++;
    if (!begins) {
        c->full = 1;
        return;
    }
    uint32_t *of_step = begins + s->actors + 1, *bits = of_step + n, *receives = bits + n, *steps = receives + n;
    uint32_t *becomes = steps + n, *moments = becomes + n, *in_run = moments + n;
    memset(begins, 0, (s->actors + 1) * sizeof *begins);
    memset(in_run, 0, s->actors * sizeof *in_run);
    memset(bits, 0xff, n * sizeof *bits);
    for (uint32_t i = 0; i < n; i++)
        if (s->list[i].flags & RH__STEP_RECEIVE)
            in_run[s->list[i].actor]++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = c->receive_count;
        of_step[i] = RH_NONE;
        if (s->list[i].flags & RH__STEP_RECEIVE)
            of_step[i] = known(c, s, i, in_run[s->list[i].actor], actor_ids, name, arg);
        if (of_step[i] != RH_NONE)
            begins[s->list[i].actor + 1]++;
        if (c->receive_count != before && of_step[i] != RH_NONE)
            add_chain(c, s, of_step, i);
    }
    for (uint32_t i = 0; i < s->actors; i++)
        begins[i + 1] += begins[i];
    for (uint32_t i = 0; i < n; i++) {
        if (of_step[i] == RH_NONE)
            continue;
        uint32_t to = begins[s->list[i].actor]++; /* in the end it is the start of the next actor's part */
        receives[to] = of_step[i];
        steps[to] = i;
        becomes[to] = s->list[i].flags & RH__STEP_BECOMES;
        moments[to] = i;
        while (moments[to] && s->list[moments[to] - 1].flags & RH__STEP_MORE)
            moments[to]--;
    }
    for (uint32_t i = 0, from = 0; i < s->actors; from = begins[i++])
        if (begins[i] - from > 1)
            add_sequence(
                c, s,
                &(struct sequence){ receives + from, steps + from, becomes + from, moments + from, begins[i] - from },
                bits);
        else if (begins[i] - from == 1 && becomes[from])
            note_change(c, receives[from]);
}
