/* Files of stores that are not as they were written: every bit flipped, every length, every kind of nonsense.  What was
 * acknowledged is there, or it is told that it is not. */
#include "runtime/store_support.h"

#include "base/hash.h"
#include "base/random.h"
#include "fuzz/check.h"
#include "runtime/journal.h"
#include "support/few.h"

/* The runtime starts anew for each bit and each length: in the dev build for all of them, elsewhere for one bit of each
 * second byte and each seventh length. */
enum { BITS = MANY_OR_FEW(1, 17), LENGTHS = MANY_OR_FEW(1, 7) };

/* ---- bits -------------------------------------------------------------------------------------------------------- */

struct verdicts {
    int told, harmless, lost;
};

/* After a change to the files: were all entries of both accounts there, or was it told? */
static void judge(struct verdicts *v, uint64_t number)
{
    int before = shared->told;
    bool started = run_auditors(2), whole = started && !shared->wrong;
    for (int i = 0; i < 2; i++)
        whole = whole && shared->found[i] != UINT64_MAX && shared->found[i] >= number;
    if (whole)
        v->harmless++;
    else if (!started || shared->told > before)
        v->told++;
    else
        v->lost++;
}

/* Flips each bit of the file, one at a time; the folder is as it was afterwards. */
static struct verdicts flip_all(const char *name, uint64_t number)
{
    struct verdicts v = { 0, 0, 0 };
    size_t size, other_size;
    const char *other_name = strcmp(name, "journal") ? "journal" : "journal.mark";
    char *bytes = read_file(name, &size), *other = read_file(other_name, &other_size);
    int old = quiet_begin();
    for (size_t bit = 0; bit < size * 8; bit += BITS) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_file(name, bytes, size);
        write_file(other_name, other, other_size);
        judge(&v, number);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    write_file(name, bytes, size);
    write_file(other_name, other, other_size);
    quiet_end(old);
    free(bytes);
    free(other);
    return v;
}

static void expect_flips_told(uint64_t number)
{
    struct verdicts journal = flip_all("journal", number), mark = flip_all("journal.mark", number);
    print_message("journal: %d flips told, %d harmless, %d lost; mark: %d, %d, %d\n", journal.told, journal.harmless,
                  journal.lost, mark.told, mark.harmless, mark.lost);
    assert_int_equal(journal.lost + mark.lost, 0);
    assert_int_equal(journal.harmless, 0); /* no byte of it is of no use */
    assert_int_equal(mark.told, 0);
}

RH_PROCESS(few, uint32_t which;);
RH_BODY(few)
{
    struct account a = { .which = state->which };
    account_open(state->which);
    account_put(&a);
    account_put(&a);
    rh_store_sync();
    shared->acknowledged[state->which] = 2;
}

static void put_few(void)
{
    struct rh_runtime_options options = { .threads = 1, .store_folder = folder };
    if (!rh_runtime_start(&options))
        _exit(1);
    rh_spawn(few, .which = 0);
    rh_spawn(few, .which = 1);
    rh_runtime_wait();
}

static void each_flipped_bit_of_a_closed_store_is_told_or_harmless(void **unused)
{
    (void)unused;
    put_few();
    rh_runtime_stop();
    expect_flips_told(2);
}

static void the_same_where_the_process_was_killed(void **unused)
{
    int status;
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        put_few();
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && shared->acknowledged[0] == 2 && shared->acknowledged[1] == 2);
    expect_flips_told(2);
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

static void a_journal_that_was_cut_is_told(void **unused)
{
    struct verdicts v = { 0, 0, 0 };
    size_t size, mark_size;
    int cuts = 0;
    (void)unused;
    put_few();
    rh_runtime_stop();
    char *bytes = read_file("journal", &size), *mark = read_file("journal.mark", &mark_size);
    int old = quiet_begin();
    for (size_t cut = 0; cut < size; cut += LENGTHS, cuts++) {
        write_file("journal", bytes, cut);
        write_file("journal.mark", mark, mark_size);
        judge(&v, 2);
    }
    quiet_end(old);
    assert_int_equal(v.told, cuts);
    free(bytes);
    free(mark);
}

/* Without the mark nobody knows what was acknowledged: neither a whole journal nor a shorter one is taken for all of
 * it. */
static void a_mark_that_is_gone_is_told(void **unused)
{
    struct verdicts v = { 0, 0, 0 };
    size_t size;
    int cuts = 0;
    char path[400];
    (void)unused;
    put_few();
    rh_runtime_stop();
    char *bytes = read_file("journal", &size);
    path_of(path, sizeof path, "journal.mark");
    int old = quiet_begin();
    for (size_t cut = 0; cut <= size; cut += LENGTHS, cuts++) {
        write_file("journal", bytes, cut);
        assert_int_equal(unlink(path), 0);
        judge(&v, 2);
        assert_false(run_auditors(2)); /* nor is it the second time */
        write_file("journal.mark", "half of it", 10);
        assert_false(run_auditors(2));
    }
    quiet_end(old);
    assert_int_equal(v.told, cuts);
    free(bytes);
}

/* A damaged mark is made anew where the journal ends with a whole record, and only there. */
static void a_damaged_mark_and_a_journal_with_a_torn_end_are_told(void **unused)
{
    static const char nonsense[32] = "no mark";
    size_t size, mark_size;
    (void)unused;
    put_few();
    rh_runtime_stop();
    char *bytes = read_file("journal", &size), *mark = read_file("journal.mark", &mark_size);
    assert_int_equal(mark_size, sizeof nonsense);
    int old = quiet_begin();
    write_file("journal.mark", nonsense, sizeof nonsense);
    write_file("journal", bytes, size - 1);
    bool torn = run_auditors(2);
    write_file("journal.mark", nonsense, sizeof nonsense);
    write_file("journal", bytes, size);
    bool whole = run_auditors(2);
    quiet_end(old);
    assert_false(torn);
    assert_true(whole);
    free(bytes);
    free(mark);
}

/* What a crash in the middle of a write leaves was never acknowledged. */
static void what_stands_behind_the_last_acknowledged_record_is_cut_off(void **unused)
{
    struct verdicts v = { 0, 0, 0 };
    size_t size, mark_size, after;
    uint64_t random = 5;
    (void)unused;
    put_few();
    rh_runtime_stop();
    char *bytes = read_file("journal", &size), *mark = read_file("journal.mark", &mark_size);
    char *longer = malloc(size + 300);
    memcpy(longer, bytes, size);
    int old = quiet_begin();
    int tails = 0;
    for (size_t more = 1; more < 300; more += LENGTHS, tails++) {
        for (size_t i = 0; i < more; i++)
            longer[size + i] = more % 3 ? (char)rh__random_next(&random) : 0;
        if (more % 3 == 1) /* the beginning of a record that stood there before */
            memcpy(longer + size, bytes + RH__JOURNAL_HEAD, more < size - RH__JOURNAL_HEAD ? more : 1);
        write_file("journal", longer, size + more);
        write_file("journal.mark", mark, mark_size);
        judge(&v, 2);
        free(read_file("journal", &after));
        assert_int_equal(after, size);
    }
    quiet_end(old);
    assert_int_equal(v.harmless, tails);
    free(bytes);
    free(longer);
    free(mark);
}

/* ---- one damaged store among others ------------------------------------------------------------------------------ */

RH_MESSAGE(begin);
RH_PROCESS(patient, uint32_t which;);
RH_BODY(patient)
{
    rh_receive(begin); /* until it is monitored */
    account_open(state->which);
}

static _Atomic(int) reasons[2];
RH_ACTOR(boss, rh_ref accounts[2];);
RH_HANDLER(boss, rh_start)
{
    for (uint32_t i = 0; i < 2; i++) {
        state->accounts[i] = rh_spawn(patient, .which = i);
        rh_monitor(state->accounts[i]);
        rh_send(state->accounts[i], begin);
    }
}
RH_HANDLER(boss, rh_down)
{
    int which = rh_same(msg->who, state->accounts[1]);
    reasons[which] = strcmp(msg->reason, "damaged") == 0 ? 2 : strcmp(msg->reason, "normal") == 0 ? 1 : 3;
    if (reasons[!which])
        rh_stop();
}
RH_BEHAVIOUR(boss, open, rh_start, rh_down);

static void damage_of_one_store_leaves_the_others_alone(void **unused)
{
    size_t size;
    (void)unused;
    put_few();
    rh_runtime_stop();
    char *bytes = read_file("journal", &size);
    bytes[size - 1] ^= 1; /* in the last value */
    write_file("journal", bytes, size);
    reasons[0] = reasons[1] = 0;
    START(.store_folder = folder);
    rh_spawn(boss);
    finish();
    expect_told(1, "store", "is damaged");
    assert_int_equal(reasons[0] + reasons[1], 3); /* one is damaged, the other is not */
    free(bytes);
}

/* ---- nonsense ---------------------------------------------------------------------------------------------------- */

struct reading {
    const char *bytes;
    size_t size;
    uint64_t sum;
    uint32_t records;
};

static bool take(void *arg, const struct rh__record *r)
{
    struct reading *x = arg;
    CHECK(r->key >= x->bytes && r->key + r->key_size + r->value_size <= x->bytes + x->size);
    x->sum += rh__hash(r->key, (size_t)r->key_size + r->value_size, r->kind);
    x->records++;
    return r->kind < 100;
}
static bool take_damage(void *arg, uint32_t store)
{
    ((struct reading *)arg)->records++;
    return store < 100;
}

/* A journal with right checksums of records that make more or less sense. */
static size_t make_journal(char *to, size_t room, uint64_t *random, uint64_t salt)
{
    char body[600];
    size_t at = RH__JOURNAL_HEAD;
    for (uint32_t n = rh__random_below(random, 12); n; n--) {
        struct rh__record r = { rh__random_below(random, 5), rh__random_below(random, 3), rh__random_below(random, 40),
                                rh__random_below(random, 8) ? rh__random_below(random, 500) : 0, body };
        if (rh__random_below(random, 20) == 0)
            r.kind = (uint32_t)rh__random_next(random);
        if (rh__random_below(random, 3))
            r.value_size = r.kind == RH__RECORD_PUT ? r.value_size : 0;
        for (size_t i = 0; i < sizeof body; i++)
            body[i] = (char)('a' + rh__random_below(random, 3));
        if (at + rh__record_size(&r) <= room)
            at += rh__record_write(to + at, salt, at, &r);
    }
    rh__journal_head(to, salt,
                     rh__random_below(random, 3) ? RH__JOURNAL_HEAD : rh__random_below(random, (uint32_t)at + 9));
    return at;
}

static size_t spoil(char *bytes, size_t size, size_t room, uint64_t *random)
{
    for (uint32_t n = rh__random_below(random, 4); n && size; n--)
        switch (rh__random_below(random, 3)) {
        case 0:
            bytes[rh__random_below(random, (uint32_t)size)] ^= (char)(1 << rh__random_below(random, 8));
            break;
        case 1:
            size = rh__random_below(random, (uint32_t)size + 1);
            break;
        default:
            for (uint32_t more = rh__random_below(random, 60); more && size < room; more--)
                bytes[size++] = (char)rh__random_next(random);
        }
    return size;
}

static void any_bytes_are_read_or_refused(void **unused)
{
    enum { TIMES = MANY_OR_FEW(40000, 4000), ROOM = 8000 };
    int counts[3] = { 0, 0, 0 };
    uint64_t random = 11;
    (void)unused;
    for (int i = 0; i < TIMES; i++) {
        uint64_t salt = rh__random_next(&random);
        char *whole = malloc(ROOM);
        size_t size = spoil(whole, make_journal(whole, ROOM, &random, salt), ROOM, &random), good = 0;
        char *bytes = malloc(size ? size : 1); /* of just that size, for the sanitizer */
        memcpy(bytes, whole, size);
        struct reading x = { .bytes = bytes, .size = size };
        struct rh__journal_reader reader = { take, take_damage, &x };
        uint64_t acknowledged = rh__random_below(&random, (uint32_t)size + 50);
        enum rh__journal_state state =
            rh__journal_read(bytes, size, rh__random_below(&random, 2) ? salt : 0, acknowledged, &reader, &good);
        counts[state]++;
        if (state == RH__JOURNAL_GOOD)
            assert_in_range(good, RH__JOURNAL_HEAD, size);
        free(bytes);
        free(whole);
    }
    print_message("%d journals: %d read, %d foreign, %d damaged\n", TIMES, counts[0], counts[1], counts[2]);
    for (int i = 0; i < 3; i++)
        assert_in_range(counts[i], TIMES / 100, TIMES);
}

/* The whole runtime over such files: it starts, or refuses with a sentence. */
static void a_runtime_starts_or_refuses(void **unused)
{
    enum { TIMES = MANY_OR_FEW(400, 60), ROOM = 8000 };
    static char bytes[ROOM];
    int started = 0;
    uint64_t random = 12;
    (void)unused;
    int old = quiet_begin();
    for (int i = 0; i < TIMES; i++) {
        empty_folder();
        write_file("journal.mark", "a damaged mark, which is made anew", 32);
        size_t size = make_journal(bytes, ROOM, &random, 77);
        write_file("journal", bytes, rh__random_below(&random, 3) ? size : spoil(bytes, size, ROOM, &random));
        started += run_auditors(2);
    }
    quiet_end(old);
    print_message("%d of %d started\n", started, TIMES);
    assert_in_range(started, TIMES / 60, TIMES - 10); /* most of these journals are damaged */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_flipped_bit_of_a_closed_store_is_told_or_harmless),
        TEST(the_same_where_the_process_was_killed),
        TEST(a_journal_that_was_cut_is_told),
        TEST(a_mark_that_is_gone_is_told),
        TEST(a_damaged_mark_and_a_journal_with_a_torn_end_are_told),
        TEST(what_stands_behind_the_last_acknowledged_record_is_cut_off),
        TEST(damage_of_one_store_leaves_the_others_alone),
        TEST(any_bytes_are_read_or_refused),
        TEST(a_runtime_starts_or_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
