/* References that travel in every way that rehearse.h offers; tests/target/graph.sh compares what runs show with the
 * graph.  Each way ends at an actor type of its own that gets `hello`, so that a way that is lost loses an edge. */
#include <rehearse/test.h>
#include <stdlib.h>
#include <string.h>

RH_MESSAGE(hello);
RH_MESSAGE(go, rh_ref one; rh_ref two[3]; int which;);
RH_MESSAGE(other, rh_ref who;);
RH_MESSAGE(question);
RH_MESSAGE(answer, rh_ref who;);
RH_MESSAGE(total, rh_ref who;);
RH_TABLE(places);

/* One actor type for each way. */
#define SINK(name)                                                                                                     \
    RH_ACTOR(name);                                                                                                    \
    RH_HANDLER(name, hello)                                                                                            \
    {                                                                                                                  \
    }                                                                                                                  \
    RH_BEHAVIOUR(name, open, hello)
SINK(by_field);
SINK(by_array);
SINK(by_as);
SINK(by_set);
SINK(not_by_as);
SINK(by_table);
SINK(by_name);
SINK(by_tail);
SINK(by_result);
SINK(by_pointer);
SINK(by_sort);
SINK(by_store);
SINK(by_later);
SINK(by_become);

/* ---- state, arrays, function pointers, heap ---------------------------------------------------------------------- */
RH_ACTOR(holder, rh_ref kept[4]; int used;);
static void say_hello(rh_ref to)
{
    rh_send(to, hello);
}
static void (*const ways[])(rh_ref) = { say_hello };
static int by_id(const void *a, const void *b)
{
    const rh_ref *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}
RH_HANDLER(holder, go)
{
    rh_send(msg->one, hello);
    for (int i = 0; i < 3; i++)
        if (!rh_is_nobody(msg->two[i]))
            state->kept[state->used++] = msg->two[i];
    qsort(state->kept, (size_t)state->used, sizeof state->kept[0], by_id);
    struct box {
        struct box *next;
        rh_ref who;
    } *list = NULL;
    for (int i = 0; i < state->used; i++) {
        struct box *b = malloc(sizeof *b);
        *b = (struct box){ list, state->kept[i] };
        list = b;
    }
    for (; list; list = list->next)
        ways[msg->which](list->who);
}
RH_BEHAVIOUR(holder, open, go);

/* ---- a process that tells messages apart by rh_as, and keeps only some ------------------------------------------- */
RH_PROCESS(sorter);
RH_BODY(sorter)
{
    rh_ref keep = rh_nobody();
    for (int i = 0; i < 2; i++) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(other, answer));
        const struct other *o = rh_as(e, other);
        if (o)
            keep = o->who;
    }
    rh_send(keep, hello);
}

/* ---- a set of messages ------------------------------------------------------------------------------------------- */
RH_PROCESS(gatherer);
RH_BODY(gatherer)
{
    const struct rh_envelope *set = rh_receive_set(2, other);
    for (int i = 0; i < 2; i++)
        rh_send(rh_as(&set[i], other)->who, hello);
}

/* ---- requests that are kept, forwarded, answered later; results; tails ------------------------------------------- */
RH_ACTOR(desk, struct rh_request later; rh_ref gives; rh_ref office;);
RH_HANDLER(desk, question)
{
    state->later = rh_keep_request();
    rh_timer("later", 1, other, .who = state->gives);
}
RH_HANDLER(desk, other)
{
    rh_reply_to(state->later, answer, .who = msg->who);
    rh_become(desk, closed);
    rh_send(self, hello);
}
RH_HANDLER(desk, hello)
{
    rh_send(state->office, hello);
}
RH_BEHAVIOUR(desk, open, question, other, RH_IGNORE(hello));
RH_BEHAVIOUR(desk, closed, hello, RH_IGNORE(other), RH_IGNORE(question));

RH_ACTOR(porter, rh_ref desk;);
RH_HANDLER(porter, question)
{
    rh_forward(state->desk);
}
RH_BEHAVIOUR(porter, open, question);

RH_PROCESS(worker, rh_ref result;);
RH_BODY(worker)
{
    rh_return(total, .who = state->result);
}

RH_ACTOR(reader);
RH_HANDLER(reader, go)
{
    size_t size;
    rh_ref who;
    const void *bytes = rh_tail(&size);
    if (size == sizeof who) {
        memcpy(&who, bytes, size);
        rh_send(who, hello);
    }
}
RH_BEHAVIOUR(reader, open, go);

RH_ACTOR(archivist, rh_ref who;);
RH_HANDLER(archivist, go)
{
    rh_ref back;
    rh_store_open("archive");
    rh_store_put("who", &state->who, sizeof state->who);
    rh_store_sync();
    if (rh_store_get("who", &back, sizeof back) > 0)
        rh_send(back, hello);
}
RH_BEHAVIOUR(archivist, open, go);

RH_TEST(all_ways)
{
    rh_ref h = rh_spawn(holder), s = rh_spawn(sorter), found;
    rh_send(h, go, .one = rh_spawn(by_field), .two = { rh_spawn(by_array), rh_spawn(by_pointer), rh_spawn(by_sort) });
    rh_send(s, other, .who = rh_spawn(by_as));
    rh_send(s, answer, .who = rh_spawn(not_by_as));
    rh_ref g = rh_spawn(gatherer);
    for (int i = 0; i < 2; i++)
        rh_send(g, other, .who = rh_spawn(by_set));

    found = rh_spawn(by_table);
    rh_table_put(places, "a", &found, sizeof found);
    rh_ref got;
    if (rh_table_get(places, "a", &got, sizeof got) > 0)
        rh_send(got, hello);
    rh_register("some name", rh_spawn(by_name));
    rh_send_to_name("some name", hello);
    rh_send(rh_whereis("some name"), hello);

    rh_ref t = rh_spawn(by_tail);
    rh_send_with(rh_spawn(reader), &t, sizeof t, go);
    rh_send(rh_spawn(archivist, .who = rh_spawn(by_store)), go);

    rh_ref d = rh_spawn(desk, .gives = rh_spawn(by_later), .office = rh_spawn(by_become));
    const struct answer *a = rh_ask(rh_spawn(porter, .desk = d), question, answer);
    rh_send(a->who, hello);

    rh_ref w = rh_spawn_monitor(worker, .result = rh_spawn(by_result));
    const struct rh_down *down = rh_join(w);
    const struct total *sum = rh_result(down, total);
    rh_send(sum->who, hello);
}
RH_MAIN()
