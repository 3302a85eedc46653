#include "coverage/support/slow.h"

struct slow *slow_new(void)
{
    struct slow *s = rh_shared_new(sizeof *s);
    assert_non_null(s);
    return s;
}

void slow_free(struct slow *s)
{
    rh_shared_free(s, sizeof *s);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t slow_name(struct slow *s, const char *format, ...)
{
    char text[SLOW_TEXT];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_in_range(n, 1, SLOW_TEXT - 1);
    uint32_t i = (uint32_t)fnv(FNV_START, text, (size_t)n) % (2 * SLOW_NAMES);
    while (s->table[i] && strcmp(s->text[s->table[i]], text) != 0)
        i = (i + 1) % (2 * SLOW_NAMES);
    if (!s->table[i]) {
        assert_true(s->name_count + 1 < SLOW_NAMES);
        s->table[i] = ++s->name_count;
        memcpy(s->text[s->name_count], text, sizeof text);
    }
    return s->table[i];
}

/* A timer writes to the mailbox, of a process or of a handler that waits: another event takes it. */
static bool slow_writes(const struct slow_run *r, uint32_t event)
{
    const struct rh_event *e = &r->events[event];
    uint32_t end = event + 1 < r->w->event_count ? r->events[event + 1].first_message : r->w->message_count;
    return e->choice.kind == RH_CHOICE_TIMER && e->choice.arg && e->choice.actor != r->w->clock &&
           e->first_message < end && r->w->messages[e->first_message].taken_by != event;
}

uint32_t slow_actor(const struct slow_run *r, uint32_t event)
{
    const struct rh_choice *c = &r->events[event].choice;
    if (c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE)
        return RH_NONE;
    if (slow_writes(r, event))
        return RH_NONE;
    return event ? c->actor : 0;
}

static uint32_t slow_before(const struct slow_run *r, uint32_t event)
{
    return r->before[event];
}

static uint32_t slow_root(const struct slow_run *r, uint32_t event)
{
    return r->root[event];
}

static void slow_parts_of_events(struct slow_run *r)
{
    for (uint32_t k = 0; k < r->count; k++) {
        const struct rh_event *e = &r->events[k];
        bool part = e->flags & RH_EVENT_INSIDE || e->choice.kind == RH_CHOICE_ACCEPT;
        r->before[k] = RH_NONE;
        for (uint32_t i = 0; i < k && slow_actor(r, k) != RH_NONE; i++)
            if (slow_actor(r, i) == slow_actor(r, k))
                r->before[k] = i;
        r->root[k] = part && r->before[k] != RH_NONE ? r->root[r->before[k]] : k;
    }
}

/* How many parts the root of this event had before it. */
static uint32_t slow_parts(const struct slow_run *r, uint32_t event)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < event; i++)
        n += slow_root(r, i) == slow_root(r, event);
    return n;
}

static uint32_t slow_event_name(struct slow_run *r, uint32_t event);

static uint32_t slow_actor_name(struct slow_run *r, uint32_t actor)
{
    const struct world_actor *a = &r->w->actors[actor];
    const char *type = rh_world_actor_type(r->w, actor)->name;
    char own[SLOW_TEXT / 2];
    uint32_t nth = 0;
    rh_world_actor_name(r->w, actor, own, sizeof own);
    if (a->status == STATUS_OUTSIDE)
        return slow_name(r->s, "outside %s", own);
    if (a->parent == RH_NONE)
        return slow_name(r->s, "first %s", type);
    for (uint32_t i = 0; i < actor; i++)
        nth += r->w->actors[i].status != STATUS_OUTSIDE && r->w->actors[i].parent != RH_NONE &&
               slow_root(r, r->w->actors[i].born) == slow_root(r, a->born);
    return slow_name(r->s, "%s, number %u of %u", type, nth, slow_event_name(r, slow_root(r, a->born)));
}

static uint32_t slow_message_name(struct slow_run *r, uint32_t message)
{
    struct rh_message_info m = rh_world_message(r->w, message);
    uint32_t nth = 0;
    if (m.copy_of != RH_NONE) {
        for (uint32_t i = 0; i < message; i++)
            nth += rh_world_message(r->w, i).copy_of == m.copy_of;
        return slow_name(r->s, "copy %u of message %u", nth, slow_message_name(r, m.copy_of));
    }
    uint32_t root = slow_root(r, m.event);
    for (uint32_t i = 0; i < message; i++)
        nth += slow_root(r, rh_world_message(r->w, i).event) == root;
    return slow_name(r->s, "%s, message %u of %u", m.type ? m.type->name : "exit signal", nth,
                     slow_event_name(r, root));
}

static const char *slow_timer_text(const struct slow_run *r, uint32_t event)
{
    return r->w->payload + (uint64_t)r->events[event].choice.arg * 16;
}

/* Whether two events are the same timer: a named one, of one actor. */
static bool slow_same_timer(const struct slow_run *r, uint32_t i, uint32_t j)
{
    const struct rh_choice *a = &r->events[i].choice, *b = &r->events[j].choice;
    return a->kind == RH_CHOICE_TIMER && b->kind == RH_CHOICE_TIMER && a->actor == b->actor && a->arg && b->arg &&
           strcmp(slow_timer_text(r, i), slow_timer_text(r, j)) == 0;
}

static uint32_t slow_timer_name(struct slow_run *r, uint32_t event)
{
    const struct rh_event *e = &r->events[event];
    uint32_t before = 0;
    for (uint32_t i = 0; e->choice.arg && i < event; i++)
        before += slow_same_timer(r, i, event);
    if (e->choice.arg)
        return slow_name(r->s, "timer %s that has fired %u times", slow_timer_text(r, event), before);
    return slow_name(r->s, "wait in part %u of %u", slow_parts(r, e->set_by),
                     slow_event_name(r, slow_root(r, e->set_by)));
}

static uint32_t slow_other_name(struct slow_run *r, uint32_t event)
{
    const struct rh_choice *c = &r->events[event].choice;
    uint32_t before = RH_NONE, parts = 0, who = c->actor == RH_NONE ? 0 : slow_actor_name(r, c->actor);
    char sides[256] = "";
    for (uint32_t i = 0; i < event && c->actor != RH_NONE; i++)
        before = slow_actor(r, i) == c->actor ? i : before;
    for (uint32_t i = 0; i < event && before != RH_NONE; i++)
        parts += slow_root(r, i) == slow_root(r, before);
    for (uint32_t i = 0; c->kind == RH_CHOICE_PARTITION && i < rh_world_actor_count(r->w); i++) {
        uint32_t node = r->w->actors[i].node, bits = c->what >> 16 == 3 ? 3 : 1; /* groups have numbers */
        uint32_t group = node * bits < 16 ? c->what >> node * bits & ((1u << bits) - 1) : 0;
        if ((r->w->actors[i].born == RH_NONE || r->w->actors[i].born < event) && node != RH_NONE && group)
            snprintf(sides + strlen(sides), sizeof sides - strlen(sides), "%u:%u ", slow_actor_name(r, i), group);
    }
    if (c->kind == RH_CHOICE_PARTITION)
        snprintf(sides + strlen(sides), sizeof sides - strlen(sides), "shape %u", c->what >> 16);
    bool matters = c->kind == RH_CHOICE_VALUE || c->kind == RH_CHOICE_OPEN || c->kind == RH_CHOICE_CRASH ||
                   c->kind == RH_CHOICE_RESTART;
    return slow_name(r->s, "%s of %u behind %u.%u: %u%s", rh_choice_name(c->kind), who,
                     before == RH_NONE ? 0 : slow_event_name(r, slow_root(r, before)), parts, matters ? c->what : 0,
                     sides);
}

static uint32_t slow_event_name(struct slow_run *r, uint32_t event)
{
    const struct rh_choice *c = &r->events[event].choice;
    uint32_t *name = &r->name[event];
    if (*name)
        return *name;
    if (!event)
        *name = slow_name(r->s, "beginning");
    else if (c->kind == RH_CHOICE_DELIVER)
        *name = slow_name(r->s, "%u taken by %u", slow_message_name(r, c->what), slow_actor_name(r, c->actor));
    else if (c->kind == RH_CHOICE_ACCEPT || c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE)
        *name = slow_name(r->s, "%s %u", rh_choice_name(c->kind), slow_message_name(r, c->what));
    else if (c->kind == RH_CHOICE_TIMER)
        *name = slow_name(r->s, "%u fires for %u", slow_timer_name(r, event), slow_actor_name(r, c->actor));
    else
        *name = slow_other_name(r, event);
    return *name;
}

/* ---- must happen before ------------------------------------------------------------------------------------------ */

static bool slow_is_start(const struct slow_run *r, uint32_t event)
{
    const struct rh_choice *c = &r->events[event].choice;
    return c->kind == RH_CHOICE_DELIVER && r->w->messages[c->what].type == &rh_message_rh_start &&
           !r->w->messages[c->what].posted;
}

bool slow_is_receive(const struct slow_run *r, uint32_t event)
{
    const struct rh_event *e = &r->events[event];
    if (!event || e->flags & RH_EVENT_INSIDE || slow_is_start(r, event) || slow_actor(r, event) == RH_NONE)
        return false;
    return e->choice.kind == RH_CHOICE_DELIVER || e->choice.kind == RH_CHOICE_TIMER;
}

const struct world_message *slow_taken(const struct slow_run *r, uint32_t event)
{
    return r->events[event].choice.kind == RH_CHOICE_DELIVER ? &r->w->messages[r->events[event].choice.what] : NULL;
}

uint32_t slow_cause(const struct slow_run *r, uint32_t event)
{
    const struct rh_choice *c = &r->events[event].choice;
    if (c->kind == RH_CHOICE_TIMER)
        return r->w->first_sets[event]; /* tests/coverage/timers.c has what that is */
    if (c->kind != RH_CHOICE_DELIVER && c->kind != RH_CHOICE_ACCEPT && c->kind != RH_CHOICE_LOSE &&
        c->kind != RH_CHOICE_DUPLICATE)
        return RH_NONE;
    for (uint32_t i = 0; c->kind == RH_CHOICE_DELIVER && i < event; i++)
        if (r->events[i].choice.kind == RH_CHOICE_ACCEPT && r->events[i].choice.what == c->what)
            return i;
    return r->w->messages[c->what].event;
}

static bool slow_local_fence(const struct slow_run *r, uint32_t event)
{
    uint32_t kind = r->events[event].choice.kind;
    return kind == RH_CHOICE_CRASH || kind == RH_CHOICE_UNSTORED || kind == RH_CHOICE_RESTART ||
           slow_is_start(r, event);
}

static bool slow_fence_of_all(const struct slow_run *r, uint32_t event)
{
    uint32_t kind = r->events[event].choice.kind;
    return kind == RH_CHOICE_PARTITION || kind == RH_CHOICE_HEAL;
}

/* Whether the actor decides what it takes: it defers, or is a process that receives in several places or by more than
 * the type. */
static bool slow_selects(const struct slow_run *r, uint32_t actor)
{
    const struct world_actor *a = &r->w->actors[actor];
    uint32_t site = 0;
    if (a->flags & FLAG_DEFERRED)
        return true;
    for (uint32_t i = 1; i < r->count; i++) {
        if (slow_actor(r, i) != actor || !slow_is_receive(r, i))
            continue;
        const struct world_message *m = slow_taken(r, i);
        if ((m && m->type->unhandled == RH_UNHANDLED_DEFER) || r->events[i].flags & RH_EVENT_MATCHED)
            return true;
        if (a->type->kind == RH_KIND_PROCESS) {
            if (site && site != r->events[i].site)
                return true;
            site = r->events[i].site;
        }
    }
    return false;
}

static void slow_close(struct slow_run *r)
{
    for (uint32_t k = 0; k < r->count; k++)
        for (uint32_t i = 0; i < k; i++)
            if (r->must[i][k])
                for (uint32_t j = k + 1; j < r->count; j++)
                    r->must[i][j] |= r->must[k][j];
}

/* All that `event` and earlier ones of its actor have seen come before `later`. */
static void slow_behind_all(struct slow_run *r, uint32_t event, uint32_t later)
{
    for (uint32_t i = 0; i <= event && i < later; i++)
        if (i == event || (slow_actor(r, event) != RH_NONE && slow_actor(r, i) == slow_actor(r, event)))
            r->must[i][later] = true;
}

/* Definition 5, with what our world has beside it: parts, and what nothing can be moved past. */
static void slow_causality(struct slow_run *r, uint32_t j)
{
    uint32_t who = slow_actor(r, j), cause = slow_cause(r, j), before = slow_before(r, j);
    if (cause != RH_NONE)
        slow_behind_all(r, cause, j);
    for (uint32_t i = 0; i < j; i++) {
        if (slow_fence_of_all(r, i))
            r->must[i][j] = true;
        if (slow_fence_of_all(r, j))
            r->must[i][j] = true;
        if (who != RH_NONE && slow_actor(r, i) == who && slow_local_fence(r, i))
            slow_behind_all(r, i, j);
    }
    if (who != RH_NONE && r->w->actors[who].born < j)
        slow_behind_all(r, r->w->actors[who].born, j);
    if (before != RH_NONE && (slow_root(r, j) != j || slow_local_fence(r, j)))
        slow_behind_all(r, before, j);
}

/* Definition 6, as far as the model has it. */
static bool slow_in_order(const struct slow_run *r, uint32_t i, uint32_t j)
{
    const struct world_message *a = slow_taken(r, i), *b = slow_taken(r, j);
    bool timers = r->events[i].choice.kind == RH_CHOICE_TIMER && r->events[j].choice.kind == RH_CHOICE_TIMER;
    if (timers)
        return r->w->semantics.time == RH_TIME_ORDERED || slow_same_timer(r, i, j);
    if (!a || !b || r->w->semantics.model == RH_BAG || a->copy_of != RH_NONE || b->copy_of != RH_NONE || a >= b)
        return false;
    if (a->sender != b->sender || a->receiver != b->receiver || b->timer || a->channel != b->channel)
        return false;
    if (a->type == &rh__exit_signal || b->type == &rh__exit_signal)
        return false; /* they overtake */
    if (slow_selects(r, a->receiver))
        return a->type == b->type;
    /* Several may send in the name of one outside; in a mailbox all that counts is who of them was first. */
    return r->w->semantics.model != RH_MAILBOX || r->w->actors[a->sender].status != STATUS_OUTSIDE;
}

/* Whether `cause` is `of`, or in its past. */
static bool slow_in_past(const struct slow_run *r, uint32_t cause, uint32_t of)
{
    if (cause == of)
        return true;
    if (cause > of)
        return false;
    uint32_t before = slow_before(r, of), by = slow_cause(r, of);
    return (before != RH_NONE && slow_in_past(r, cause, before)) || (by != RH_NONE && slow_in_past(r, cause, by));
}

/* Exit signals and timers are taken as they come; so are the copies of causal, and what the world tells where only what
 * actors post is an operation on the mailbox. */
static bool slow_queues(const struct slow_run *r, const struct world_message *m)
{
    if (!m || m->type == &rh__exit_signal)
        return false;
    if (r->w->semantics.model == RH_CAUSAL)
        return m->copy_of == RH_NONE;
    return m->posted || r->w->semantics.granularity != RH_GRAIN_OBJECT;
}

/* Causal and mailbox: what was sent before another to the same actor in any case is received before it.  Of causal the
 * world itself knows that, by vectors that messages carry. */
static bool slow_by_sends(const struct slow_run *r, uint32_t i, uint32_t j)
{
    enum rh_model model = r->w->semantics.model;
    const struct world_message *x = slow_taken(r, i), *y = slow_taken(r, j);
    if ((model != RH_CAUSAL && model != RH_MAILBOX) || slow_actor(r, i) != slow_actor(r, j) || !slow_is_receive(r, i) ||
        !slow_is_receive(r, j) || slow_selects(r, slow_actor(r, i)) || !slow_queues(r, x) || !slow_queues(r, y))
        return false;
    return model == RH_CAUSAL ? y->copy_of == RH_NONE && rh__message_in_vector(r->w, x, rh__message_clock(y))
                              : slow_in_past(r, slow_cause(r, i), slow_cause(r, j));
}

static void slow_relations(struct slow_run *r)
{
    for (uint32_t j = 1; j < r->count; j++) {
        slow_causality(r, j);
        for (uint32_t i = 1; i < j; i++)
            r->must[i][j] |= slow_in_order(r, i, j) || slow_by_sends(r, i, j);
    }
    slow_close(r);
}

/* ---- goals ------------------------------------------------------------------------------------------------------- */

bool slow_becomes(const struct slow_run *r, uint32_t event)
{
    for (uint32_t i = event; i < r->count; i++)
        if (r->events[i].flags & RH_EVENT_BECOMES && slow_root(r, i) == event)
            return true;
    return false;
}

/* Definitions 1 to 3. */
static void slow_pair(struct slow_run *r, uint32_t i, uint32_t j)
{
    bool between = false, change = false;
    struct slow *s = r->s;
    uint32_t a = r->receive[i], b = r->receive[j];
    for (uint32_t k = i + 1; k < j; k++)
        if (r->receive[k] != RH_NONE && slow_actor(r, k) == slow_actor(r, i)) {
            between = true;
            change |= slow_becomes(r, k);
        }
    s->goals[a][b] |= 1u << RH__PR;
    if (!between)
        s->goals[a][b] |= 1u << RH__PCR;
    if (!change && (slow_becomes(r, i) || slow_becomes(r, j)))
        s->goals[a][b] |= 1u << RH__PMR;
    if (!r->must[i][j])
        s->freely[a][b] = 1;
}

static uint32_t slow_receive(struct slow_run *r, uint32_t event)
{
    struct slow *s = r->s;
    uint32_t name = slow_event_name(r, event), *known = &s->receive_of[name];
    if (!*known) {
        assert_true(s->receive_count < SLOW_RECEIVES);
        *known = ++s->receive_count;
        s->name_of[*known - 1] = name;
        s->actor_of[*known - 1] = slow_actor_name(r, slow_actor(r, event));
    }
    return *known - 1;
}

/* Looks at the run that the world has now. */
static struct slow_run *slow_look(struct slow *s, const struct rh_world *w)
{
    static struct slow_run r;
    memset(&r, 0, sizeof r);
    r.s = s;
    r.w = w;
    r.events = rh_world_events(w, &r.count);
    if (r.events[r.count - 1].choice.kind == RH_CHOICE_END)
        r.count--;
    assert_in_range(r.count, 1, SLOW_EVENTS);
    slow_parts_of_events(&r);
    slow_relations(&r);
    for (uint32_t i = 0; i < r.count; i++) {
        slow_event_name(&r, i);
        r.receive[i] = slow_is_receive(&r, i) ? slow_receive(&r, i) : RH_NONE;
        for (uint32_t k = 0; k < i; k++) /* the same name twice counts once */
            if (r.receive[k] == r.receive[i])
                r.receive[i] = RH_NONE;
        s->receives += r.receive[i] != RH_NONE;
    }
    return &r;
}

struct slow_run *slow_add(struct slow *s, const struct rh_world *w)
{
    struct slow_run *r = slow_look(s, w);
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->receive[i] == RH_NONE)
            continue;
        s->becomes[r->receive[i]] |= slow_becomes(r, i);
        for (uint32_t j = i + 1; j < r->count; j++)
            if (r->receive[j] != RH_NONE && slow_actor(r, j) == slow_actor(r, i))
                slow_pair(r, i, j);
    }
    s->runs++;
    return r;
}
