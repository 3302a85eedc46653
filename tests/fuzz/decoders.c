/* Everything that reads bytes from outside, on hostile ones: whatever they are, they are taken or refused with a sentence, and
 * nothing is read past their end.  Checksums are made right, so that what is behind them is met.
 *
 * One input is a byte that says who reads it (see the table at the end), and what he reads.  As a libFuzzer target (preset
 * fuzz) coverage leads the way; without, a mutation fuzzer that is the same every time damages the corpus.  The number of
 * inputs is the first argument.  `fuzz_decoders make FOLDER` writes what each reader takes, for a corpus: needed anew when a
 * format changes. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/random.h"
#include "cluster/checkpoint.h"
#include "cluster/mixed.h"
#include "coverage/pack.h"
#include "explore/engine.h"
#include "fuzz/check.h"
#include "runner/options.h"
#include "trace/schedule.h"

enum { LONGEST = 1 << 14, TEXT = 4096 };

static char error[1024];

/* A refusal has its sentence. */
static void check_error(void)
{
    CHECK(memchr(error, 0, sizeof error) && *error);
}

/* The bytes as a text that ends. */
static const char *text_of(const uint8_t *bytes, size_t size)
{
    static char text[LONGEST + 1];
    size = size > LONGEST ? LONGEST : size;
    memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

static void read_schedule(const uint8_t *bytes, size_t size)
{
    struct rh__schedule s;
    struct rh_semantics semantics = { .model = RH_FIFO };
    struct rh_param params[4];
    size_t count = 0;
    if (!rh__schedule_parse(&s, (const char *)bytes, size, error, sizeof error)) {
        check_error();
        return;
    }
    rh__schedule_settings(&s, &semantics, params, &count, 4, error, sizeof error);
    CHECK(count <= 4);
    rh__schedule_release(&s);
}

/* NAME=VALUE */
static void read_setting(const uint8_t *bytes, size_t size)
{
    char name[64];
    const char *text = text_of(bytes, size), *equals = strchr(text, '=');
    struct rh_semantics s = { .model = RH_FIFO };
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (!equals || length >= sizeof name)
        return;
    memcpy(name, text, length);
    name[length] = 0;
    if (!rh__semantics_set(&s, name, equals + 1, error, sizeof error))
        check_error();
}

/* Words between zeros. */
static void read_command_line(const uint8_t *bytes, size_t size)
{
    enum { MOST = 300 };
    static struct rh__options o;
    char *words[MOST];
    int count = 0;
    char *text = (char *)text_of(bytes, size);
    size_t end = size > LONGEST ? LONGEST : size;
    for (size_t at = 0; at <= end && count < MOST; at += strlen(text + at) + 1)
        words[count++] = text + at;
    if (!rh__options_parse(&o, count, words, error, sizeof error))
        check_error();
}

/* ---- with a world --------------------------------------------------------------------------------------------------------- */

static struct rh_world *world;
static struct rh_exploration *open_one(const char *explorer)
{
    static const struct rh__limits limits = { .keep_going = true };
    if (!world) {
        static const struct rh_semantics semantics = { .model = RH_FIFO, .granularity = RH_GRAIN_OBJECT };
        struct rh_world_options o = { .test = rh_test_first(), .semantics = &semantics, .quiet = true };
        world = rh_world_new(&o, error, sizeof error);
        CHECK(world);
    }
    return rh__exploration_new(world, explorer, 1, &limits, error, sizeof error);
}

/* Files are none that an explorer may read here. */
static void read_explorer(const uint8_t *bytes, size_t size)
{
    const char *text = text_of(bytes, size > 200 ? 200 : size);
    if (strstr(text, "replay"))
        return;
    struct rh_exploration *x = open_one(text);
    if (!x)
        check_error();
    rh__exploration_free(x);
}

static struct rh_exploration *kept(const char *explorer, struct rh_exploration **x)
{
    if (!*x)
        *x = open_one(explorer);
    CHECK(*x);
    return *x;
}

static void read_item(const char *explorer, struct rh_exploration **x, const uint8_t *bytes, size_t size)
{
    static unsigned char out[1 << 16];
    const struct rh_inner *e = &kept(explorer, x)->explorer;
    if (!rh_inner_unpack(e, world, bytes, size))
        return;
    rh_inner_pack(e, out, sizeof out, true);
    rh_inner_pack(e, out, sizeof out, false);
}
static void read_item_dfs(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    read_item("dfs", &x, bytes, size);
}
static void read_item_portfolio(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    read_item("portfolio:random+bound:8,dfs", &x, bytes, size);
}
static void read_item_delayed(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    read_item("delayed:10", &x, bytes, size);
}

static void read_item_optimal(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    read_item("optimal", &x, bytes, size);
}

static bool any_rest(void *arg, const void *item, size_t size)
{
    (void)arg;
    CHECK(item || !size);
    return true;
}

/* A report of a worker: each into an exploration that holds nothing. */
static void read_results(const uint8_t *bytes, size_t size)
{
    struct rh_exploration *x = open_one("dfs");
    CHECK(x);
    if (!rh__results_add(x, bytes, size, any_rest, NULL))
        CHECK(!x->runs && !x->steps && !x->failed && !x->finding_count && !x->behaviours);
    rh__exploration_free(x);
}

static void read_coverage(const uint8_t *bytes, size_t size)
{
    struct rh__coverage *c = rh__coverage_new(0, "a test\nmodel=fifo\n");
    CHECK(c);
    uint64_t before = rh__coverage_changes(c);
    if (!rh__coverage_unpack(c, bytes, size, error, sizeof error)) {
        check_error();
        CHECK(rh__coverage_changes(c) == before);
    }
    rh__coverage_free(c);
}

/* What follows the front of a checkpoint, which is made right. */
static void read_checkpoint(const uint8_t *bytes, size_t size)
{
    static const char head[] = "rehearse checkpoint 1\n";
    uint64_t front[2] = { size, rh__hash(bytes, size, 0) };
    struct rh__kept file = { .fd = memfd_create("checkpoint", MFD_CLOEXEC), .path = "checkpoint" };
    struct rh_exploration *x = open_one("dfs");
    struct rh__queue q;
    double seconds;
    CHECK(file.fd >= 0 && x && rh__queue_local(&q, x));
    CHECK(write(file.fd, head, sizeof head - 1) == sizeof head - 1 && write(file.fd, front, 16) == 16 &&
          write(file.fd, bytes, size) == (ssize_t)size);
    if (!rh__checkpoint_read(&file, "", x, &q, &seconds, error, sizeof error))
        check_error();
    q.table->free(q.state);
    rh__exploration_free(x);
    close(file.fd);
}

static const struct reader {
    const char *name;
    void (*read)(const uint8_t *bytes, size_t size);
} readers[] = {
    { "schedule", read_schedule },
    { "setting", read_setting },
    { "command line", read_command_line },
    { "explorer", read_explorer },
    { "item of dfs", read_item_dfs },
    { "item of a portfolio", read_item_portfolio },
    { "item of delayed", read_item_delayed },
    { "results", read_results },
    { "coverage", read_coverage },
    { "checkpoint", read_checkpoint },
    { "item of optimal", read_item_optimal },
};
enum { READERS = sizeof readers / sizeof *readers };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size && size - 1 <= LONGEST) {
        memset(error, 'x', sizeof error - 1);
        readers[bytes[0] % READERS].read(bytes + 1, size - 1);
    }
    return 0;
}

#ifndef RH_LIBFUZZER
/* ---- without libFuzzer -------------------------------------------------------------------------------------------------------- */

enum { MOST_SEEDS = 256 };
static struct seed {
    unsigned char bytes[TEXT];
    size_t size;
} seeds[MOST_SEEDS];
static size_t seed_count;

static void add_seed(const char *path)
{
    FILE *f = seed_count < MOST_SEEDS ? fopen(path, "rb") : NULL;
    if (!f)
        return;
    seeds[seed_count].size = fread(seeds[seed_count].bytes, 1, TEXT / 2, f);
    seed_count += seeds[seed_count].size > 0;
    fclose(f);
}

/* In the order of their names: the same every time. */
static void read_corpus(void)
{
    struct dirent **entries;
    char folder[PATH_MAX / 2], path[PATH_MAX];
    const char *source = getenv("SOURCE_DIR");
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus", source ? source : ".");
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            add_seed(path);
        free(entries[i]);
    }
    free(n < 0 ? NULL : entries);
}

static size_t damage(unsigned char *bytes, size_t size, uint64_t *random)
{
    size_t at = rh__random_below(random, (uint32_t)size);
    const struct seed *other = &seeds[rh__random_below(random, (uint32_t)seed_count)];
    switch (rh__random_below(random, 5)) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << rh__random_below(random, 8));
        return size;
    case 1:
        bytes[at] = (unsigned char)rh__random_next(random);
        return size;
    case 2: /* cut off, but not who reads it */
        return at ? at : size;
    case 3: { /* a piece of another one */
        size_t from = rh__random_below(random, (uint32_t)other->size);
        size_t length = rh__random_below(random, (uint32_t)(other->size - from) + 1);
        if (size + length > TEXT)
            return size;
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, other->bytes + from, length);
        return size + length;
    }
    default:
        memset(bytes + at, rh__random_below(random, 2) ? 0xff : 0, size - at > 8 ? 8 : size - at);
        return size;
    }
}

/* ---- a corpus ------------------------------------------------------------------------------------------------------------- */

static void put_input(const char *folder, int reader, int number, const void *bytes, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d-%d", folder, reader, number);
    FILE *f = fopen(path, "wb");
    CHECK(f && fputc(reader, f) == reader && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void put_texts(const char *folder)
{
    static const struct {
        int reader;
        const char *text;
    } texts[] = {
        { 0,
          "rehearse schedule 1\ntest a\nset model=bag\nset param.bug=x\n# 2 events\nwriter#1 takes flush from a#1 (2, "
          "copy)\na#1/b#2's timer \"t\" fires\n" },
        { 0, "rehearse schedule 1\nset granularity=operation\nset time=ordered\nset losses=1\nset "
             "seed=18446744073709551615\na#1 chooses 1 of 3\na#1 goes on\n...\nthe run ends\n" },
        { 0, "# nothing\n\n  rehearse schedule 1 # yes\r\nset param.a=\\x41\\n\\\\\\#\r\nthe network splits: a#1 "
             "b#1\r\n" },
        { 1, "model=causal" },
        { 1, "max_steps=4294967295" },
        { 1, "granularity=object" },
        { 3, "portfolio:random+bound:20,symmetry:dfs" },
        { 3, "bound:runs=3,optimal" },
        { 3, "cover:all,paper" },
        { 3, "delayed:10" },
        { 3, "dpor:space" },
    };
    static const char first[] = "--explorer\0dfs\0-j\0"
                                "2\0--max-seconds=1.5\0name";
    static const char second[] = "-p\0n=3\0--set\0max_steps=7\0--coverage\0pr,pcr\0--keep-going";
    static const char third[] = "--model\0all\0--seed\0"
                                "1\0--json\0-\0--checkpoint\0c\0--resume";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_input(folder, texts[i].reader, (int)i, texts[i].text, strlen(texts[i].text));
    put_input(folder, 2, 0, first, sizeof first - 1); /* the zeros are between the words */
    put_input(folder, 2, 1, second, sizeof second - 1);
    put_input(folder, 2, 2, third, sizeof third - 1);
}

static void put_items(const char *folder)
{
    static const char *const explorers[] = { "dfs", "portfolio:random+bound:8,dfs", "delayed:10", "optimal" };
    static const int who[] = { 4, 5, 6, 10 };
    static unsigned char out[1 << 16];
    for (int i = 0; i < 4; i++) {
        struct rh_exploration *x = open_one(explorers[i]);
        CHECK(x);
        x->limits.max_runs = 7;
        CHECK(rh__explore(x));
        put_input(folder, who[i], 0, out, rh_inner_pack(&x->explorer, out, sizeof out, false));
        rh__exploration_free(x);
    }
}

static void put_results(const char *folder)
{
    struct rh__told none;
    struct rh__queue q;
    struct rh__writer w = rh__writer_new(), sums = rh__writer_new();
    static const char items[] = { 3, 'a', 'b', 'c', 1, 'd' };
    struct rh_exploration *x = open_one("dfs");
    CHECK(x && rh__told_init(&none) && rh__queue_local(&q, x));
    x->limits.max_runs = 9;
    CHECK(rh__explore(x));
    for (uint32_t i = 0; i < x->finding_count; i++)
        x->findings[i].changed = true;
    rh__results_write(&w, x, &none, items, sizeof items, 2);
    put_input(folder, 7, 0, w.at, w.len);
    w.len = 0;
    rh__sums_write(&sums, x, &none);
    rh__put_text(&w, "");
    rh__put_double(&w, 1.5);
    rh__put_block(&w, sums.at, sums.len);
    CHECK(rh__queue_local_add(&q, items, sizeof items, true));
    q.table->snapshot(q.state, &w);
    put_input(folder, 9, 0, w.at, w.len);
    q.table->free(q.state);
    rh__writer_release(&w);
    rh__writer_release(&sums);
    rh__told_release(&none);
    rh__exploration_free(x);
}

static void put_coverage(const char *folder)
{
    struct rh__writer w = rh__writer_new();
    struct rh__coverage *c = rh__coverage_new(7, "a test\nmodel=fifo\n");
    CHECK(c);
    uint32_t actor = rh__coverage_know_actor(c, 100, "somebody#1"), receives[3];
    for (uint32_t i = 0; i < 3; i++)
        receives[i] = rh__coverage_know_receive(c, 1000 + i, actor, "something from somebody#2", i == 1);
    rh__coverage_achieve(c, 0, receives[0], receives[1]);
    rh__coverage_achieve(c, 1, receives[2], receives[1]);
    rh__coverage_pack(c, &w);
    put_input(folder, 8, 0, w.at, w.len);
    rh__coverage_free(c);
    rh__writer_release(&w);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "make") == 0) {
        put_texts(argv[2]);
        put_items(argv[2]);
        put_results(argv[2]);
        put_coverage(argv[2]);
        return 0;
    }
    unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : getenv("REHEARSE_LONG") ? 2000000 : 20000;
    uint64_t random = 1;
    read_corpus();
    CHECK(seed_count);
    for (size_t i = 0; i < seed_count; i++)
        LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
    for (unsigned long i = 0; i < most; i++) {
        unsigned char bytes[TEXT];
        const struct seed *s = &seeds[rh__random_below(&random, (uint32_t)seed_count)];
        size_t size = s->size;
        memcpy(bytes, s->bytes, size);
        for (uint32_t n = 1 + rh__random_below(&random, 6); n; n--)
            size = damage(bytes, size, &random);
        unsigned char *exact = malloc(size); /* a sanitizer sees a byte read past it */
        CHECK(exact);
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%zu inputs of the corpus, %lu made from them\n", seed_count, most);
    return 0;
}
#endif
