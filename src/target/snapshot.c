/* See snapshot.h. */
#include "target/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum { LONGEST_NAME = 256 };

/* Room for one more element. */
static void *grown(void *list, uint32_t count, size_t size)
{
    if (count & (count - 1)) /* not a power of two: there is room */
        return list;
    list = realloc(list, (count ? 2 * (size_t)count : 1) * size);
    RH__ASSERT(list, "no memory for a snapshot");
    return list;
}

static uint8_t *bytes_of(const char *hex, uint32_t *size)
{
    size_t n = strspn(hex, "0123456789abcdef") / 2;
    uint8_t *bytes = calloc(n + 1, 1);
    RH__ASSERT(bytes, "no memory for a snapshot");
    for (size_t i = 0; i < 2 * n; i++) /* not by sscanf, which looks for the end of the whole text */
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | (hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10));
    *size = (uint32_t)n;
    return bytes;
}

static char *copy_text(const char *from, size_t size)
{
    char *text = calloc(size + 1, 1);
    RH__ASSERT(text, "no memory for a snapshot");
    memcpy(text, from, size);
    return text;
}

static uint32_t actor_type_named(const struct rh__program *p, const char *name)
{
    for (uint32_t i = 0; i < p->actor_count; i++)
        if (strcmp(p->actors[i].name, name) == 0)
            return i;
    return RH__NO_INDEX;
}

static uint32_t behaviour_named(const struct rh__program *p, uint32_t actor, const char *name)
{
    for (uint32_t i = 0; i < p->behaviour_count; i++)
        if (p->behaviours[i].actor == actor && strcmp(p->behaviours[i].name, name) == 0)
            return i;
    return RH__NO_INDEX;
}

static void read_actor(const struct rh__program *p, struct rh__snapshot *s, const char *line, const char *end)
{
    static const char *const words[] = { "idle", "new", "inside", "gone", "outside" };
    char status[16], type[LONGEST_NAME], behaviour[LONGEST_NAME];
    int at = 0, name = 0;
    if (sscanf(line, "%*u %15s %255s %255s %n%*s %n", status, type, behaviour, &at, &name) != 3 || !name)
        return;
    s->actors = grown(s->actors, s->actor_count, sizeof *s->actors);
    struct rh__snap_actor *a = &s->actors[s->actor_count++];
    *a = (struct rh__snap_actor){ .type = actor_type_named(p, type) };
    while (a->status < RH__SNAP_OUTSIDE && strcmp(words[a->status], status) != 0)
        a->status++;
    a->behaviour = behaviour_named(p, a->type, behaviour);
    a->state = bytes_of(line + at, &a->size);
    a->name = copy_text(line + name, (size_t)(end - line - name));
}

static void read_message(const struct rh__program *p, struct rh__snapshot *s, const char *line)
{
    struct rh__snap_message m = { 0 };
    char type[LONGEST_NAME];
    unsigned taken;
    int at = 0;
    if (sscanf(line, "%u %255s %u %u %u %n", &taken, type, &m.from, &m.to, &m.tail_size, &at) != 5)
        return;
    m.taken = taken;
    m.type = rh__program_message_named(p, type);
    m.value = bytes_of(line + at, &m.size);
    const char *tail = strchr(line + at, ' '), *end = strchr(line + at, '\n');
    uint32_t size = 0;
    if (tail && end && tail < end)
        m.tail = bytes_of(tail + 1, &size);
    m.tail_known = size == m.tail_size;
    s->messages = grown(s->messages, s->message_count, sizeof m);
    s->messages[s->message_count++] = m;
}

static void read_timer(const struct rh__program *p, struct rh__snapshot *s, const char *line, const char *end)
{
    struct rh__snap_timer t = { 0 };
    char type[LONGEST_NAME];
    int at = 0, name = 0;
    if (sscanf(line, "%u %255s %n%*s %n", &t.actor, type, &at, &name) != 2 || !name)
        return;
    t.type = rh__program_message_named(p, type);
    t.value = bytes_of(line + at, &t.size);
    t.name = copy_text(line + name, (size_t)(end - line - name));
    s->timers = grown(s->timers, s->timer_count, sizeof t);
    s->timers[s->timer_count++] = t;
}

static void read_opening(const struct rh__program *p, struct rh__snapshot *s, const char *line)
{
    struct rh__snap_opening o = { 0 };
    char type[LONGEST_NAME];
    unsigned block;
    int at = 0;
    if (sscanf(line, "%u %255s %n", &o.actor, type, &at) != 2 || !at)
        return;
    o.type = rh__program_message_named(p, type);
    if (sscanf(line + at, "%u", &block) == 1)
        for (uint32_t i = 0; i < p->bitcode.function_count; i++)
            if (p->bitcode.functions[i].first_block == block && p->bitcode.functions[i].block_count)
                o.when = p->bitcode.functions[i].value;
    s->openings = grown(s->openings, s->opening_count, sizeof o);
    s->openings[s->opening_count++] = o;
}

static void read_line(const struct rh__program *p, struct rh__snapshot *s, const char *line, const char *end)
{
    if (strncmp(line, "# actor ", 8) == 0)
        read_actor(p, s, line + 8, end);
    else if (strncmp(line, "# message ", 10) == 0)
        read_message(p, s, line + 10);
    else if (strncmp(line, "# timer ", 8) == 0)
        read_timer(p, s, line + 8, end);
    else if (strncmp(line, "# opening ", 10) == 0)
        read_opening(p, s, line + 10);
    else if (strncmp(line, "# outside ", 10) == 0)
        sscanf(line + 10, "%u %u", &s->outside_left, &s->outside_next);
}

/* Whether everything that it names is there: the text may be damaged. */
static bool is_sound(const struct rh__snapshot *s)
{
    bool sound = s->actor_count;
    for (uint32_t i = 0; i < s->message_count; i++)
        sound = sound && s->messages[i].from < s->actor_count && s->messages[i].to < s->actor_count;
    for (uint32_t i = 0; i < s->timer_count; i++)
        sound = sound && s->timers[i].actor < s->actor_count && s->timers[i].type != RH__NO_INDEX;
    for (uint32_t i = 0; i < s->opening_count; i++)
        sound = sound && s->openings[i].actor < s->actor_count && s->openings[i].type != RH__NO_INDEX;
    return sound;
}

static void release(struct rh__snapshot *s)
{
    for (uint32_t i = 0; i < s->actor_count; i++) {
        free(s->actors[i].state);
        free(s->actors[i].name);
    }
    for (uint32_t i = 0; i < s->message_count; i++) {
        free(s->messages[i].value);
        free(s->messages[i].tail);
    }
    for (uint32_t i = 0; i < s->timer_count; i++) {
        free(s->timers[i].value);
        free(s->timers[i].name);
    }
    free(s->schedule);
    free(s->actors);
    free(s->messages);
    free(s->timers);
    free(s->openings);
}

struct rh__snapshot *rh__snapshots_read(const struct rh__program *p, const char *record, uint32_t *count)
{
    struct rh__snapshot *all = NULL, s = { 0 };
    const char *from = NULL, *next;
    bool inside = false;
    *count = 0;
    for (const char *line = record; (next = strchr(line, '\n')); line = next + 1) {
        if (strncmp(line, "rehearse schedule", 17) == 0)
            from = line;
        if (!inside && from && sscanf(line, "# world %u", &s.choices) == 1) {
            s.schedule = copy_text(from, (size_t)(line - from));
            inside = true;
        } else if (inside && strncmp(line, "# end of world", 14) == 0) {
            inside = false;
            if (is_sound(&s)) {
                all = grown(all, *count, sizeof s);
                all[(*count)++] = s;
            } else
                release(&s);
            s = (struct rh__snapshot){ 0 };
            from = NULL;
        } else if (inside)
            read_line(p, &s, line, next);
    }
    release(&s);
    return all;
}

void rh__snapshots_free(struct rh__snapshot *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        release(&all[i]);
    free(all);
}
