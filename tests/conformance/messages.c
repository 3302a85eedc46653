/* Messages: what they carry, in which order they come, who is seen as their sender. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(number, int value;);
RH_MESSAGE(
    parcel, int8_t tiny; uint64_t big; double real; char text[16]; struct { int x, y; } point; bool flag;);
RH_MESSAGE(chunk, int label;);
RH_MESSAGE(introduce, rh_ref who;);
RH_MESSAGE(question, int value;);
RH_MESSAGE(answer, int value;);

/* ---- what a message carries -------------------------------------------------------------------------------------- */
RH_ACTOR(sink, int count;);
RH_HANDLER(sink, number)
{
    say("%d", msg->value);
}
RH_HANDLER(sink, go)
{
    say("go");
}
RH_HANDLER(sink, parcel)
{
    say("%d %llx %.1f '%s' %d,%d %d", msg->tiny, (unsigned long long)msg->big, msg->real, msg->text, msg->point.x,
        msg->point.y, msg->flag);
}
RH_HANDLER(sink, chunk)
{
    size_t size = 7;
    const unsigned char *bytes = rh_tail(&size);
    unsigned long sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i] * (i + 1);
    say("%d:%zu:%s:%lu", msg->label, size, bytes ? "bytes" : "none", sum);
}
RH_BEHAVIOUR(sink, open, number, go, parcel, chunk);

PROGRAM(fields_arrive_as_sent_and_others_are_zero,
        .allowed = { "sink#1: go -5 ffffffffffffffff 0.5 'hello' 3,-4 1 0 0 0.0 '' 0,0 0 0 0 0.0 'only' 0,0 0" })
{
    rh_ref s = rh_spawn(sink);
    rh_send(s, go);
    rh_send(s, parcel, .tiny = -5, .big = UINT64_MAX, .real = 0.5, .text = "hello", .point = { 3, -4 }, .flag = true);
    rh_send(s, parcel);
    rh_send(s, parcel, .text = "only");
}

PROGRAM(bytes_behind_the_fields_arrive_whole,
        .allowed = { "sink#1: 1:3:bytes:590 2:0:none:0 3:1:bytes:255 4:15:bytes:8320 5:16:bytes:9520 6:17:bytes:10812 "
                     "7:0:none:0" })
{
    unsigned char bytes[17];
    rh_ref s = rh_spawn(sink);
    for (int i = 0; i < 17; i++)
        bytes[i] = (unsigned char)(60 + i);
    rh_send_with(s, "abc", 3, chunk, .label = 1);
    rh_send(s, chunk, .label = 2);
    rh_send_with(s, "\xff", 1, chunk, .label = 3);
    rh_send_with(s, bytes, 15, chunk, .label = 4);
    rh_send_with(s, bytes, 16, chunk, .label = 5);
    rh_send_with(s, bytes, 17, chunk, .label = 6);
    rh_send_with(s, bytes, 0, chunk, .label = 7);
}

/* 100 KB of i % 251: the sum is computed by the receiver over index and byte. */
RH_PROCESS(hauler, rh_ref to; int loads;);
RH_BODY(hauler)
{
    enum { SIZE = 100 * 1024 };
    unsigned char *bytes = malloc(SIZE);
    for (int load = 0; load < state->loads; load++) {
        for (int i = 0; i < SIZE; i++)
            bytes[i] = (unsigned char)((i + load) % 251);
        rh_send_with(state->to, bytes, SIZE, chunk, .label = load);
        memset(bytes, 0, SIZE); /* the message is a copy */
    }
    free(bytes);
}
PROGRAM(a_large_tail_arrives_whole_and_is_a_copy,
        .allowed = { "sink#1: 0:102400:bytes:655804504784 1:102400:bytes:655816588956 2:102400:bytes:655828775285" })
{
    rh_spawn(hauler, .to = rh_spawn(sink), .loads = 3);
}

RH_ACTOR(copier, rh_ref to; struct number kept;);
RH_HANDLER(copier, go)
{
    char text[8] = "before";
    rh_send_with(state->to, text, sizeof text, chunk, .label = 0);
    strcpy(text, "after");
    for (state->kept.value = 1; state->kept.value <= 2; state->kept.value++)
        rh_send(state->to, number, .value = state->kept.value);
    rh_send_with(state->to, text, sizeof text, chunk, .label = 0);
}
RH_BEHAVIOUR(copier, open, go);
PROGRAM(a_message_is_a_copy_of_what_was_given, .allowed = { "sink#1: 0:8:bytes:2226 1 2 0:8:bytes:1623" })
{
    rh_send(rh_spawn(copier, .to = rh_spawn(sink)), go);
}

RH_MESSAGE(wide, max_align_t first; char text[3]; uint64_t last;);
RH_ACTOR(measurer, max_align_t field; char odd;);
RH_HANDLER(measurer, wide)
{
    size_t size;
    uintptr_t tail = (uintptr_t)rh_tail(&size), value = (uintptr_t)msg, own = (uintptr_t)state;
    say("%d %d %d %x", (int)(value % _Alignof(max_align_t)), (int)(own % _Alignof(max_align_t)),
        (int)(tail % _Alignof(uint64_t)), (unsigned)msg->last);
}
RH_BEHAVIOUR(measurer, open, wide);
PROGRAM(fields_and_state_are_aligned, .allowed = { "measurer#1: 0 0 0 1 0 0 0 2" })
{
    rh_ref m = rh_spawn(measurer);
    rh_send_with(m, "abcdefghi", 9, wide, .last = 1);
    rh_send(m, wide, .last = 2);
}

/* ---- references -------------------------------------------------------------------------------------------------- */
RH_ACTOR(greeter);
RH_HANDLER(greeter, introduce)
{
    say("meets %s", rh_name(msg->who));
    rh_send(msg->who, go);
}
RH_BEHAVIOUR(greeter, open, introduce);

RH_ACTOR(greeted);
RH_HANDLER(greeted, go)
{
    say("%s", rh_name(rh_sender()));
    say(rh_same(self, rh_self()) && !rh_same(self, rh_sender()) && !rh_is_nobody(self) ? "itself" : "another");
}
RH_BEHAVIOUR(greeted, open, go);

/* Each call has a buffer of its own, so that one line can name several. */
RH_ACTOR(namer, rh_ref others[RH_NAMES_AT_ONCE];);
RH_HANDLER(namer, go)
{
    const char *names[RH_NAMES_AT_ONCE];
    char each[32];
    bool kept = true;
    for (int i = 0; i < RH_NAMES_AT_ONCE; i++)
        names[i] = rh_name(state->others[i]);
    for (int i = 0; i < RH_NAMES_AT_ONCE; i++) {
        snprintf(each, sizeof each, "greeted#%d", i + 1);
        kept = kept && strcmp(names[i], each) == 0;
    }
    say("%s %s%s", rh_name(state->others[0]), rh_name(state->others[1]), kept ? "" : " but names were lost");
}
RH_BEHAVIOUR(namer, open, go);
PROGRAM(names_in_one_format_are_as_many, .allowed = { "namer#1: greeted#1 greeted#2" })
{
    struct namer n;
    for (int i = 0; i < RH_NAMES_AT_ONCE; i++)
        n.others[i] = rh_spawn(greeted);
    rh_send(rh_spawn_value(namer, &n), go);
}

PROGRAM(a_reference_in_a_message_can_be_sent_to,
        .allowed = { "greeted#2: greeter#1 itself | greeter#1: meets greeted#2" })
{
    rh_spawn(greeted);
    rh_send(rh_spawn(greeter), introduce, .who = rh_spawn(greeted));
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(counter, rh_ref to; int from; int count;);
RH_HANDLER(counter, go)
{
    for (int i = 0; i < state->count; i++)
        rh_send(state->to, number, .value = state->from + i);
}
RH_BEHAVIOUR(counter, open, go);

PROGRAM(messages_of_one_pair_keep_their_order,
        .allowed = { "sink#1: 1 2 11 12", "sink#1: 1 11 2 12", "sink#1: 1 11 12 2", "sink#1: 11 12 1 2",
                     "sink#1: 11 1 12 2", "sink#1: 11 1 2 12" })
{
    rh_ref s = rh_spawn(sink);
    rh_ref a = rh_spawn(counter, .to = s, .from = 1, .count = 2);
    rh_ref b = rh_spawn(counter, .to = s, .from = 11, .count = 2);
    rh_send(a, go);
    rh_send(b, go);
}

RH_ACTOR(checker, int next;);
RH_HANDLER(checker, number)
{
    if (msg->value != state->next)
        say("%d instead of %d", msg->value, state->next);
    if (++state->next == 500)
        say("500 in order");
}
RH_BEHAVIOUR(checker, open, number);
PROGRAM(five_hundred_messages_keep_their_order, .allowed = { "checker#1: 500 in order" })
{
    rh_send(rh_spawn(counter, .to = rh_spawn(checker), .count = 500), go);
}

RH_ACTOR(relay, rh_ref to;);
RH_HANDLER(relay, number)
{
    rh_send(state->to, number, .value = msg->value);
}
RH_BEHAVIOUR(relay, open, number);
RH_ACTOR(splitter, rh_ref direct; rh_ref detour;);
RH_HANDLER(splitter, go)
{
    rh_send(state->direct, number, .value = 1);
    rh_send(state->detour, number, .value = 2);
}
RH_BEHAVIOUR(splitter, open, go);
PROGRAM(messages_by_different_ways_are_not_ordered, .allowed = { "sink#1: 1 2", "sink#1: 2 1" })
{
    rh_ref s = rh_spawn(sink);
    rh_send(rh_spawn(splitter, .direct = s, .detour = rh_spawn(relay, .to = s)), go);
}

RH_ACTOR(loner, int left;);
RH_HANDLER(loner, go)
{
    rh_send(self, number, .value = 1);
    rh_send(self, number, .value = 2);
    say("sent");
}
RH_HANDLER(loner, number)
{
    say("%d from %s", msg->value, rh_same(rh_sender(), self) ? "itself" : "another");
    if (state->left-- > 0)
        rh_send(self, number, .value = 10 * msg->value);
}
RH_BEHAVIOUR(loner, open, go, number);
PROGRAM(an_actor_sends_to_itself_in_order,
        .allowed = { "loner#1: sent 1 from itself 2 from itself 10 from itself 20 from itself" })
{
    rh_send(rh_spawn(loner, .left = 2), go);
}

/* ---- reply and forward ------------------------------------------------------------------------------------------- */
RH_ACTOR(server, int factor;);
RH_HANDLER(server, question)
{
    say("asked by %s", rh_name(rh_sender()));
    for (int i = 1; i <= state->factor; i++)
        rh_reply(answer, .value = i * msg->value);
}
RH_BEHAVIOUR(server, open, question);
RH_ACTOR(front, rh_ref to;);
RH_HANDLER(front, question)
{
    rh_forward(state->to);
}
RH_HANDLER(front, chunk)
{
    rh_forward(state->to);
}
RH_BEHAVIOUR(front, open, question, chunk);
RH_ACTOR(client, rh_ref to; int from; int count;);
RH_HANDLER(client, go)
{
    for (int i = 0; i < state->count; i++)
        rh_send(state->to, question, .value = state->from + i);
}
RH_HANDLER(client, answer)
{
    say("%d from %s", msg->value, rh_name(rh_sender()));
}
RH_BEHAVIOUR(client, open, go, answer);

PROGRAM(a_reply_goes_to_the_sender,
        .allowed = { "client#1: 7 from server#1 14 from server#1 | server#1: asked by client#1" })
{
    rh_send(rh_spawn(client, .to = rh_spawn(server, .factor = 2), .from = 7, .count = 1), go);
}

PROGRAM(a_forwarded_message_shows_its_first_sender_and_is_answered_there,
        .allowed = { "client#1: 7 from server#1 8 from server#1 | server#1: asked by client#1 asked by client#1" })
{
    rh_ref s = rh_spawn(server, .factor = 1);
    rh_ref f = rh_spawn(front, .to = rh_spawn(front, .to = s));
    rh_send(rh_spawn(client, .to = f, .from = 7, .count = 2), go);
}

PROGRAM(a_forwarded_message_keeps_its_bytes, .allowed = { "sink#1: 9:3:bytes:590" })
{
    rh_send_with(rh_spawn(front, .to = rh_spawn(sink)), "abc", 3, chunk, .label = 9);
}

MAIN()
