// Actors in C++, run in both worlds by cxx.sh: C++17 with fields in order, C++20 with fields by name.
#include <rehearse.h>
#include <rehearse/test.h>

#ifdef RH_CONFORMANCE_RT
#include <rehearse/runtime.h>
#else
#include <rehearse/world.h>
#endif

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#if __cplusplus >= 202002L
#define FIELD(name) .name =
#else
#define FIELD(name)
#endif

namespace
{

RH_MESSAGE(go);
RH_MESSAGE(number, int value; rh_ref by;);
RH_MESSAGE(question, int value;);
RH_MESSAGE(answer, int value;);

RH_ACTOR(adder, int sum; rh_ref to;);
RH_HANDLER(adder, question)
{
    state->sum += msg->value;
    rh_reply(answer, FIELD(value) state->sum);
    rh_become(adder, tired);
}
RH_HANDLER_AS(adder, question, sigh)
{
    rh_reply(answer, FIELD(value) 0 - msg->value);
}
RH_HANDLER(adder, go)
{
    rh_stop();
}
RH_BEHAVIOUR(adder, fresh, question, go);
RH_BEHAVIOUR(adder, tired, RH_ON(question, sigh), go);

RH_PROCESS(caller, int base; rh_ref callee;);
RH_BODY(caller)
{
    std::vector<int> got;
    got.push_back(rh_ask(state->callee, question, answer, FIELD(value) 4)->value);
    got.push_back(rh_ask(state->callee, question, answer, FIELD(value) 5)->value);
    rh_monitor(state->callee);
    rh_send(state->callee, go);
    const struct rh_envelope *m = rh_receive_any(FIELD(type) nullptr, FIELD(types) RH_TYPES(number, rh_down));
    const struct rh_down *down = rh_as(m, rh_down);
    std::string text = std::string("say ") + std::to_string(state->base) + " " + std::to_string(got[0]) + " " +
                       std::to_string(got[1]) + " " + (down ? down->reason : "?");
    rh_send_with(self, text.c_str(), text.size() + 1, number, FIELD(value) 1, FIELD(by) self);
    const struct rh_envelope *set = rh_receive_set(1, number);
    rh_turn_to(&set[0]);
    std::size_t size;
    rh_log("%s", static_cast<const char *>(rh_tail(&size)));
}

void start()
{
    rh_ref a = rh_spawn(adder, FIELD(sum) 10);
    rh_spawn(caller, FIELD(base) 7, FIELD(callee) a);
}

const char wanted[] = "caller#1: say 7 14 -5 normal";

int judge(const std::string &got)
{
    if (got == wanted)
        return 0;
    std::printf("wanted %s\ngot    %s\n", wanted, got.c_str());
    return 1;
}

} // namespace

#ifdef RH_CONFORMANCE_RT

static void on_log(const char *actor, const char *text, void *arg)
{
    *static_cast<std::string *>(arg) += std::string(actor) + ": " + text;
}

int main()
{
    std::string got;
    struct rh_runtime_options options = {};
    options.threads = 2;
    options.on_log = on_log;
    options.arg = &got;
    if (!rh_runtime_start(&options))
        return 1;
    start();
    rh_runtime_wait();
    rh_runtime_stop();
    return judge(got);
}

#else

RH_TEST(program)
{
    start();
}

int main()
{
    char error[256], name[64];
    struct rh_world_options options = {};
    options.test = rh_test_first();
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    if (!w) {
        std::puts(error);
        return 1;
    }
    rh_world_begin(w);
    std::uint32_t n;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &n)), n;)
        rh_world_step(w, &open[0]);
    std::string got;
    for (std::uint32_t i = 0; i < rh_world_log_count(w); i++) {
        struct rh_log_line line = rh_world_log_line(w, i);
        rh_world_actor_name(w, line.actor, name, sizeof name);
        got += std::string(name) + ": " + line.text;
    }
    const struct rh_outcome *o = rh_world_outcome(w);
    if (o->kind != RH_OUTCOME_FINISHED)
        got += std::string(rh_outcome_name(o->kind)) + " " + o->place + " " + o->text;
    rh_world_free(w);
    return judge(got);
}

#endif
