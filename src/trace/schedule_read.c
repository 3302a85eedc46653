/* See schedule.h: reading schedules.  No world is needed: a schedule is settings and lines; schedule_write.c says
 * whether a line is that of a choice. */
#include "trace/schedule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

static char *trim(char *text)
{
    char *comment = text;
    /* A comment begins at the start of the line or behind white space: actors are named writer#1. */
    while ((comment = strchr(comment, '#')) && comment != text && !isspace((unsigned char)comment[-1]))
        comment++;
    if (comment)
        *comment = 0;
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text;
}

/* What add_escaped did, taken back in place; anything else behind a backslash stays as it is. */
static char *unescape(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        unsigned byte;
        if (*c != '\\')
            *to++ = *c;
        else if (c[1] == 'n' || c[1] == '\\' || c[1] == '#')
            *to++ = *++c == 'n' ? '\n' : *c;
        else if (c[1] == 'x' && isxdigit((unsigned char)c[2]) && isxdigit((unsigned char)c[3]) &&
                 sscanf(c + 2, "%2x", &byte) == 1 && byte) {
            *to++ = (char)byte;
            c += 3;
        } else
            *to++ = *c;
    }
    *to = 0;
    return text;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool take_setting(struct rh__schedule *s, char *text, uint32_t number, char *error, size_t error_size)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        snprintf(error, error_size, "line %u: `set` needs name=value", number);
        return false;
    }
    *equals = 0;
    s->settings[s->setting_count++] = (struct rh__schedule_setting){ unescape(text), unescape(equals + 1) };
    return true;
}

static bool take_line(struct rh__schedule *s, char *text, uint32_t number, char *error, size_t error_size)
{
    if (starts(text, "set "))
        return take_setting(s, text + 4, number, error, error_size);
    if (starts(text, "test ") && !s->line_count && !strchr(text + 5, ' ')) {
        s->test = text + 5;
        return true;
    }
    s->lines[s->line_count++] = (struct rh__schedule_line){ text, number };
    return true;
}

bool rh__schedule_parse(struct rh__schedule *s, const char *bytes, size_t size, char *error, size_t error_size)
{
    uint32_t count = 1, number = 0;
    *s = (struct rh__schedule){ 0 };
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '\n';
        if (!bytes[i]) {
            snprintf(error, error_size, "line %u: a zero byte: this is not a schedule", count);
            return false;
        }
    }
    s->bytes = rh__alloc(size + 1);
    s->settings = rh__alloc_array(count, sizeof *s->settings);
    s->lines = rh__alloc_array(count, sizeof *s->lines);
    if (!s->bytes || !s->settings || !s->lines) {
        snprintf(error, error_size, "no memory for a schedule of %zu bytes", size);
        rh__schedule_release(s);
        return false;
    }
    memcpy(s->bytes, bytes, size);
    s->bytes[size] = 0;
    bool head = false;
    for (char *line = s->bytes, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        number++;
        char *text = trim(line);
        if (!*text)
            continue;
        if (!head) {
            unsigned version;
            char end;
            if (sscanf(text, "rehearse schedule %u%c", &version, &end) != 1) {
                snprintf(error, error_size, "line %u: a schedule begins with `rehearse schedule %d`", number,
                         RH__SCHEDULE_VERSION);
                rh__schedule_release(s);
                return false;
            }
            if (version != RH__SCHEDULE_VERSION) {
                snprintf(error, error_size, "line %u: version %u of the schedule format is not known, only version %d",
                         number, version, RH__SCHEDULE_VERSION);
                rh__schedule_release(s);
                return false;
            }
            head = true;
        } else if (!take_line(s, text, number, error, error_size)) {
            rh__schedule_release(s);
            return false;
        }
    }
    if (!head) {
        snprintf(error, error_size, "it is empty");
        rh__schedule_release(s);
    }
    return head;
}

bool rh__schedule_read(struct rh__schedule *s, const char *path, char *error, size_t error_size)
{
    enum { LARGEST = 64 << 20 };
    FILE *f = fopen(path, "rb");
    char why[256];
    if (!f) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    size_t size = 0, room = 0;
    char *bytes = NULL;
    for (size_t got = 1; got && size < LARGEST; size += got) {
        if (size == room) {
            char *more = rh__realloc(bytes, room = room ? room * 2 : 4096);
            if (!more)
                break;
            bytes = more;
        }
        got = fread(bytes + size, 1, room - size, f);
    }
    bool complete = feof(f) && !ferror(f);
    fclose(f);
    bool good = complete && rh__schedule_parse(s, bytes, size, why, sizeof why);
    if (!good)
        snprintf(error, error_size, "%s: %s", path, complete ? why : "it cannot be read whole");
    rh__free(bytes);
    return good;
}

void rh__schedule_release(struct rh__schedule *s)
{
    rh__free(s->bytes);
    rh__free(s->settings);
    rh__free(s->lines);
    *s = (struct rh__schedule){ 0 };
}
