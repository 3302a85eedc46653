/* The reporter `text` (reporter.h): the lines of the terminal, in a buffer.  For programs that embed the tool. */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "findings/minimise.h"
#include "report/reporter.h"

/* The program's own lines, made visible. */
static void add_lines(struct rh__text *to, const char *text)
{
    while (*text) {
        char line[1024];
        size_t n = strcspn(text, "\n");
        while (n) { /* in pieces that do not end within a character */
            size_t piece = n < sizeof line ? n : sizeof line - 1;
            while (piece < n && piece > 1 && ((unsigned char)text[piece] & 0xc0) == 0x80)
                piece--;
            memcpy(line, text, piece);
            line[piece] = 0;
            rh__text_add_visible(to, line);
            text += piece;
            n -= piece;
        }
        if (*text == '\n')
            rh__text_put(to, text++, 1);
    }
}

static void add_finding(const struct rh_exploration *x, const struct rh__finding *f, struct rh__text *to)
{
    char minimised[256];
    rh__text_add(to, "%s: ", rh_outcome_name(f->outcome.kind));
    add_lines(to, f->actor);
    rh__text_add(to, "%s", *f->actor ? ": " : "");
    add_lines(to, f->outcome.text);
    if (*f->outcome.place) {
        rh__text_add(to, "  (");
        add_lines(to, f->outcome.place);
        rh__text_add(to, ")");
    }
    rh__text_add(to, "\nfound in run %llu of %llu, in %llu of them", (unsigned long long)f->run,
                 (unsigned long long)x->results->count.runs, (unsigned long long)f->count);
    rh__minimised_text(f, minimised, sizeof minimised);
    rh__text_add(to, "%s%s\n", *minimised ? "; " : "", minimised);
    add_lines(to, f->story);
    rh__text_add(to, "its schedule:\n%s", f->schedule);
}

/* The state is a pointer to the text. */
static bool text_open(void *state, const struct rh__report_setup *setup, char *error, size_t error_size)
{
    (void)error, (void)error_size;
    *(struct rh__text **)state = setup->text;
    return true;
}

static void text_result(void *state, const struct rh__result *r)
{
    struct rh__text *to = *(struct rh__text **)state;
    char line[8192], why[256];
    struct rh__text t;
    rh__text_init(&t, line, sizeof line);
    rh__result_headline(r, to);
    rh__text_add(to, "\n");
    rh__result_counts(r, to);
    rh__text_add(to, "\nunder ");
    rh__result_semantics(r, to);
    rh__result_sentence(r, &t);
    rh__text_add(to, "%s%s\n", *line ? "\n" : "", line);
    if (rh__result_unmet(r, why, sizeof why))
        rh__text_add(to, "required: %s\n", why);
    rh__text_clear(&t);
    rh__result_next(r, &t);
    if (*line)
        rh__text_add(to, "next: %s\n", line);
    struct rh__failure f;
    for (uint32_t i = r->x->results->finding_count; rh__result_failure(r, i, &f); i++) {
        rh__text_add(to, "%s: ", f.kind);
        add_lines(to, f.message);
        if (*f.place) {
            rh__text_add(to, "  (");
            add_lines(to, f.place);
            rh__text_add(to, ")");
        }
        rh__text_add(to, "\n");
    }
    if (r->determinism.kind == RH_OUTCOME_FINISHED && *r->determinism.text)
        rh__text_add(to, "note: %s\n", r->determinism.text);
    rh__text_clear(&t);
    rh__result_reached(r, &t);
    if (*line)
        rh__text_add(to, "reached: %s\n", line);
    rh__text_clear(&t);
    rh__result_gaps(r, &t);
    if (*line)
        rh__text_add(to, "never reached: %s\n", line);
    rh__text_clear(&t);
    rh__result_globals(r, &t);
    if (*line)
        rh__text_add(to, "note: %s\n", line);
    rh__text_clear(&t);
    rh__result_unasked(r, &t);
    if (*line)
        rh__text_add(to, "note: %s\n", line);
    rh__text_clear(&t);
    rh__result_untold(r, &t);
    if (*line)
        rh__text_add(to, "note: %s\n", line);
    rh__text_clear(&t);
    rh__result_unjudged(r, &t);
    if (*line)
        rh__text_add(to, "note: %s\n", line);
    for (uint32_t i = 0; i < r->x->results->finding_count; i++)
        add_finding(r->x, &r->x->results->findings[i], to);
}

static bool text_close(void *state, const struct rh__report_end *end, char *error, size_t error_size)
{
    (void)state, (void)end, (void)error, (void)error_size;
    return true;
}

const struct rh__reporter rh__reporter_text = {
    .name = "text",
    .state_size = sizeof(struct rh__text *),
    .open = text_open,
    .result = text_result,
    .close = text_close,
};
