/* The schedule reader on hostile bytes.
 *
 * A mutation fuzzer that is the same every time: it takes schedules from a small corpus, damages them, and reads what
 * came out.  Whatever the bytes, the reader gives a schedule whose parts lie inside it or a sentence, and leaks
 * nothing.  The same check is a libFuzzer target:
 *
 *     clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address -DRH_LIBFUZZER -Iinclude -Isrc -Itests tests/fuzz/schedule.c
 *         src/trace/schedule.c src/trace/settings.c src/base/fail.c src/base/hash.c src/base/text.c -o fuzz */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "fuzz/check.h"
#include "support/few.h"
#include "trace/schedule.h"

enum { LONGEST = 4096 };

static bool inside(const struct rh__schedule *s, size_t size, const char *text)
{
    return text >= s->bytes && text <= s->bytes + size && memchr(text, 0, (size_t)(s->bytes + size + 1 - text));
}

static void check_parts(const struct rh__schedule *s, size_t size)
{
    uint32_t before = 0;
    CHECK(!s->test || inside(s, size, s->test));
    for (uint32_t i = 0; i < s->setting_count; i++)
        CHECK(inside(s, size, s->settings[i].name) && inside(s, size, s->settings[i].value) && *s->settings[i].name);
    for (uint32_t i = 0; i < s->line_count; i++) {
        CHECK(inside(s, size, s->lines[i].text) && *s->lines[i].text && s->lines[i].number > before);
        before = s->lines[i].number;
    }
}

/* Gives whether it was a schedule. */
static bool read_one(const char *bytes, size_t size)
{
    struct rh__schedule s;
    struct rh_semantics semantics = { .model = RH_FIFO };
    struct rh_param params[4];
    size_t count = 0;
    char error[128];
    long live = rh__alloc_live();
    memset(error, 'x', sizeof error);
    bool good = rh__schedule_parse(&s, bytes, size, error, sizeof error);
    if (good) {
        check_parts(&s, size);
        memset(error, 'x', sizeof error);
        if (!rh__schedule_settings(&s, &semantics, params, &count, 4, error, sizeof error))
            CHECK(memchr(error, 0, sizeof error) && *error);
        CHECK(count <= 4);
        rh__schedule_release(&s);
    } else {
        CHECK(memchr(error, 0, sizeof error) && *error);
    }
    CHECK(rh__alloc_live() == live);
    return good;
}

#ifdef RH_LIBFUZZER
/* For the writer, which is linked along and not called. */
void rh_world_actor_name(const struct rh_world *w, uint32_t actor, char *buffer, size_t size)
{
    (void)w, (void)actor;
    *buffer = size ? 0 : *buffer;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_one((const char *)bytes, size);
    return 0;
}
#else

static const char *const corpus[] = {
    "rehearse schedule 1\ntest a\nset model=bag\nset param.bug=x\n# 2 events\nwriter#1 takes flush from a#1 (2, copy)\n"
    "a#1/b#2's timer \"t\" fires\n",
    "rehearse schedule 1\nset granularity=object\nset time=ordered\nset losses=1\nset seed=18446744073709551615\n"
    "a#1 chooses 1 of 3\na#1 goes on\n...\nm from a#1 to b#1 (2) is accepted\nthe run ends\n",
    "rehearse schedule 1\r\ntest t\r\nthe network splits: a#1 b#1\r\nthe network heals\r\na#1 crashes keeping 2\r\n",
    "# nothing\n\n  rehearse schedule 1 # yes\nset param.a=\\x41\\n\\\\\\#\nset check_isolation=1\n",
};

static const char *const words[] = {
    "rehearse schedule 1\n",
    "test ",
    "set ",
    "set a=b\n",
    "param.",
    "=",
    "#",
    " #",
    "...",
    "\n",
    "\r\n",
    "\\x",
    "\\n",
    "\\",
    "model=",
    "4294967296",
    "-1",
    "99999999999999999999999",
    "seed=",
    "\t",
    "\xff\xfe",
    "takes ",
    " from ",
    "(copy",
};

static uint64_t random_state;

static size_t below(size_t n)
{
    return n ? rh__random_below(&random_state, (uint32_t)n) : 0;
}

static size_t insert(char *text, size_t size, size_t at, const char *what, size_t length)
{
    if (size + length > LONGEST)
        return size;
    memmove(text + at + length, text + at, size - at);
    memcpy(text + at, what, length);
    return size + length;
}

static size_t damage(char *text, size_t size)
{
    size_t at = below(size + 1);
    switch (below(8)) {
    case 0:
        if (size)
            text[below(size)] ^= (char)(1u << below(8));
        return size;
    case 1:
        if (size)
            text[below(size)] = (char)below(256);
        return size;
    case 2: { /* a piece is gone */
        size_t length = below(size - at + 1);
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    }
    case 3: { /* a piece stands there twice */
        char piece[256];
        size_t length = below((size - at < sizeof piece ? size - at : sizeof piece) + 1);
        memcpy(piece, text + at, length);
        return insert(text, size, below(size + 1), piece, length);
    }
    case 4: { /* of another schedule */
        const char *other = corpus[below(sizeof corpus / sizeof *corpus)];
        size_t from = below(strlen(other)), length = below(strlen(other) - from + 1);
        return insert(text, size, at, other + from, length);
    }
    case 5: /* cut off */
        return at;
    default: {
        const char *word = words[below(sizeof words / sizeof *words)];
        return insert(text, size, at, word, strlen(word));
    }
    }
}

int main(int argc, char **argv)
{
    unsigned long seeds = argc > 1                  ? strtoul(argv[1], NULL, 10)
                          : getenv("REHEARSE_LONG") ? 20000
                                                    : MANY_OR_FEW(400, 80);
    uint64_t readings = 0, good = 0;
    static char text[LONGEST];
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        random_state = rh__random_seed(seed, 0);
        for (int i = 0; i < 200; i++) {
            const char *from = corpus[below(sizeof corpus / sizeof *corpus)];
            size_t size = strlen(from);
            memcpy(text, from, size);
            for (size_t n = 1 + below(12); n; n--) {
                size = damage(text, size);
                /* A copy of just that size: a sanitizer sees a byte read past it. */
                char *exact = malloc(size ? size : 1);
                CHECK(exact);
                memcpy(exact, text, size);
                good += read_one(exact, size);
                readings++;
                free(exact);
            }
        }
    }
    printf("%llu readings, %llu of them schedules\n", (unsigned long long)readings, (unsigned long long)good);
    CHECK(good * 20 > readings && good < readings); /* or it would test one side only */
    CHECK(rh__alloc_live() == 0);
    return 0;
}
#endif
