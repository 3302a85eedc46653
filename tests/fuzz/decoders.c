/* Everything that reads bytes from outside, on hostile ones: whatever they are, they are taken or refused with a
 * sentence, and nothing is read past their end.  Checksums are made right, so that what is behind them is met.
 *
 * One input is a byte that says who reads it (see the table `readers`), and what he reads.  The program makes an input
 * for each reader at its start, and checks that the reader takes it: so the fuzzers always start from bytes of today's
 * formats.  Inputs that once were a defect are in the corpus.
 *
 * As a libFuzzer target (preset fuzz) coverage leads the way, and the inputs are written to the folder MAKE_CORPUS
 * (a variable of the environment).  Without libFuzzer, a mutation fuzzer that is the same every time damages them.
 * The number of inputs is the first argument. */
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
#include "cluster/link.h"
#include "cluster/messages.h"
#include "cluster/mixed.h"
#include "coverage/pack.h"
#include "coverage/steps.h"
#include "explore/engine/engine.h"
#include "findings/story.h"
#include "fuzz/check.h"
#include "run/encode.h"
#include "run/identity.h"
#include "runner/job.h"
#include "runner/option_rows.h"
#include "runner/options.h"
#include "trace/schedule.h"

enum { LONGEST = 1 << 14, TEXT = 4096 };

static char error[1024];

/* A refusal has its sentence. */
static bool is_refused(void)
{
    CHECK(memchr(error, 0, sizeof error) && *error);
    return false;
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

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static bool read_schedule(const uint8_t *bytes, size_t size)
{
    struct rh__schedule s;
    struct rh_semantics semantics = { .model = RH_FIFO };
    struct rh_param params[4];
    size_t count = 0;
    if (!rh__schedule_parse(&s, (const char *)bytes, size, error, sizeof error))
        return is_refused();
    bool good = rh__schedule_settings(&s, &semantics, params, &count, 4, error, sizeof error);
    CHECK(count <= 4);
    rh__schedule_release(&s);
    return good || is_refused();
}

/* NAME=VALUE */
static bool read_setting(const uint8_t *bytes, size_t size)
{
    char name[64];
    const char *text = text_of(bytes, size), *equals = strchr(text, '=');
    struct rh_semantics s = { .model = RH_FIFO };
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (!equals || length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = 0;
    return rh__semantics_set(&s, name, equals + 1, error, sizeof error) || is_refused();
}

/* Words between zeros. */
static bool read_command_line(const uint8_t *bytes, size_t size)
{
    enum { MOST = 300 };
    static struct rh__options o;
    char *words[MOST];
    int count = 0;
    char *text = (char *)text_of(bytes, size);
    size_t end = size > LONGEST ? LONGEST : size;
    for (size_t at = 0; at <= end && count < MOST; at += strlen(text + at) + 1)
        words[count++] = text + at;
    return rh__options_parse(&o, RH__FOR_TEST, count, words, error, sizeof error) || is_refused();
}

/* ---- with a world ------------------------------------------------------------------------------------------------ */

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
static bool read_explorer(const uint8_t *bytes, size_t size)
{
    const char *text = text_of(bytes, size > 200 ? 200 : size);
    if (strstr(text, "replay"))
        return false;
    struct rh_exploration *x = open_one(text);
    bool good = x || is_refused();
    rh__exploration_free(x);
    return good;
}

static struct rh_exploration *kept(const char *explorer, struct rh_exploration **x)
{
    if (!*x)
        *x = open_one(explorer);
    CHECK(*x);
    return *x;
}

static bool read_item(const char *explorer, struct rh_exploration **x, const uint8_t *bytes, size_t size)
{
    static unsigned char out[1 << 16];
    const struct rh_inner *e = &kept(explorer, x)->explorer;
    if (!rh_inner_unpack(e, world, bytes, size))
        return false;
    rh_inner_pack(e, out, sizeof out, true);
    rh_inner_pack(e, out, sizeof out, false);
    return true;
}
static bool read_item_dfs(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_item("dfs", &x, bytes, size);
}
static bool read_item_portfolio(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_item("portfolio:random+bound:8,dfs", &x, bytes, size);
}
static bool read_item_delayed(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_item("delayed:10", &x, bytes, size);
}

static bool read_item_optimal(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_item("optimal", &x, bytes, size);
}

static bool read_item_dpor(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    static unsigned char out[1 << 16];
    bool good = read_item("dpor", &x, bytes, size);
    if (good && rh_inner_unpack(&x->explorer, world, bytes, size))
        while (rh_inner_claim(&x->explorer, out, sizeof out))
            continue;
    return good;
}

/* ---- searches in rounds ------------------------------------------------------------------------------------------ */

/* An item, as a worker reads it: its agent is itself. */
static bool read_round(const char *explorer, struct rh_exploration **x, const uint8_t *bytes, size_t size)
{
    struct rh_exploration *worker = kept(explorer, x);
    worker->agent = worker;
    return read_item(explorer, x, bytes, size);
}
static bool read_item_ses(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_round("delay(rtc, ses)", &x, bytes, size);
}
static bool read_item_ss(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_round("delay(rtc, ss)", &x, bytes, size);
}
static bool read_item_stateful(const uint8_t *bytes, size_t size)
{
    static struct rh_exploration *x;
    return read_round("stateful", &x, bytes, size);
}

/* A saved search, and what a worker has told: what is in them is met when the next round begins. */
static bool read_search(const char *explorer, const uint8_t *bytes, size_t size, bool told)
{
    static unsigned char out[1 << 18];
    struct rh_exploration *x = open_one(explorer);
    CHECK(x);
    const struct rh_inner *e = rh_inner_with_rounds(&x->explorer);
    const struct rh_explorer_rounds *rounds = e->explorer->share->rounds;
    if (told)
        rounds->give(e->state, out, sizeof out, true);
    bool good = told ? rounds->gather(e->state, bytes, size) : rounds->load(e->state, bytes, size);
    if (good)
        rounds->give(e->state, out, sizeof out, true);
    rh__exploration_free(x);
    return good;
}
static bool read_search_ses(const uint8_t *bytes, size_t size)
{
    return read_search("delay(rtc, ses)", bytes, size, false);
}
static bool read_search_ss(const uint8_t *bytes, size_t size)
{
    return read_search("delay(rtc, ss)", bytes, size, false);
}
static bool read_search_stateful(const uint8_t *bytes, size_t size)
{
    return read_search("stateful", bytes, size, false);
}
static bool read_told_ses(const uint8_t *bytes, size_t size)
{
    return read_search("delay(rtc, ses)", bytes, size, true);
}
static bool read_told_ss(const uint8_t *bytes, size_t size)
{
    return read_search("delay(rtc, ss)", bytes, size, true);
}

/* Each into a value that holds nothing. */
static bool read_results(const uint8_t *bytes, size_t size)
{
    struct rh__results *r = rh__results_new(100);
    CHECK(r);
    bool good = rh__results_add_encoded(r, bytes, size);
    if (!good)
        CHECK(!r->count.runs && !r->count.steps && !r->count.failed && !r->finding_count && !r->distinct.count);
    rh__results_free(r);
    return good;
}

static bool read_order(const uint8_t *bytes, size_t size)
{
    struct rh__order o;
    bool good = rh__order_decode(&o, bytes, size);
    if (good)
        CHECK(o.lease && o.seconds > 0 && o.parts <= RH__MOST_PARTS && o.size <= size);
    return good;
}

/* A report of a worker, with its results, into a queue that has leased one item. */
static bool read_report(const uint8_t *bytes, size_t size)
{
    struct rh__report r;
    struct rh__lease lease;
    struct rh__results *totals = rh__results_new(100);
    const struct rh__queue_table *t = &rh__queue_local;
    CHECK(totals);
    void *q = t->open(NULL, totals, error, sizeof error);
    CHECK(q && t->add(q, "x", 1) && t->fetch(q, &lease));
    bool good = rh__report_decode(&r, bytes, size) &&
                t->commit(q, lease.number, r.results, r.results_size, &r.rest) == RH__COMMITTED;
    if (good)
        CHECK(t->waiting(q) == r.rest.count && !t->leased(q));
    else
        CHECK(!t->waiting(q) && t->leased(q) == 1 && !totals->count.runs && !totals->finding_count);
    t->close(q);
    rh__results_free(totals);
    return good;
}

/* What a link says to a test program: some of it is the server's. */
static bool read_answer(const uint8_t *bytes, size_t size)
{
    struct rh__link_answer a = { .status = RH__LINK_OK };
    if (!rh__link_answer_decode(&a, bytes, size))
        return false;
    struct rh__writer w = rh__writer_new();
    rh__link_answer_encode(&a, &w);
    CHECK(!w.full && rh__link_answer_decode(&a, w.at, w.len) && a.size <= RH__LINK_MOST_ITEM);
    rh__writer_release(&w);
    return true;
}

static bool read_ask(const uint8_t *bytes, size_t size)
{
    struct rh__link_ask a = { .operation = RH__LINK_LOOK };
    if (!rh__link_ask_decode(&a, bytes, size))
        return false;
    struct rh__writer w = rh__writer_new();
    rh__link_ask_encode(&a, &w);
    CHECK(!w.full && rh__link_ask_decode(&a, w.at, w.len));
    rh__writer_release(&w);
    return true;
}

/* The job that an agent takes from a server. */
static bool read_job(const uint8_t *bytes, size_t size)
{
    static struct rh__read_job j;
    char why[512];
    memset(why, 'x', sizeof why);
    bool good = rh__job_read(&j, bytes, size, why, sizeof why);
    if (good)
        rh__job_release(&j);
    CHECK(good || (memchr(why, 0, sizeof why) && *why));
    return good;
}

static bool read_coverage(const uint8_t *bytes, size_t size)
{
    struct rh__coverage *c = rh__coverage_new(0, "a test\nmodel=fifo\n");
    CHECK(c);
    uint64_t before = rh__coverage_changes(c);
    bool good = rh__coverage_unpack(c, bytes, size, error, sizeof error) || is_refused();
    CHECK(good || rh__coverage_changes(c) == before);
    rh__coverage_free(c);
    return good;
}

/* What follows the front of a checkpoint, which is made right. */
static bool read_checkpoint(const uint8_t *bytes, size_t size)
{
    static const char head[] = "rehearse checkpoint 3\n";
    uint64_t front[2] = { size, rh__hash(bytes, size, 0) };
    struct rh__kept file = { .fd = memfd_create("checkpoint", MFD_CLOEXEC), .path = "checkpoint" };
    struct rh__results *totals = rh__results_new(100);
    struct rh__queue q = { &rh__queue_local, NULL };
    double seconds;
    CHECK(file.fd >= 0 && totals && (q.state = q.table->open(NULL, totals, error, sizeof error)));
    CHECK(write(file.fd, head, sizeof head - 1) == sizeof head - 1 && write(file.fd, front, 16) == 16 &&
          write(file.fd, bytes, size) == (ssize_t)size);
    bool good = rh__checkpoint_read(&file, "", NULL, &q, &seconds, error, sizeof error) || is_refused();
    q.table->close(q.state);
    rh__results_free(totals);
    close(file.fd);
    return good;
}

/* A run that is taken is read by all who read runs. */
static bool read_run(const uint8_t *bytes, size_t size)
{
    static char text[1 << 16];
    static struct rh__coverage_step list[LONGEST];
    struct rh__text t;
    struct rh__run *r = rh__run_decode(bytes, size, error, sizeof error);
    if (!r)
        return is_refused();
    rh__text_init(&t, text, sizeof text);
    rh__schedule_write(r, &t);
    rh__text_clear(&t);
    rh__story_write(r, NULL, NULL, 0, &t);
    uint64_t hash = 0;
    for (uint32_t i = 1; i < r->event_count; i++)
        hash ^= rh__event_hash(r, i);
    for (uint32_t i = 0, kept; i < r->message_count; i++) {
        const char *value = rh__run_value(r, i, &kept);
        hash ^= rh__hash(value, kept, hash);
        value = rh__run_tail(r, i, &kept);
        hash ^= rh__hash(value, kept, hash);
    }
    void *memory = calloc(1, rh__identities_size(r->event_count, r->actor_count) + 1);
    uint32_t *scratch = calloc(rh__steps_scratch(r) + 1, sizeof *scratch);
    struct rh__identities names;
    struct rh__steps steps;
    CHECK(memory && scratch);
    rh__identities_init(&names, memory, r->event_count, r->actor_count);
    rh__identities_begin(&names);
    rh__identities_follow(&names, r);
    CHECK(r->event_count <= LONGEST);
    rh__steps_of(r, &names, &steps, list, scratch);
    free(memory);
    free(scratch);
    struct rh__writer again = rh__writer_new();
    rh__run_encode(r, 64, &again);
    CHECK(!again.full);
    rh__writer_release(&again);
    rh__run_free(r);
    return true;
}

static const struct reader {
    const char *name;
    bool (*read)(const uint8_t *bytes, size_t size); /* true if it takes the bytes */
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
    { "order", read_order },
    { "report", read_report },
    { "run", read_run },
    { "item of ses", read_item_ses },
    { "item of ss", read_item_ss },
    { "item of stateful", read_item_stateful },
    { "search of ses", read_search_ses },
    { "search of ss", read_search_ss },
    { "search of stateful", read_search_stateful },
    { "told by ses", read_told_ses },
    { "told by ss", read_told_ss },
    { "answer of a link", read_answer },
    { "ask of a link", read_ask },
    { "job of a server", read_job },
    { "item of dpor", read_item_dpor },
};
enum { READERS = sizeof readers / sizeof *readers };

/* ---- inputs that are taken --------------------------------------------------------------------------------------- */

enum { MOST_SEEDS = 256 };
static struct seed {
    unsigned char bytes[TEXT];
    size_t size;
} seeds[MOST_SEEDS];
static size_t seed_count;

/* An input that its reader must take, or, if it is good but does not fit the world here, must refuse. */
static void add(int reader, int number, const void *bytes, size_t size, bool fits)
{
    struct seed *s = &seeds[seed_count++];
    CHECK(seed_count <= MOST_SEEDS && size < TEXT);
    s->bytes[0] = (unsigned char)reader;
    memcpy(s->bytes + 1, bytes, size);
    s->size = size + 1;
    memset(error, 'x', sizeof error - 1);
    if (readers[reader].read(s->bytes + 1, size) != fits) {
        error[sizeof error - 1] = 0;
        fprintf(stderr, "%s: input %d is %s: %s\n", readers[reader].name, number, fits ? "refused" : "taken", error);
        abort();
    }
}
static void add_made(int reader, int number, const void *bytes, size_t size)
{
    add(reader, number, bytes, size, true);
}

static void make_texts(void)
{
    static const struct {
        int reader;
        const char *text;
    } texts[] = {
        { 0,
          "rehearse schedule 1\ntest a\nset model=bag\nset param.bug=x\n# 2 events\nwriter#1 takes flush from a#1 (2, "
          "copy)\na#1/b#2's timer \"t\" fires\n" },
        { 0, "rehearse schedule 1\nset granularity=object\nset time=ordered\nset losses=1\nset "
             "seed=18446744073709551615\na#1 chooses 1 of 3\na#1 goes on\n...\nthe run ends\n" },
        { 0, "# nothing\n\n  rehearse schedule 1 # yes\r\nset param.a=\\x41\\n\\\\\\#\r\nthe network splits: a#1 "
             "b#1\r\n" },
        { 1, "model=causal" },
        { 1, "max_steps=4294967295" },
        { 1, "granularity=object" },
        { 3, "bound:runs=3,optimal" },
        { 3, "cover:all,paper" },
        { 3, "delayed:10" },
        { 3, "dpor:space" },
        { 3, "portfolio:bound(20,dfs)+optimal(private-globals)" },
    };
    static const char *const misfits[] = {
        "portfolio:random+bound:20,symmetry:dfs",
        "portfolio(bound(20, runs=3, symmetry(dfs)), delayed(0.5), cover(pr, paper))",
    };
    static const char first[] = "--explorer\0dfs\0-j\0"
                                "2\0--max-seconds=1.5\0name";
    static const char second[] = "-p\0n=3\0--set\0max_steps=7\0--coverage\0pr,pcr\0--keep-going";
    static const char third[] = "--model\0all\0--seed\0"
                                "1\0--json\0-\0--checkpoint\0c\0--resume";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_made(texts[i].reader, (int)i, texts[i].text, strlen(texts[i].text));
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++)
        add(3, (int)i, misfits[i], strlen(misfits[i]), false);
    add_made(2, 0, first, sizeof first - 1); /* the zeros are between the words */
    add_made(2, 1, second, sizeof second - 1);
    add_made(2, 2, third, sizeof third - 1);
}

static void make_items(void)
{
    static const char *const explorers[] = { "dfs", "portfolio:random+bound:8,dfs", "delayed:10", "optimal", "dpor" };
    static const int who[] = { 4, 5, 6, 10, 25 };
    static const uint64_t runs[] = { 7, 7, 7, 7, 2 };
    static unsigned char out[1 << 16];
    for (int i = 0; i < 5; i++) {
        struct rh_exploration *x = open_one(explorers[i]);
        CHECK(x);
        x->limits.max_runs = runs[i];
        CHECK(rh__explore(x));
        add_made(who[i], 0, out, rh_inner_pack(&x->explorer, out, sizeof out, false));
        rh__exploration_free(x);
    }
}

/* One process is agent and worker in turn, for some rounds. */
static void make_rounds(void)
{
    static const char *const explorers[] = { "delay(rtc, ses)", "delay(rtc, ss)", "stateful" };
    enum { ITEM = 14, SEARCH = 17, TOLD = 20, ROUNDS = 3 };
    static unsigned char out[1 << 18];
    for (int i = 0; i < 3; i++) {
        struct rh_exploration *keeper = open_one(explorers[i]), *worker = open_one(explorers[i]);
        CHECK(keeper && worker);
        worker->agent = keeper;
        const struct rh_inner *k = rh_inner_with_rounds(&keeper->explorer);
        const struct rh_inner *e = rh_inner_with_rounds(&worker->explorer);
        const struct rh_explorer_rounds *rounds = k->explorer->share->rounds;
        for (int n = 0; n < ROUNDS; n++) {
            size_t size = rounds->give(k->state, out, sizeof out, true);
            if (!size)
                break;
            add_made(ITEM + i, n, out, size);
            CHECK(rh_inner_unpack(&worker->explorer, world, out, size));
            worker->work.given = true; /* not the root item */
            worker->end.exhausted = worker->end.stopped = false;
            CHECK(rh__explore(worker));
            size = rounds->tell(e->state, out, sizeof out);
            if (i < 2 && size < TEXT)
                add_made(TOLD + i, n, out, size);
            CHECK(rounds->gather(k->state, out, size));
            size = rounds->save(k->state, out, sizeof out);
            if (size < TEXT)
                add_made(SEARCH + i, n, out, size);
        }
        rh__exploration_free(worker);
        rh__exploration_free(keeper);
    }
}

static void make_of_links(void)
{
    enum { ANSWER = 22, ASK = 23, JOB = 24 };
    static const char items[] = { 3, 'a', 'b', 'c', 1, 'd' };
    struct rh__writer w = rh__writer_new();
    const struct rh__link_answer answer = { .status = RH__LINK_OK,
                                            .state = { .waiting = 3, .runs = 700 },
                                            .lease = 9,
                                            .text = "why",
                                            .bytes = "item",
                                            .size = 4,
                                            .results = { items, sizeof items, 2 },
                                            .items = { items, sizeof items, 2 } };
    const struct rh__link_ask ask = { .operation = RH__LINK_COMMIT,
                                      .lease = 9,
                                      .wants = true,
                                      .runs = 700,
                                      .bytes = "results",
                                      .size = 7,
                                      .items = { items, sizeof items, 2 } };
    char head[256];
    rh__link_answer_encode(&answer, &w);
    add_made(ANSWER, 0, w.at, w.len);
    w.len = 0;
    rh__link_ask_encode(&ask, &w);
    add_made(ASK, 0, w.at, w.len);
    w.len = 0;
    snprintf(head, sizeof head, "rehearse schedule %d\ntest mixed\nset model=fifo\nset param.n=2\n",
             RH__SCHEDULE_VERSION);
    rh__put_small(&w, 1); /* as rh__job_write does */
    rh__put_text(&w, head);
    rh__put_text(&w, "bound(20, dfs)");
    rh__put64(&w, 1);
    rh__put_small(&w, 1);
    rh__put_small(&w, 0);
    add_made(JOB, 0, w.at, w.len);
    rh__writer_release(&w);
}

static void make_results(void)
{
    struct rh__queue q = { &rh__queue_local, NULL };
    struct rh__writer w = rh__writer_new();
    static const char items[] = { 3, 'a', 'b', 'c', 1, 'd' };
    const struct rh__report report = { .lease = 1, .rest = { items, sizeof items, 2 } };
    const struct rh__order order = {
        .lease = 1, .seconds = 0.02, .max_runs = 7, .parts = 3, .item = items, .size = sizeof items
    };
    struct rh_exploration *x = open_one("dfs");
    CHECK(x && (q.state = q.table->open(NULL, x->results, error, sizeof error)));
    x->limits.max_runs = 9;
    CHECK(rh__explore(x));
    rh__results_encode(x->results, NULL, &w);
    add_made(7, 0, w.at, w.len);
    CHECK(x->results->finding_count);
    add_made(13, 0, x->results->findings[0].encoded, x->results->findings[0].encoded_size);
    w.len = 0;
    rh__report_encode_front(&report, &w);
    rh__results_encode(x->results, NULL, &w);
    add_made(12, 0, w.at, w.len);
    w.len = 0;
    rh__order_encode(&order, &w);
    add_made(11, 0, w.at, w.len);
    w.len = 0;
    rh__put_text(&w, "");
    rh__put_double(&w, 1.5);
    CHECK(q.table->add(q.state, items, sizeof items));
    q.table->snapshot(q.state, &w);
    add_made(9, 0, w.at, w.len);
    q.table->close(q.state);
    rh__writer_release(&w);
    rh__exploration_free(x);
}

static void make_coverage(void)
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
    add_made(8, 0, w.at, w.len);
    rh__coverage_free(c);
    rh__writer_release(&w);
}

static void make_all(void)
{
    make_texts();
    make_items();
    make_rounds();
    make_of_links();
    make_results();
    make_coverage();
    for (int reader = 0; reader < READERS; reader++) {
        size_t i = 0;
        while (i < seed_count && seeds[i].bytes[0] != reader)
            i++;
        CHECK(i < seed_count); /* each reader has an input */
    }
}

/* ---- with libFuzzer ---------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size && size - 1 <= LONGEST) {
        memset(error, 'x', sizeof error - 1);
        readers[bytes[0] % READERS].read(bytes + 1, size - 1);
    }
    return 0;
}

#ifdef RH_LIBFUZZER
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *folder = getenv("MAKE_CORPUS");
    make_all();
    for (size_t i = 0; folder && i < seed_count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/made-%zu", folder, i);
        FILE *f = fopen(path, "wb");
        CHECK(f && fwrite(seeds[i].bytes, 1, seeds[i].size, f) == seeds[i].size && fclose(f) == 0);
    }
    return 0;
}
#else
/* ---- without libFuzzer ------------------------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 10) : getenv("REHEARSE_LONG") ? 2000000 : 20000;
    uint64_t random = 1;
    make_all();
    read_corpus();
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
    printf("%zu inputs to start from, %lu damaged ones\n", seed_count, most);
    return 0;
}
#endif
