// The benchmarks of bench/runtime_savina.c for CAF 0.17: event-based actors, work-stealing scheduler.
//
//   usage: savina_caf BENCHMARK THREADS [SCALE]
//   build: g++ -O2 -DNDEBUG -std=c++17 savina_caf.cpp -o savina_caf -lcaf_core -pthread
//
// Prints one line of runtime,benchmark,threads,messages,wall_s,cpu_s,messages per wall second,messages per CPU second.
#include <caf/all.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

using namespace caf;

using ping_atom = atom_constant<atom("ping")>;
using pong_atom = atom_constant<atom("pong")>;
using inc_atom = atom_constant<atom("inc")>;
using get_atom = atom_constant<atom("get")>;
using token_atom = atom_constant<atom("tok")>;
using go_atom = atom_constant<atom("go")>;
using done_atom = atom_constant<atom("done")>;
using meet_atom = atom_constant<atom("meet")>;
using mate_atom = atom_constant<atom("mate")>;
using stop_atom = atom_constant<atom("stop")>;

// ---- ping-pong

static behavior ponger(event_based_actor *self)
{
    return {[=](ping_atom, const actor &from, int n) { self->send(from, pong_atom::value, n); },
            [=](stop_atom) { self->quit(); }};
}

static behavior pinger(event_based_actor *self, actor to, int rounds)
{
    self->send(to, ping_atom::value, actor_cast<actor>(self), rounds);
    return {[=](pong_atom, int n) {
        if (n > 1) {
            self->send(to, ping_atom::value, actor_cast<actor>(self), n - 1);
        } else {
            self->send(to, stop_atom::value);
            self->quit();
        }
    }};
}

static long run_pingpong(actor_system &system, long scale)
{
    int rounds = (int)(1000000 * scale / 100);
    auto other = system.spawn(ponger);
    system.spawn(pinger, other, rounds);
    other = nullptr;
    system.await_all_actors_done();
    return 2L * rounds;
}

// ---- counting

struct count_state {
    long n = 0;
};

static behavior counter(stateful_actor<count_state> *self)
{
    return {[=](inc_atom) { self->state.n++; }, [=](get_atom) { return self->state.n; },
            [=](stop_atom) { self->quit(); }};
}

static behavior producer(event_based_actor *self, actor to, long n)
{
    return {[=](go_atom) {
        for (long i = 0; i < n; i++)
            self->send(to, inc_atom::value);
        self->request(to, infinite, get_atom::value).then([=](long got) {
            if (got != n)
                std::abort();
            self->send(to, stop_atom::value);
            self->quit();
        });
    }};
}

static long run_counting(actor_system &system, long scale)
{
    long n = 5000000 * scale / 100;
    auto c = system.spawn(counter);
    auto p = system.spawn(producer, c, n);
    anon_send(p, go_atom::value);
    c = nullptr;
    p = nullptr;
    system.await_all_actors_done();
    return n;
}

// ---- fork-join

static behavior labourer(stateful_actor<count_state> *self, long wanted)
{
    return {[=](inc_atom) {
        volatile double x = 37.2;
        x = x * x;
        if (++self->state.n == wanted)
            self->quit();
    }};
}

static long run_forkjoin(actor_system &system, long scale)
{
    long count = 60, rounds = 10000 * scale / 100;
    std::vector<actor> all;
    for (long i = 0; i < count; i++)
        all.push_back(system.spawn(labourer, rounds));
    auto foreman = system.spawn([all, rounds](event_based_actor *self) -> behavior {
        return {[=](go_atom) {
            for (long round = 0; round < rounds; round++)
                for (auto &a : all)
                    self->send(a, inc_atom::value);
            self->quit();
        }};
    });
    anon_send(foreman, go_atom::value);
    foreman = nullptr;
    all.clear();
    system.await_all_actors_done();
    return count * rounds;
}

// ---- ring

struct ring_state {
    actor next;
};

static behavior ring_node(stateful_actor<ring_state> *self)
{
    return {[=](go_atom, const actor &next) { self->state.next = next; },
            [=](token_atom, int n) {
                if (n > 0)
                    self->send(self->state.next, token_atom::value, n - 1);
                else
                    self->send(self->state.next, stop_atom::value);
            },
            [=](stop_atom) {
                if (self->state.next) {
                    self->send(self->state.next, stop_atom::value);
                    self->state.next = nullptr;
                }
                self->quit();
            }};
}

static long run_ring(actor_system &system, long scale)
{
    int count = 100;
    long hops = 1000000 * scale / 100;
    std::vector<actor> all;
    for (int i = 0; i < count; i++)
        all.push_back(system.spawn(ring_node));
    for (int i = 0; i < count; i++)
        anon_send(all[i], go_atom::value, all[(i + 1) % count]);
    anon_send(all[0], token_atom::value, (int)hops);
    all.clear();
    system.await_all_actors_done();
    return hops;
}

// ---- big: each sends pings to random others, one under way at a time

struct big_state {
    std::vector<actor> all;
    std::minstd_rand random;
    long left = 0;
    actor sink;
};

static behavior big_node(stateful_actor<big_state> *self, int id, long n, actor sink)
{
    self->state.random.seed(id + 1);
    self->state.left = n;
    self->state.sink = sink;
    auto next = [=] {
        auto &state = self->state;
        self->send(state.all[state.random() % state.all.size()], ping_atom::value, actor_cast<actor>(self));
    };
    return {[=](go_atom, const std::vector<actor> &all) {
                self->state.all = all;
                next();
            },
            [=](ping_atom, const actor &from) { self->send(from, pong_atom::value); },
            [=](pong_atom) {
                if (--self->state.left > 0)
                    next();
                else
                    self->send(self->state.sink, done_atom::value);
            },
            [=](stop_atom) {
                self->state.all.clear();
                self->state.sink = nullptr;
                self->quit();
            }};
}

struct sink_state {
    std::vector<actor> all;
    size_t n = 0;
};

static behavior big_sink(stateful_actor<sink_state> *self)
{
    return {[=](go_atom, const std::vector<actor> &all) { self->state.all = all; },
            [=](done_atom) {
                if (++self->state.n < self->state.all.size())
                    return;
                for (auto &a : self->state.all)
                    self->send(a, stop_atom::value);
                self->state.all.clear();
                self->quit();
            }};
}

static long run_big(actor_system &system, long scale)
{
    int count = 120;
    long n = 5000 * scale / 100;
    auto sink = system.spawn(big_sink);
    std::vector<actor> all;
    for (int i = 0; i < count; i++)
        all.push_back(system.spawn(big_node, i, n, sink));
    anon_send(sink, go_atom::value, all);
    for (auto &a : all)
        anon_send(a, go_atom::value, all);
    all.clear();
    sink = nullptr;
    system.await_all_actors_done();
    return 2L * count * n;
}

// ---- chameneos: creatures meet in pairs at one mall

struct mall_state {
    actor waiting;
    long left = 0;
    int faded = 0;
};

static behavior mall(stateful_actor<mall_state> *self, long n, int count)
{
    self->state.left = n;
    return {[=](meet_atom, const actor &who) {
        auto &state = self->state;
        if (state.left == 0) {
            self->send(who, stop_atom::value);
            if (++state.faded == count) {
                state.waiting = nullptr;
                self->quit();
            }
        } else if (!state.waiting) {
            state.waiting = who;
        } else {
            state.left--;
            self->send(state.waiting, mate_atom::value, who);
            state.waiting = nullptr;
        }
    }};
}

static behavior creature(event_based_actor *self, actor m)
{
    self->send(m, meet_atom::value, actor_cast<actor>(self));
    return {[=](mate_atom, const actor &other) {
                self->send(other, done_atom::value);
                self->send(m, meet_atom::value, actor_cast<actor>(self));
            },
            [=](done_atom) { self->send(m, meet_atom::value, actor_cast<actor>(self)); },
            [=](stop_atom) { self->quit(); }};
}

static long run_chameneos(actor_system &system, long scale)
{
    int count = 100;
    long n = 400000 * scale / 100;
    auto m = system.spawn(mall, n, count);
    for (int i = 0; i < count; i++)
        system.spawn(creature, m);
    m = nullptr;
    system.await_all_actors_done();
    return 4 * n;
}

// ---- all of them

static const struct {
    const char *name;
    long (*run)(actor_system &, long);
} benchmarks[] = {
    {"pingpong", run_pingpong}, {"counting", run_counting}, {"forkjoin", run_forkjoin},
    {"ring", run_ring},         {"big", run_big},           {"chameneos", run_chameneos},
};

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    actor_system_config config;
    config.set("scheduler.max-threads", (size_t)atoi(argv[2]));
    config.set("middleman.attach-utility-actors", false);
    actor_system system{config};
    for (auto &b : benchmarks) {
        if (std::string(argv[1]) != b.name)
            continue;
        auto begin = std::chrono::steady_clock::now();
        std::clock_t cpu_begin = std::clock();
        long messages = b.run(system, argc > 3 ? atol(argv[3]) : 100);
        double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        double cpu = (double)(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
        std::printf("caf,%s,%s,%ld,%.3f,%.3f,%.0f,%.0f\n", argv[1], argv[2], messages, wall, cpu, messages / wall,
                    messages / cpu);
        return 0;
    }
    return 2;
}
