/* See solve.h. */
#include "target/solve.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "target/symbolic_path.h"

enum { MOST_STATES = 64, STATES_EACH = 8, SEEDS = 3, MOST_PATHS = 512, CALLS_DEEP = 6 };

/* A moment of a run: a handler takes a message from outside. */
struct moment {
    char *schedule; /* up to and with that choice */
    uint8_t *state, *message;
    uint32_t state_size, message_size;
};

struct moments {
    struct moment at[MOST_STATES];
    uint32_t count;
};

/* ---- the code ---------------------------------------------------------------------------------------------------- */

static const struct rh__bitcode_function *function_of(const struct rh__bitcode *b, uint32_t block)
{
    for (uint32_t i = 0; i < b->function_count; i++)
        if (block - b->functions[i].first_block < b->functions[i].block_count && b->functions[i].value)
            return &b->functions[i];
    return NULL;
}

static LLVMBasicBlockRef block_of(const struct rh__bitcode *b, uint32_t block)
{
    const struct rh__bitcode_function *f = function_of(b, block);
    uint32_t number = f ? f->first_block : 0, index = 0;
    for (LLVMBasicBlockRef x = f ? LLVMGetFirstBasicBlock(f->value) : NULL; x; x = LLVMGetNextBasicBlock(x), index++)
        if (f->counted[index] && number++ == block)
            return x;
    return NULL;
}

/* The predicate that the test's body opens this message with; NULL if there is none, or several. */
static LLVMValueRef predicate_of(const struct rh__program *p, const char *test, const char *message)
{
    LLVMValueRef found = NULL;
    uint32_t openings = 0, index = rh__program_test_named(p, test);
    LLVMValueRef body = p->tests[index].body;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(body); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            if (!callee || !LLVMIsAFunction(callee) || strcmp(LLVMGetValueName(callee), "rh_open_") != 0)
                continue;
            uint32_t type = rh__program_message_of(p, rh__program_strip(LLVMGetOperand(i, 1)));
            LLVMValueRef when = rh__program_strip(LLVMGetOperand(i, 2));
            if (type == RH__NO_INDEX || strcmp(p->messages[type].name, message) != 0)
                continue;
            openings++;
            found = LLVMIsAFunction(when) ? when : NULL;
        }
    return openings == 1 ? found : NULL;
}

/* "deposit" of "rh_on_account__deposit"; NULL for other functions. */
static const char *message_of(const char *function)
{
    const char *end = strncmp(function, "rh_on_", 6) == 0 ? strstr(function, "__") : NULL;
    return end ? end + 2 : NULL;
}

/* ---- moments ----------------------------------------------------------------------------------------------------- */

static uint8_t *read_hex(const char *text, uint32_t *size)
{
    size_t n = strspn(text, "0123456789abcdef") / 2;
    uint8_t *bytes = malloc(n + 1);
    RH__ASSERT(bytes, "no memory for a state");
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        sscanf(text + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    *size = (uint32_t)n;
    return bytes;
}

static bool is_new(const struct moments *all, const struct moment *m)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].state_size == m->state_size && memcmp(all->at[i].state, m->state, m->state_size) == 0)
            return false;
    return all->count < MOST_STATES;
}

static void release(struct moment *m)
{
    free(m->schedule);
    free(m->state);
    free(m->message);
}

static void add_moment(void *arg, char *schedule, const char *state, const char *message)
{
    struct moments *all = arg;
    struct moment m = { .schedule = schedule };
    m.state = read_hex(state, &m.state_size);
    m.message = read_hex(message, &m.message_size);
    if (is_new(all, &m))
        all->at[all->count++] = m;
    else
        release(&m);
}

/* ---- one goal ---------------------------------------------------------------------------------------------------- */

/* Puts the bytes in the place of the value of the message that the last line takes: of the line `outside N sends`. */
static char *with_value(const struct moment *m, const char *message, const uint8_t *bytes)
{
    const char *last = strstr(m->schedule, " from outside "), *next;
    while (last && (next = strstr(last + 1, " from outside ")))
        last = next;
    unsigned n;
    char begins[64];
    if (!last || sscanf(last, " from outside %u", &n) != 1)
        return NULL;
    snprintf(begins, sizeof begins, "\noutside %u sends ", n);
    const char *line = strstr(m->schedule, begins);
    const char *end = line ? strchr(line + 1, '\n') : NULL, *to = NULL;
    for (const char *at = line; at && end && (at = strstr(at, " to ")) && at < end; at++)
        to = at;
    if (!to)
        return NULL;
    size_t size = strlen(m->schedule) + strlen(message) + 2 * (size_t)m->message_size + 64;
    char *text = malloc(size);
    RH__ASSERT(text, "no memory for a schedule");
    int used = snprintf(text, size, "%.*s%s%s bytes ", (int)(line - m->schedule), m->schedule, begins, message);
    for (uint32_t i = 0; i < m->message_size; i++)
        used += snprintf(text + used, size - (size_t)used, "%02x", bytes[i]);
    snprintf(text + used, size - (size_t)used, "%s", to);
    return text;
}

/* Why the goal is not reached: the first reason stays. */
__attribute__((format(printf, 2, 3))) static void explain(struct rh__goal *x, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!x->how)
        x->how = strdup(text);
}

/* Solves from one moment; true if a replay has confirmed it. */
static bool solve(struct rh__concrete *c, struct rh__goal *x, const struct rh__symbolic_question *like,
                  const struct moment *m, const char *message)
{
    struct rh__symbolic_question q = *like;
    struct rh__symbolic_answer a = { 0 };
    char error[256];
    a.message = calloc(m->message_size + 1, 1);
    RH__ASSERT(a.message, "no memory for a message");
    q.state = m->state;
    q.state_size = m->state_size;
    q.message = m->message;
    q.message_size = m->message_size;
    rh__symbolic_solve(&q, &a);
    char *text = a.found ? with_value(m, message, a.message) : NULL;
    free(a.message);
    if (!text) {
        explain(x, "%s%s",
                *a.trouble ? "a path was given up: "
                           : "no value of the last message leads there from the states "
                             "that runs have shown",
                a.trouble);
        return false;
    }
    x->schedule = text;
    x->block = x->blocks[a.block];
    if (rh__concrete_replays(c, x, error, sizeof error))
        return true;
    free(x->schedule);
    x->schedule = NULL;
    explain(x, "a solution was found, but its replay does not reach it");
    return false;
}

/* A handler, with moments at which it begins; made when they are first needed. */
struct handler {
    const struct rh__bitcode_function *function;
    struct moments moments;
    bool made;
};

/* Tries one handler for one goal. */
static bool try_handler(struct rh__concrete *c, const struct rh__goals *g, struct rh__goal *x, struct handler *h,
                        double seconds, double until)
{
    LLVMBasicBlockRef blocks[64];
    const char *message = message_of(h->function->name);
    struct rh__symbolic_question q = { .program = g->program,
                                       .handler = h->function->value,
                                       .when = predicate_of(g->program, c->test, message),
                                       .blocks = blocks,
                                       .most_paths = MOST_PATHS };
    while (q.block_count < x->block_count && q.block_count < 64) {
        blocks[q.block_count] = block_of(&g->program->bitcode, x->blocks[q.block_count]);
        q.block_count++;
    }
    for (uint64_t seed = 1; seed <= SEEDS && !h->made; seed++)
        rh__concrete_states(c, h->function->first_block, STATES_EACH, seed, seconds / SEEDS, add_moment, &h->moments);
    h->made = true;
    bool found = false;
    for (uint32_t i = 0; i < h->moments.count && !found && sym__processor_seconds() < until && !c->interrupted; i++)
        found = solve(c, x, &q, &h->moments.at[i], message);
    return found;
}

static uint32_t choices_in(const char *schedule)
{
    uint32_t n = 0;
    for (const char *line = schedule; *line; line = strchr(line, '\n') + 1)
        n += strncmp(line, "rehearse ", 9) != 0 && strncmp(line, "test ", 5) != 0 && strncmp(line, "set ", 4) != 0;
    return n;
}

bool rh__solve_possible(void)
{
    return true;
}

/* The number of open goals from this one on, at least 1: each may use its share of the time that is left. */
static uint32_t open_from(const struct rh__goals *g, uint32_t first)
{
    uint32_t n = 0;
    for (uint32_t i = first; i < g->count; i++)
        n += g->at[i].status == RH__GOAL_OPEN;
    return n ? n : 1;
}

/* The handlers of messages that may come from outside: those that some moment shows. */
static struct handler *find_handlers(const struct rh__bitcode *b, uint32_t *count)
{
    struct handler *all = calloc(b->function_count + 1, sizeof *all);
    RH__ASSERT(all, "no memory for the handlers");
    *count = 0;
    for (uint32_t i = 0; i < b->function_count; i++)
        if (b->functions[i].value && message_of(b->functions[i].name))
            all[(*count)++].function = &b->functions[i];
    return all;
}

void rh__solve_goals(struct rh__concrete *c, struct rh__goals *g, double seconds)
{
    const struct rh__bitcode *b = &g->program->bitcode;
    double until = sym__processor_seconds() + seconds;
    uint32_t count;
    struct handler *handlers = find_handlers(b, &count);
    for (uint32_t i = 0; i < g->count; i++) {
        struct rh__goal *x = &g->at[i];
        const struct rh__bitcode_function *f = x->status == RH__GOAL_OPEN ? function_of(b, x->blocks[0]) : NULL;
        double now = sym__processor_seconds(), mine = now + (until - now) / open_from(g, i);
        x->seconds -= now;
        for (uint32_t k = 0;
             f && k < count && x->status == RH__GOAL_OPEN && sym__processor_seconds() < mine && !c->interrupted; k++) {
            if (!rh__program_calls(handlers[k].function->value, f->value, CALLS_DEEP) ||
                !try_handler(c, g, x, &handlers[k], seconds / 20, mine))
                continue;
            x->choices = choices_in(x->schedule);
            rh__goals_settle(g, x, RH__GOAL_REACHED, RH__STAGE_SOLVER, "solved for the last message");
        }
        x->seconds += sym__processor_seconds();
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < handlers[i].moments.count; k++)
            release(&handlers[i].moments.at[k]);
    free(handlers);
}
