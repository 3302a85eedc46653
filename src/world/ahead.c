/* See ahead.h. */
#include "world/ahead.h"

#include <string.h>

#include "world/effects.h"
#include "world/fingerprint.h"
#include "world/network.h"

enum { ROOM = 8 << 20, ALIGNMENT = 16, WORDS = RH__MOST_PARTS / 64 };

/* A message under way. */
struct mail {
    struct rh__wide hash;
    struct mail *next;
};

/* Hashes of lines follow from chains, so that no step goes through all messages of a line but the one that takes
 * from it. */
struct line {
    struct rh__wide hash;       /* part of the fingerprint */
    struct rh__wide all, later; /* chains of all messages, and of those behind the first one */
    uint32_t sender, receiver;
    struct mail *first, *last; /* `last` counts only if there is a first one */
};

struct party {
    struct rh__wide hash;
    bool simple, takes_mail;
};

/* What a step changes, and what was there before. */
struct move {
    struct move *before;
    uint32_t actor, at, line_count, under_way, open;
    struct rh__wide hash, components, monitors;
    uint64_t ready[WORDS];
    struct line line;
    uint32_t count;
    struct {
        uint32_t at;
        struct line line;
        struct mail mail;
    } sent[];
};

/* A simple state of the world, and the steps from there. */
struct stretch {
    struct stretch *before;
    struct move *last; /* NULL: none */
    struct party *parties;
    struct line *lines;
    uint32_t line_count, under_way, most_under_way;
    uint32_t open; /* lines that have a message: these, as bits */
    uint32_t enough;
    bool by_receiver;
    uint64_t ready[WORDS];
    struct rh__wide components, monitors, around;
    struct world_parts parts;         /* those that no step changes */
    uint32_t from_to[RH__MOST_PARTS]; /* where a line was last found */
};

struct rh__ahead {
    struct stretch *now;
    char *top;
    _Alignas(ALIGNMENT) char room[ROOM];
};

size_t rh__ahead_size(void)
{
    return sizeof(struct rh__ahead);
}

void rh__ahead_clear(struct rh__ahead *a)
{
    a->now = NULL;
    a->top = a->room;
}

static void *take_room(struct rh__ahead *a, size_t size)
{
    char *at = a->top ? a->top : a->room;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > (size_t)(a->room + ROOM - at))
        return NULL;
    a->top = at + size;
    return at;
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static bool is_simple_mail(const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    return rh__is_plain_mail(m) && m->type->unhandled != RH_UNHANDLED_DEFER && !rh__message_is_start(m) && !m->timer &&
           m->copy_of == RH_NONE && !rh__message_passed_over(w, message);
}

/* Exactly the first message of each channel that has one can be taken. */
static bool is_simple_list(const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < w->channel_count; c++) {
        if (w->channels[c].first == RH_NONE)
            continue;
        if (n == count || open[n].kind != RH_CHOICE_DELIVER || open[n].what != w->channels[c].first ||
            !rh__takes_what_comes(&w->actors[open[n].actor]))
            return false;
        n++;
        for (uint32_t i = w->channels[c].first; i != RH_NONE; i = w->messages[i].next)
            if (!is_simple_mail(w, i))
                return false;
    }
    return n && n == count && n == w->choice_count;
}

static bool is_simple(const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    return w->heads_first && !(w->isolates | w->writes_open | w->halted | w->demand | w->opening_count) &&
           (w->timer_newest & w->clock) == RH_NONE && !rh__test_is_over(w) && rh__can_foretell(w) &&
           is_simple_list(w, open, count);
}

static void put_last(struct line *l, struct mail *m)
{
    l->later = l->first ? rh__wide_mix(l->later, m->hash) : (struct rh__wide){ 0, 0 };
    l->all = rh__wide_mix(l->first ? l->all : (struct rh__wide){ 0, 0 }, m->hash);
    *(l->first ? &l->last->next : &l->first) = m;
    l->last = m;
}

static bool put_lines(struct rh__ahead *a, struct stretch *s, struct rh_world *w)
{
    for (uint32_t c = 0; c < w->channel_count; c++) {
        const struct world_channel *from = &w->channels[c];
        struct line *to = &s->lines[c];
        *to = (struct line){ .hash = from->hash, .sender = from->sender, .receiver = from->receiver };
        for (uint32_t i = from->first; i != RH_NONE; i = w->messages[i].next) {
            struct mail *m = take_room(a, sizeof *m);
            if (!m)
                return false;
            *m = (struct mail){ .hash = rh__message_hash(w, i) };
            put_last(to, m);
        }
        if (to->first) {
            s->ready[c / 64] |= (uint64_t)1 << c % 64;
            s->open++;
        }
    }
    s->line_count = w->channel_count;
    return true;
}

bool rh__ahead_begin(struct rh__ahead *a, const struct rh_world *world, const struct rh_choice *open, uint32_t count)
{
    struct rh_world *w = (struct rh_world *)world; /* hashes of parts are kept until these change */
    rh__fingerprint_parts(w);
    if (!is_simple(w, open, count))
        return false;
    char *top = a->top;
    struct stretch *s = take_room(a, sizeof *s);
    struct party *parties = s ? take_room(a, w->actor_count * sizeof *parties) : NULL;
    struct line *lines = parties ? take_room(a, RH__MOST_PARTS * sizeof *lines) : NULL;
    if (!lines) {
        a->top = top;
        return false;
    }
    *s = (struct stretch){ .before = a->now,
                           .parties = parties,
                           .lines = lines,
                           .under_way = w->under_way,
                           .most_under_way = w->semantics.max_messages,
                           .by_receiver = w->delivery.by_receiver,
                           .components = w->parts.components,
                           .monitors = rh__monitors_hash(w),
                           .around = rh__effect_surroundings(w),
                           .parts = w->parts };
    for (uint32_t i = 0; i < w->actor_count; i++)
        parties[i] = (struct party){ .hash = w->actors[i].hash,
                                     .simple = rh__takes_what_comes(&w->actors[i]),
                                     .takes_mail = rh__takes_mail(w, i) };
    if (!put_lines(a, s, w)) {
        a->top = top;
        return false;
    }
    a->now = s;
    return true;
}

/* ---- effects ----------------------------------------------------------------------------------------------------- */

static uint32_t line_of_choice(const struct stretch *s, uint32_t pick)
{
    uint32_t word = 0;
    uint64_t bits = s->ready[0];
    for (; pick || !bits; bits &= bits - 1, pick--)
        while (!bits)
            bits = s->ready[++word];
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

static struct rh__wide key_of(const struct stretch *s, const struct line *l)
{
    return rh__wide_mix(rh__wide_mix(s->parties[l->receiver].hash, l->first->hash), s->around);
}

static const struct rh__effect *effect_of(const struct stretch *s, struct rh__foretelling *f, struct rh__wide key)
{
    const struct rh__effect *e = rh__effect_find(f, key);
    if (e->kind == RH__EFFECT_ANNOUNCES)
        e = rh__effect_find(f, rh__effect_key_announcing(key, s->monitors));
    return e;
}

static bool applies(const struct stretch *s, const struct rh__effect *e)
{
    bool good = e->kind == RH__EFFECT_KNOWN && s->under_way + e->count < s->most_under_way;
    for (uint32_t i = 0; i < e->count && good; i++)
        good = s->parties[e->sent[i].to].takes_mail;
    return good;
}

static bool is_simple_behind(const struct stretch *s, const struct rh__effect *e)
{
    bool good = applies(s, e) && e->simple && s->line_count + e->count <= RH__MOST_PARTS;
    for (uint32_t i = 0; i < e->count && good; i++)
        good = s->parties[e->sent[i].to].simple;
    return good;
}

static uint32_t line_from_to(struct stretch *s, uint32_t from, uint32_t to)
{
    uint32_t *found = &s->from_to[(from * 37 + to) % RH__MOST_PARTS], i = *found;
    if (i < s->line_count && s->lines[i].sender == from && s->lines[i].receiver == to)
        return i;
    for (i = 0; i < s->line_count; i++)
        if (s->lines[i].sender == from && s->lines[i].receiver == to)
            return *found = i;
    return RH_NONE;
}

/* ---- foretelling ------------------------------------------------------------------------------------------------- */

/* The hash of a line whose messages have this chain, if there are `any`, and behind them what an effect sends there,
 * from number `at` on. */
static struct rh__wide hash_with(struct rh__wide chain, bool any, uint32_t from, uint32_t to,
                                 const struct rh__effect *e, uint32_t at)
{
    struct rh__queue_hash q = { .any = any };
    if (any)
        q.chain = chain;
    for (uint32_t i = at; i < e->count; i++)
        if (e->sent[i].to == to && e->sent[i].from == from)
            rh__queue_add(&q, e->sent[i].hash, true);
    return rh__queue_end(&q, from, to);
}

static bool was_before(const struct rh__effect *e, uint32_t at)
{
    uint32_t i = 0;
    while (e->sent[i].from != e->sent[at].from || e->sent[i].to != e->sent[at].to)
        i++;
    return i < at;
}

static struct rh_fingerprint state_behind(struct stretch *s, uint32_t line, const struct rh__effect *e)
{
    const struct line *taken = &s->lines[line];
    struct rh__wide h = rh__wide_xor(s->components, rh__wide_xor(s->parties[taken->receiver].hash, e->after));
    h = rh__wide_xor(h, taken->hash);
    h = rh__wide_xor(h, hash_with(taken->later, taken->first->next, taken->sender, taken->receiver, e, 0));
    for (uint32_t i = 0; i < e->count; i++) {
        const struct rh__sent *x = &e->sent[i];
        if ((x->to == taken->receiver && x->from == taken->sender) || was_before(e, i))
            continue;
        static const struct line nothing;
        uint32_t at = line_from_to(s, x->from, x->to);
        const struct line *to = at != RH_NONE ? &s->lines[at] : &nothing;
        h = rh__wide_xor(h, rh__wide_xor(to->hash, hash_with(to->all, to->first, x->from, x->to, e, i)));
    }
    if (!e->more)
        return rh__fingerprint_of(h, s->parts.apart);
    struct world_parts p = s->parts;
    p.timers = rh__wide_sum(p.timers, e->timers);
    return rh__fingerprint_of(rh__wide_xor(h, e->monitors), rh__parts_apart(&p));
}

void rh__ahead_foretell(struct rh__ahead *a, struct rh__foretelling *f, struct rh_fingerprint *told)
{
    struct stretch *s = a->now;
    struct rh__wide keys[RH__MOST_PARTS];
    uint32_t lines[RH__MOST_PARTS], n = 0;
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t bits = s->ready[word]; bits; bits &= bits - 1, n++) {
            lines[n] = word * 64 + (uint32_t)__builtin_ctzll(bits);
            keys[n] = key_of(s, &s->lines[lines[n]]);
            rh__effect_prefetch(f, keys[n]);
        }
    s->enough = RH_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const struct rh__effect *e = effect_of(s, f, keys[i]);
        bool good = applies(s, e);
        told[i] = good ? state_behind(s, lines[i], e) : (struct rh_fingerprint){ 0, 0 };
        if (good && e->silent && s->by_receiver && s->enough == RH_NONE)
            s->enough = i;
    }
}

uint32_t rh__ahead_enough(const struct rh__ahead *a)
{
    return a->now->enough;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void renew(struct stretch *s, struct line *l)
{
    struct rh__queue_hash q = { .chain = l->all, .any = l->first };
    struct rh__wide hash = rh__queue_end(&q, l->sender, l->receiver);
    s->components = rh__wide_xor(s->components, rh__wide_xor(l->hash, hash));
    l->hash = hash;
}

static void set_ready(struct stretch *s, uint32_t line, bool is)
{
    s->ready[line / 64] ^= (uint64_t)1 << line % 64;
    s->open += is ? 1 : -1u;
}

static void take_first(struct stretch *s, uint32_t line)
{
    struct line *l = &s->lines[line];
    l->first = l->first->next;
    l->all = l->later;
    l->later = rh__wide_of(0);
    if (!l->first)
        set_ready(s, line, false);
    else
        for (const struct mail *m = l->first->next; m; m = m->next)
            l->later = rh__wide_mix(l->later, m->hash);
}

static void append(struct stretch *s, struct move *m, uint32_t i, const struct rh__sent *x)
{
    uint32_t to = line_from_to(s, x->from, x->to);
    if (to == RH_NONE) {
        to = s->line_count++;
        s->lines[to] = (struct line){ .sender = x->from, .receiver = x->to };
    }
    struct line *l = &s->lines[to];
    m->sent[i].at = to;
    m->sent[i].line = *l;
    m->sent[i].mail = (struct mail){ .hash = x->hash };
    if (!l->first)
        set_ready(s, to, true);
    put_last(l, &m->sent[i].mail);
}

uint32_t rh__ahead_step(struct rh__ahead *a, struct rh__foretelling *f, uint32_t pick)
{
    struct stretch *s = a->now;
    uint32_t line = line_of_choice(s, pick);
    struct line *l = &s->lines[line];
    const struct rh__effect *e = effect_of(s, f, key_of(s, l));
    if (!is_simple_behind(s, e) || (!e->count && !l->first->next && s->open == 1))
        return 0;
    struct move *m = take_room(a, sizeof *m + e->count * sizeof *m->sent);
    if (!m)
        return 0;
    struct party *p = &s->parties[l->receiver];
    *m = (struct move){ .before = s->last,
                        .actor = l->receiver,
                        .at = line,
                        .line_count = s->line_count,
                        .under_way = s->under_way,
                        .open = s->open,
                        .hash = p->hash,
                        .components = s->components,
                        .monitors = s->monitors,
                        .line = *l,
                        .count = e->count };
    memcpy(m->ready, s->ready, sizeof m->ready);
    s->last = m;
    s->components = rh__wide_xor(s->components, rh__wide_xor(p->hash, rh__wide_xor(e->after, e->monitors)));
    s->monitors = rh__wide_xor(s->monitors, e->monitors);
    s->under_way = s->under_way - 1 + e->count;
    p->hash = e->after;
    take_first(s, line);
    for (uint32_t i = 0; i < e->count; i++)
        append(s, m, i, &e->sent[i]);
    renew(s, l);
    for (uint32_t i = 0; i < e->count; i++)
        if (!was_before(e, i))
            renew(s, &s->lines[m->sent[i].at]);
    return s->open;
}

static void undo(struct stretch *s, const struct move *m)
{
    for (uint32_t i = m->count; i-- > 0;) {
        struct line *to = &s->lines[m->sent[i].at];
        *to = m->sent[i].line;
        if (to->first)
            to->last->next = NULL;
    }
    s->lines[m->at] = m->line;
    s->parties[m->actor].hash = m->hash;
    s->components = m->components;
    s->monitors = m->monitors;
    s->line_count = m->line_count;
    s->under_way = m->under_way;
    s->open = m->open;
    memcpy(s->ready, m->ready, sizeof s->ready);
    s->last = m->before;
}

void rh__ahead_back(struct rh__ahead *a)
{
    struct stretch *s = a->now;
    struct move *m = s->last;
    a->top = m ? (char *)m : (char *)s;
    if (m)
        undo(s, m);
    else
        a->now = s->before;
}

uint32_t rh__ahead_receiver(const struct rh__ahead *a, uint32_t pick)
{
    return a->now->lines[line_of_choice(a->now, pick)].receiver;
}

uint32_t rh__ahead_actor(const struct rh__ahead *a, uint64_t *hash)
{
    const struct move *m = a->now->last;
    *hash = a->now->parties[m->actor].hash.high;
    return m->actor;
}
