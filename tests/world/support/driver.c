#include "world/support/driver.h"

/* ---- worlds ---------------------------------------------------------------------------------------------------- */

const struct rh_test *find_test(const char *name)
{
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    if (!t)
        fail_msg("there is no test %s", name);
    return t;
}

struct rh_world *open_test(const char *name, const struct rh_semantics *semantics)
{
    char error[256];
    struct rh_world_options o = { .test = find_test(name), .semantics = semantics, .quiet = true };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    if (!w)
        fail_msg("%s", error);
    rh_world_begin(w);
    return w;
}

static void on_page_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (!rh__pages_fault(rh__world, info->si_addr))
        abort();
}

int close_world(void **unused)
{
    (void)unused;
    if (!rh__world)
        return 0;
    struct sigaction action = { .sa_sigaction = on_page_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigaction(SIGSEGV, &action, NULL);
    rh_world_free(rh__world);
    return 0;
}

struct rh_choice *copy_choices(struct rh_world *w, uint32_t *n)
{
    const struct rh_choice *open = rh_world_enabled(w, n);
    struct rh_choice *copy = malloc((*n + 1) * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, open, *n * sizeof *copy);
    return copy;
}

uint64_t every_run(struct rh_world *w, uint64_t limit, void (*each)(struct rh_world *w, void *arg), void *arg)
{
    uint32_t n;
    struct rh_choice *open = copy_choices(w, &n);
    uint64_t sum = 0;
    if (!n) {
        if (each)
            each(w, arg);
        sum = 1;
    }
    for (uint32_t i = 0; i < n && sum <= limit; i++) {
        assert_true(rh_world_step(w, &open[i]));
        sum += every_run(w, limit - sum, each, arg);
        assert_true(rh_world_undo(w));
    }
    free(open);
    return sum;
}

/* The open choice whose text begins like this; the test fails where there is none. */
static struct rh_choice open_choice(struct rh_world *w, const char *text)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    char is[256];
    for (uint32_t i = 0; i < n; i++) {
        rh_world_choice_text(w, &open[i], is, sizeof is);
        if (strncmp(is, text, strlen(text)) == 0)
            return open[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        rh_world_choice_text(w, &open[i], is, sizeof is);
        print_error("open: %s\n", is);
    }
    fail_msg("\"%s\" is not open", text);
    return (struct rh_choice){ 0 };
}

void step_by_text(struct rh_world *w, const char *text)
{
    struct rh_choice c = open_choice(w, text);
    assert_true(rh_world_step(w, &c));
}

bool is_open(struct rh_world *w, const char *text)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    char is[256];
    for (uint32_t i = 0; i < n; i++) {
        rh_world_choice_text(w, &open[i], is, sizeof is);
        if (strncmp(is, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* ---- counting outcomes ----------------------------------------------------------------------------------------- */

void tally_add(struct tally *t, const char *text)
{
    uint32_t i = 0;
    while (i < t->count && strcmp(t->text[i], text) != 0)
        i++;
    if (i == t->count) {
        assert_in_range(i, 0, 255);
        snprintf(t->text[t->count++], sizeof t->text[0], "%s", text);
        t->times[i] = 0;
    }
    t->times[i]++;
}

uint64_t tally_of(const struct tally *t, const char *text)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (strcmp(t->text[i], text) == 0)
            return t->times[i];
    return 0;
}

void tally_print(const struct tally *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        print_error("  %s: %llu\n", t->text[i], (unsigned long long)t->times[i]);
}

/* ---- digests --------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) void digest_add(struct digest *d, const char *format, ...)
{
    va_list args;
    for (;;) {
        size_t room = d->capacity - d->length;
        va_start(args, format);
        int n = vsnprintf(d->text ? d->text + d->length : NULL, d->text ? room : 0, format, args);
        va_end(args);
        if ((size_t)n < room) {
            d->length += (size_t)n;
            return;
        }
        d->capacity = (d->capacity + (size_t)n + 64) * 2;
        d->text = realloc(d->text, d->capacity);
        if (!d->text)
            abort();
    }
}

void digest_free(struct digest *d)
{
    free(d->text);
    memset(d, 0, sizeof *d);
}

RH__NO_SANITIZE uint64_t digest_hash(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t h = 0xcbf29ce484222325u;
    for (; size >= 8; size -= 8, p += 8) {
        h = (h ^ RH__CONST_AT(8, p, 0)) * 0x100000001b3u;
        h ^= h >> 29;
    }
    for (; size; size--)
        h = (h ^ *p++) * 0x100000001b3u;
    return h;
}

RH__NO_SANITIZE static void digest_bytes(struct digest *d, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    if (size > 64) {
        digest_add(d, "%zu bytes %016llx", size, (unsigned long long)digest_hash(bytes, size));
        return;
    }
    char hex[2 * 64 + 1];
    for (size_t i = 0; i < size; i++) {
        hex[2 * i] = "0123456789abcdef"[p[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[p[i] & 15];
    }
    hex[2 * size] = 0;
    digest_add(d, "%s", hex);
}

static void digest_message(struct digest *d, const struct rh_world *w, uint32_t message)
{
    const struct world_message *m = &w->messages[message];
    digest_add(d, "%s from %u as %u at %lld ", m->type->name, m->sender, m->seen_as, (long long)m->sent_ns);
    digest_bytes(d, rh__message_value(w, m), m->size);
    if (m->tail_size) {
        digest_add(d, " tail ");
        digest_bytes(d, rh__message_tail(w, m), m->tail_size);
    }
}

/* Behind what is used all is zero. */
RH__NO_SANITIZE static void digest_behind(struct digest *d, const struct world_actor *a)
{
    size_t behind = rh__world->semantics.max_bytes_per_actor - a->used;
    for (size_t i = 0; i < behind && i < 4096; i++)
        if (a->region[a->used + i]) {
            digest_add(d, " and %02x at %zu behind", (unsigned char)a->region[a->used + i], i);
            return;
        }
}

static void digest_actor(struct digest *d, const struct rh_world *w, uint32_t i)
{
    const struct world_actor *a = &w->actors[i];
    char text[512];
    rh_world_actor_name(w, i, text, sizeof text);
    digest_add(d, "actor %u %s ", i, text);
    rh_world_actor_text(w, i, text, sizeof text);
    digest_add(d, "%s; status %u flags %u behaviour %s", text, a->status, a->flags,
               a->behaviour ? a->behaviour->name : "-");
    digest_add(d, " events %u sends %u random %llx node %u restarts %u choices %u start %u asking %u taken %u wake %u",
               a->events, a->sends, (unsigned long long)a->random, a->node, a->restarts, a->choices, a->start,
               a->asking, a->taken, a->wake);
    digest_add(d, " clock %lld wait %u of %u", (long long)a->now_ns, a->wait, a->waits);
    if (a->status == STATUS_OUTSIDE) {
        digest_add(d, "\n");
        return;
    }
    digest_add(d, "\n  region %u heap %u: ", a->used, a->heap);
    digest_bytes(d, a->region, a->used);
    digest_behind(d, a);
    if (a->stack != RH_NONE) {
        uint32_t size;
        const char *live = rh__fiber_live(rh__world, i, &size);
        digest_add(d, "\n  stack %u: ", a->stack);
        digest_bytes(d, live, size);
    }
    for (uint32_t t = a->timers; t != RH_NONE; t = w->timers[t].next) {
        const struct world_timer *x = &w->timers[t];
        digest_add(d, "\n  timer %u at %lld %s (clock %u wait %u life %u) ", t, (long long)x->deadline_ns,
                   x->type ? w->payload + x->name : "wakes it", x->clocked, x->wait, x->life);
        if (x->type)
            digest_bytes(d, w->payload + x->payload, x->type->size);
    }
    for (uint32_t l = a->links; l != RH_NONE; l = w->links[l].next)
        digest_add(d, "\n  linked to %u", w->links[l].other);
    for (uint32_t l = a->monitors; l != RH_NONE; l = w->links[l].next)
        digest_add(d, "\n  monitored by %u", w->links[l].other);
    for (uint32_t x = a->store, k = 0; x != RH_NONE; x = w->writes[x].older, k++) {
        digest_add(d, "\n  %s %s ticket %u: ", k < a->writes_open ? "writing" : "stored", w->payload + w->writes[x].key,
                   w->writes[x].ticket);
        if (w->writes[x].size != RH_NONE)
            digest_bytes(d, w->payload + w->writes[x].bytes, w->writes[x].size);
    }
    for (uint32_t c = a->channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next) {
            digest_add(d, "\n  mail %u in %u: ", m, c);
            digest_message(d, w, m);
        }
    if (a->outbox != RH_NONE)
        for (uint32_t m = w->channels[a->outbox].first; m != RH_NONE; m = w->messages[m].next) {
            digest_add(d, "\n  out %u to %u: ", m, w->messages[m].receiver);
            digest_message(d, w, m);
        }
    digest_add(d, "\n");
}

/* In order of keys, which is one order for equal contents; rows of tables are in the order of their first use. */
static void digest_table(struct digest *d, const struct rh_world *w, const struct world_table *t)
{
    uint32_t count = 0;
    digest_add(d, "table %s", t->declared->name);
    for (uint32_t i = rh__table_after(w, t->declared, ""); i != RH_NONE;
         i = rh__table_after(w, t->declared, w->payload + w->items[i].key)) {
        const struct world_item *x = &w->items[i];
        assert_int_equal(rh__table_find(w, t->declared, w->payload + x->key), i);
        digest_add(d, "\n  %s in %u, left %u right %u: ", w->payload + x->key, i, x->left, x->right);
        digest_bytes(d, w->payload + x->bytes, x->size);
        count++;
    }
    digest_add(d, "\n  %u items\n", t->count);
    assert_int_equal(count, t->count);
}

void digest_world(struct digest *d, struct rh_world *w, const void *globals, size_t size)
{
    uint32_t n;
    d->length = 0;
    for (uint32_t i = 0; i < w->actor_count; i++)
        digest_actor(d, w, i);
    for (uint32_t i = w->first_name; i != RH_NONE; i = w->names[i].next)
        digest_add(d, "name %s is %u\n", w->payload + w->names[i].text, w->names[i].actor);
    for (uint32_t i = 0; i < w->table_count; i++)
        digest_table(d, w, &w->tables[i]);
    for (uint32_t i = w->timer_newest; i != RH_NONE; i = w->timers[i].older)
        digest_add(d, "set timer %u\n", i);
    digest_add(d, "%u events %u messages %u under way, payload %llu, now %lld\n", w->event_count, w->message_count,
               w->under_way, (unsigned long long)w->payload_at, (long long)w->now_ns);
    for (uint32_t m = 0; m < w->message_count; m++) {
        digest_add(d, "message %u by %u.%u taken %u copy %u: ", m, w->messages[m].event, w->messages[m].ordinal,
                   w->messages[m].taken_by, w->messages[m].copy_of);
        digest_message(d, w, m);
        digest_add(d, "\n");
    }
    for (uint32_t i = 0; i < MAX_HOLDS && w->event_count < w->held_until; i++)
        digest_add(d, "holds %u %u until %u\n", w->holds[i].message, w->holds[i].actor, w->holds[i].until);
    digest_add(d, "left %u %u %u %u %u %u cut %u chooser %u over %u writes %u lines %u monitors %u\n", w->left.losses,
               w->left.duplicates, w->left.crashes, w->left.restarts, w->left.kept_restarts, w->left.partitions, w->cut,
               w->chooser, w->over, w->writes_open, w->line_count, w->monitor_count);
    for (uint32_t i = 0; i < w->property_count; i++)
        if (w->properties[i].kind == RH_EVENTUALLY && w->properties[i].run)
            digest_add(d, "eventually %s %u\n", w->properties[i].name, w->properties[i].run & LAST);
    for (uint32_t i = 0; i < w->line_count; i++)
        digest_add(d, "line %s\n", w->payload + w->lines[i].text);
    digest_add(d, "globals ");
    digest_bytes(d, globals, size);
    const struct rh_outcome *o = rh_world_outcome(w);
    digest_add(d, "\noutcome %s %s %s\n", rh_outcome_name(o->kind), o->place, o->text);
    const struct rh_choice *open = rh_world_enabled(w, &n);
    for (uint32_t i = 0; i < n; i++) {
        char text[256];
        rh_world_choice_text(w, &open[i], text, sizeof text);
        digest_add(d, "open %u %u %u: %s\n", open[i].kind, open[i].actor, open[i].what, text);
    }
}

bool digest_same_but_stacks(const struct digest *left, const struct digest *right)
{
    static const char stack[] = "  stack";
    for (const char *a = left->text, *b = right->text; *a || *b;) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        bool stacks = strncmp(a, stack, sizeof stack - 1) == 0 && strncmp(b, stack, sizeof stack - 1) == 0;
        if (!stacks && (n != m || memcmp(a, b, n) != 0))
            return false;
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
    return true;
}

void digest_show(const struct digest *was, const struct digest *is)
{
    const char *a = was->text, *b = is->text, *line_a = a, *line_b = b;
    while (*a && *a == *b) {
        if (*a == '\n')
            line_a = a + 1, line_b = b + 1;
        a++, b++;
    }
    print_error("was: %.*s\nis:  %.*s\n", (int)strcspn(line_a, "\n"), line_a, (int)strcspn(line_b, "\n"), line_b);
}
