/* Decoding of a run (encode.h).  The encoded counts give the sizes of the tables, and no count can exceed the number of
 * bytes.  Each row is checked against the tables that it refers to, so readers of a run need no checks. */
#include <stdio.h>

#include "run/encode.h"
#include "run/encoding.h"

struct decoder {
    struct rh__reader in;
    struct rh__writer payload; /* texts and values, 16-aligned; an empty text at offset 0 */
    struct decoded *d;
    uint32_t actor_types, behaviours, message_types;
    const char *wrong; /* the error, as a sentence */
};

/* A run, and all memory that it refers to. */
struct decoded {
    struct rh__run run; /* first: rh__run_free relies on its address */
    char *test;
    struct rh_semantics semantics, own;
    const struct rh_actor_type **lists[6];
    struct rh_param *params;
    struct rh_actor_type *actor_types;
    struct rh_behaviour *behaviours;
    struct rh_message_type *message_types;
    const struct rh_message_type **types; /* by number: types of the program (message_types) or of the world */
    struct rh_event *events;
    struct rh__run_message *messages;
    struct rh__run_actor *actors;
    struct rh__access *accesses;
    struct rh__run_line *lines;
    struct rh__run_wait *waits;
    uint32_t *monitors;
    char *payload;
    char *names; /* names of types, parameters and the test; texts of waits */
    size_t names_size, names_used;
};

static bool refuse(struct decoder *x, const char *why)
{
    if (!x->wrong)
        x->wrong = why;
    x->in.bad = true;
    return false;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static uint32_t get_number(struct decoder *x)
{
    uint64_t n = rh__get_small(&x->in);
    if (n > UINT32_MAX)
        refuse(x, "a number is too large");
    return x->in.bad ? 0 : (uint32_t)n;
}

static uint32_t get_index(struct decoder *x)
{
    return get_number(x) - 1u; /* 0 encodes RH_NONE */
}

/* Reads a count of entries.  Each entry needs at least `bytes` bytes of the rest. */
static uint32_t get_count(struct decoder *x, size_t bytes)
{
    uint32_t n = get_number(x);
    if (n > x->in.left / bytes)
        refuse(x, "it promises more than it has");
    return x->in.bad ? 0 : n;
}

/* Reads an index below `end`.  get_index_below also accepts RH_NONE. */
static uint32_t get_below(struct decoder *x, uint32_t end)
{
    uint32_t n = get_number(x);
    if (n >= end)
        refuse(x, "it refers to something that is not there");
    return n;
}

static uint32_t get_index_below(struct decoder *x, uint32_t end)
{
    uint32_t n = get_index(x);
    if (n >= end && n != RH_NONE)
        refuse(x, "it refers to something that is not there");
    return n;
}

/* Copies a name.  All names together are not longer than the input. */
static const char *get_name(struct decoder *x)
{
    const char *text = rh__get_text(&x->in);
    size_t size = strlen(text) + 1;
    struct decoded *d = x->d;
    if (x->in.bad || size > d->names_size - d->names_used)
        return "";
    char *name = memcpy(d->names + d->names_used, text, size);
    d->names_used += size;
    return name;
}

static uint64_t keep_bytes(struct decoder *x, const void *bytes, size_t size)
{
    static const char none[16];
    uint64_t at = x->payload.len;
    rh__put(&x->payload, bytes, size);
    rh__put(&x->payload, none, (16 - size % 16) % 16);
    return at;
}

static uint64_t get_payload_text(struct decoder *x)
{
    const char *text = rh__get_text(&x->in);
    return keep_bytes(x, text, strlen(text) + 1);
}

/* Reads a text and returns the number of its payload slot, as in `arg` of a choice. */
static uint32_t get_text_number(struct decoder *x)
{
    uint64_t at = get_payload_text(x) / 16;
    if (at > UINT32_MAX)
        refuse(x, "its texts are too long");
    return (uint32_t)at;
}

#define NEW(x, field, count)                                                                                           \
    (((x)->d->field = rh__alloc_array((size_t)(count) + 1, sizeof *(x)->d->field)) ? true : refuse((x), "no memory"))

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool get_types(struct decoder *x)
{
    struct decoded *d = x->d;
    x->actor_types = get_count(x, 4);
    if (!NEW(x, actor_types, x->actor_types))
        return false;
    for (uint32_t i = 0; i < x->actor_types && !x->in.bad; i++) {
        d->actor_types[i] = (struct rh_actor_type){ .name = get_name(x) };
        d->actor_types[i].size = get_number(x);
        d->actor_types[i].kind = get_below(x, RH_KIND_MONITOR + 1);
    }
    x->behaviours = get_count(x, 3);
    if (!NEW(x, behaviours, x->behaviours))
        return false;
    for (uint32_t i = 0; i < x->behaviours && !x->in.bad; i++) {
        d->behaviours[i] = (struct rh_behaviour){ .name = get_name(x) };
        d->behaviours[i].hot = get_below(x, 2);
    }
    x->message_types = get_count(x, 1);
    if (!NEW(x, message_types, x->message_types) || !NEW(x, types, x->message_types))
        return false;
    for (uint32_t i = 0; i < x->message_types && !x->in.bad; i++) {
        uint32_t own = get_below(x, RH__WORLD_TYPES + 1);
        d->types[i] = own && !x->in.bad ? rh__world_types[own - 1] : &d->message_types[i];
        if (own)
            continue;
        d->message_types[i] = (struct rh_message_type){ .name = get_name(x) };
        d->message_types[i].size = get_number(x);
        d->message_types[i].unhandled = get_number(x);
    }
    return !x->in.bad;
}

/* ---- head -------------------------------------------------------------------------------------------------------- */

static const struct rh_actor_type *const *get_list(struct decoder *x, const struct rh_actor_type ***list)
{
    uint32_t n = get_count(x, 1);
    if (!n || x->in.bad)
        return NULL;
    *list = rh__alloc_array(n, sizeof **list);
    if (!*list) {
        refuse(x, "no memory");
        return NULL;
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t type = get_below(x, x->actor_types);
        (*list)[i] = &x->d->actor_types[x->in.bad ? 0 : type];
    }
    (*list)[n - 1] = NULL;
    return *list;
}

static void get_semantics(struct decoder *x, struct rh_semantics *s, const struct rh_actor_type ***lists)
{
    size_t size;
    const void *bytes = rh__get_block(&x->in, &size);
    if (!bytes || size != sizeof *s) {
        refuse(x, "its settings are of another build");
        return;
    }
    memcpy(s, bytes, size);
    unsigned char flag, other, third; /* a byte other than 0 or 1 must not be read as a bool */
    memcpy(&flag, (const char *)bytes + offsetof(struct rh_semantics, check_isolation), 1);
    memcpy(&other, (const char *)bytes + offsetof(struct rh_semantics, outside_may_remain), 1);
    memcpy(&third, (const char *)bytes + offsetof(struct rh_semantics, pauses), 1);
    if ((uint32_t)s->model >= RH_ROWS(RH_MODELS) || (uint32_t)s->granularity >= RH_ROWS(RH_GRANULARITIES) ||
        (uint32_t)s->time >= RH_ROWS(RH_TIMES) || (uint32_t)s->dead_letters >= RH_ROWS(RH_DEAD_LETTERS) ||
        (uint32_t)s->crash_points >= RH_ROWS(RH_CRASHES) || (uint32_t)s->splits >= RH_ROWS(RH_SPLITS) ||
        (uint32_t)s->across >= RH_ROWS(RH_ACROSS) || (uint32_t)s->kills >= RH_ROWS(RH_KILLS) ||
        (uint32_t)s->contexts >= RH_ROWS(RH_CONTEXTS) || s->timer_budgets[sizeof s->timer_budgets - 1] ||
        (flag | other | third) > 1)
        refuse(x, "a setting has no such value");
    s->may_remain = NULL;
    s->may_remain_from = NULL;
    s->may_crash = get_list(x, &lists[0]);
    s->may_lose = get_list(x, &lists[1]);
    s->may_split = get_list(x, &lists[2]);
}

static bool get_head(struct decoder *x)
{
    struct decoded *d = x->d;
    struct rh__run *r = &d->run;
    r->test = get_name(x);
    get_semantics(x, &d->semantics, d->lists);
    get_semantics(x, &d->own, d->lists + 3);
    r->param_count = get_count(x, 4);
    if (!NEW(x, params, r->param_count))
        return false;
    for (size_t i = 0; i < r->param_count && !x->in.bad; i++) {
        d->params[i].name = get_name(x);
        d->params[i].value = get_name(x);
    }
    r->most_value = get_number(x);
    r->first_actors = get_number(x);
    r->channel_count = get_number(x);
    r->clock = get_index(x);
    uint32_t flags = get_below(x, RH__RUN_OVER * 2);
    r->clock_used = flags & RH__RUN_CLOCK_USED;
    r->own_clocks = flags & RH__RUN_OWN_CLOCKS;
    r->over = flags & RH__RUN_OVER;
    r->loop = get_number(x);
    r->loop_monitor = get_number(x); /* checked when the actors are there */
    return !x->in.bad;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void get_actor(struct decoder *x, uint32_t i)
{
    const struct rh__run *r = &x->d->run;
    struct rh__run_actor *a = &x->d->actors[i];
    uint32_t type = get_below(x, x->actor_types), behaviour = get_below(x, x->behaviours + 1);
    if (x->in.bad)
        return;
    a->type = &x->d->actor_types[type];
    a->behaviour = behaviour ? &x->d->behaviours[behaviour - 1] : NULL;
    a->identity = rh__get64(&x->in);
    a->object = rh__get64(&x->in);
    a->status = get_below(x, STATUS_OUTSIDE + 1);
    a->flags = get_number(x);
    a->born = get_index_below(x, r->event_count);
    a->born_behind = get_number(x);
    a->parent = get_index_below(x, i); /* a parent precedes its children, so paths end */
    a->ordinal = get_number(x);
    a->node = get_index_below(x, 16);
    a->asking = get_index(x);
    a->restarts = get_number(x);
    if (a->status == STATUS_OUTSIDE)
        a->initial = get_payload_text(x);
    a->reason = get_text_number(x);
    const char *waits = get_name(x);
    x->d->waits[i].text = *waits ? waits : NULL;
}

static void get_event(struct decoder *x, uint32_t i)
{
    const struct rh__run *r = &x->d->run;
    struct rh_event *e = &x->d->events[i];
    uint64_t message = i ? e[-1].first_message : 0, access = i ? e[-1].first_access : 0;
    e->choice.kind = get_below(x, RH_CHOICE_END + 1);
    e->choice.actor = get_index_below(x, r->actor_count);
    e->choice.what = get_index(x);
    e->choice.arg = get_number(x);
    if (rh__has_text(e->choice.kind) && e->choice.arg)
        e->choice.arg = get_text_number(x);
    e->number = get_number(x);
    message += get_number(x);
    access += get_number(x);
    e->flags = get_number(x);
    e->set_by = get_index_below(x, i);
    e->site = rh__get32(&x->in);
    bool nobodys =
        e->choice.kind == RH_CHOICE_PARTITION || e->choice.kind == RH_CHOICE_HEAL || e->choice.kind == RH_CHOICE_END;
    if (message > r->message_count || access > r->access_count || (!nobodys && e->choice.actor == RH_NONE) ||
        (rh__has_message(e->choice.kind) && e->choice.what >= message) ||
        (e->choice.kind == RH_CHOICE_OPEN && e->choice.what > 2) || /* opens, cannot open, finds it damaged */
        (e->choice.kind == RH_CHOICE_TIMER && e->set_by == RH_NONE) || (i == 0) != (e->choice.kind == RH_CHOICE_BEGIN))
        refuse(x, "an event makes no sense");
    e->first_message = (uint32_t)message;
    e->first_access = (uint32_t)access;
}

static void get_bytes(struct decoder *x, uint32_t size)
{
    uint32_t kept = size < x->d->run.most_value ? size : x->d->run.most_value;
    const void *bytes = rh__get(&x->in, kept);
    if (bytes)
        keep_bytes(x, bytes, kept);
}

static void get_message(struct decoder *x, uint32_t i, uint32_t event)
{
    const struct rh__run *r = &x->d->run;
    struct rh__run_message *m = &x->d->messages[i];
    uint32_t type = get_below(x, x->message_types);
    if (x->in.bad)
        return;
    m->type = x->d->types[type];
    m->size = get_number(x);
    m->tail_size = get_number(x);
    m->sender = get_below(x, r->actor_count);
    m->receiver = get_below(x, r->actor_count);
    m->seen_as = get_below(x, r->actor_count);
    m->event = event;
    m->ordinal = get_number(x);
    m->answers = get_index(x);
    m->taken_by = get_index_below(x, r->event_count);
    m->copy_of = get_index_below(x, i);
    m->channel = get_index(x);
    uint32_t flags = get_below(x, 4);
    m->posted = flags & 1;
    m->timer = flags & 2 ? get_text_number(x) : 0;
    m->wake = get_number(x);
    m->life = get_number(x);
    m->behind = get_number(x);
    m->payload = x->payload.len;
    get_bytes(x, m->size);
    get_bytes(x, m->tail_size);
}

static void get_messages(struct decoder *x)
{
    const struct rh__run *r = &x->d->run;
    uint32_t event = 0;
    for (uint32_t i = 0; i < r->message_count && !x->in.bad; i++) {
        while (event + 1 < r->event_count && x->d->events[event + 1].first_message <= i)
            event++;
        get_message(x, i, event);
    }
}

static void get_rest(struct decoder *x)
{
    struct decoded *d = x->d;
    struct rh__run *r = &d->run;
    for (uint32_t i = 0; i < r->access_count && !x->in.bad; i++) {
        d->accesses[i].object = rh__get64(&x->in);
        d->accesses[i].event = get_below(x, r->event_count);
        uint32_t ordinal = get_number(x);
        d->accesses[i].ordinal = ordinal / 2;
        d->accesses[i].wrote = ordinal & 1;
    }
    for (uint32_t i = 0; i < r->line_count && !x->in.bad; i++) {
        d->lines[i].event = get_below(x, r->event_count);
        d->lines[i].actor = get_below(x, r->actor_count);
        d->lines[i].text = get_payload_text(x);
    }
    for (uint32_t i = 0; i < r->monitor_count && !x->in.bad; i++)
        d->monitors[i] = get_below(x, r->actor_count);
    if ((r->clock != RH_NONE && r->clock >= r->actor_count) || r->loop_monitor >= r->actor_count)
        refuse(x, "it refers to something that is not there");
    if (!x->in.bad && r->events[0].first_message) /* earlier messages would belong to no event */
        refuse(x, "an event makes no sense");
}

static bool get_rows(struct decoder *x)
{
    struct decoded *d = x->d;
    struct rh__run *r = &d->run;
    r->event_count = get_count(x, 13);
    r->message_count = get_count(x, 15);
    r->actor_count = get_count(x, 29);
    r->access_count = get_count(x, 10);
    r->line_count = get_count(x, 4);
    r->monitor_count = get_count(x, 1);
    if (x->in.bad || !r->event_count || !r->actor_count)
        return refuse(x, "it has no beginning");
    /* Readers have tables by channel.  A message makes at most two: its sender's outbox, and one to its receiver. */
    if (r->channel_count > 2 * (uint64_t)r->message_count || r->first_actors > r->actor_count)
        return refuse(x, "it promises more than it has");
    if (!NEW(x, events, r->event_count) || !NEW(x, messages, r->message_count) || !NEW(x, actors, r->actor_count) ||
        !NEW(x, accesses, r->access_count) || !NEW(x, lines, r->line_count) || !NEW(x, waits, r->actor_count) ||
        !NEW(x, monitors, r->monitor_count))
        return false;
    r->events = d->events;
    keep_bytes(x, "", 1);
    for (uint32_t i = 0; i < r->actor_count && !x->in.bad; i++)
        get_actor(x, i);
    for (uint32_t i = 0; i < r->event_count && !x->in.bad; i++)
        get_event(x, i);
    get_messages(x);
    get_rest(x);
    return !x->in.bad;
}

/* ---- the whole run ----------------------------------------------------------------------------------------------- */

static void settle(struct decoder *x)
{
    struct decoded *d = x->d;
    struct rh__run *r = &d->run;
    d->payload = (char *)x->payload.at;
    x->payload = rh__writer_new();
    r->semantics = &d->semantics;
    r->own = &d->own;
    r->delivery = rh__delivery(d->semantics.model);
    r->params = d->params;
    r->messages = d->messages;
    r->message_stride = sizeof *d->messages;
    r->actors = d->actors;
    r->actor_stride = sizeof *d->actors;
    r->accesses = d->accesses;
    r->lines = d->lines;
    r->payload = d->payload;
    r->monitors = d->monitors;
    r->waits = d->waits;
}

struct rh__run *rh__run_decode(const void *bytes, size_t size, char *error, size_t error_size)
{
    struct decoder x = { .in = rh__reader_of(bytes, size), .payload = rh__writer_new() };
    x.d = rh__alloc_array(1, sizeof *x.d);
    if (!x.d) {
        snprintf(error, error_size, "no memory for a run");
        return NULL;
    }
    *x.d = (struct decoded){ .names_size = size + 1 };
    if (get_number(&x) != RH__RUN_VERSION)
        refuse(&x, "its version is not known");
    bool good = !x.in.bad && NEW(&x, names, size) && get_types(&x) && get_head(&x) && get_rows(&x);
    if (good && x.payload.full)
        good = refuse(&x, "no memory");
    if (good && !rh__reader_done(&x.in))
        good = refuse(&x, "something is behind its end");
    if (good) {
        settle(&x);
        return &x.d->run;
    }
    snprintf(error, error_size, "not a run: %s", x.wrong ? x.wrong : "it ends too early");
    rh__writer_release(&x.payload);
    rh__run_free(&x.d->run);
    return NULL;
}

void rh__run_free(struct rh__run *r)
{
    struct decoded *d = (struct decoded *)r;
    if (!d)
        return;
    for (size_t i = 0; i < sizeof d->lists / sizeof *d->lists; i++)
        rh__free(d->lists[i]);
    void *const all[] = { d->params, d->actor_types, d->behaviours, d->message_types, d->types,
                          d->events, d->messages,    d->actors,     d->accesses,      d->lines,
                          d->waits,  d->monitors,    d->payload,    d->names,         d };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rh__free(all[i]);
}
