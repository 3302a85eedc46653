/* Lines behind memory at places that depend on values, tails of messages, copies of unknown size, composed names of
 * timers, and waits in several behaviours; tests/target/search.sh wants each of them reached by the search alone. */
#include <rehearse/test.h>
#include <stdio.h>
#include <string.h>

RH_MESSAGE(put, uint32_t at; uint32_t value;);
RH_MESSAGE(look, uint32_t at;);
RH_MESSAGE(pack, uint32_t count;);
RH_MESSAGE(parcel, uint32_t from;);
RH_MESSAGE(turn);
RH_MESSAGE(question, uint32_t value;);
RH_MESSAGE(answer, uint32_t value;);
RH_MESSAGE(late, uint32_t value;);

/* ---- arrays -------------------------------------------------------------------------------------------------- */
struct box {
    uint32_t label, values[5];
};
RH_ACTOR(shelf, uint32_t places[60]; struct box boxes[9]; uint8_t copy[40]; rh_ref other;);
RH_HANDLER(shelf, put)
{
    if (msg->at >= 1000 && msg->at < 1060)
        state->places[msg->at - 1000] = msg->value;
    else if (msg->at < 45)
        state->boxes[msg->at / 5].values[msg->at % 5] = msg->value;
}
RH_HANDLER(shelf, look)
{
    if (msg->at < 60 && state->places[msg->at] == 700700u && msg->at > 50)
        rh_log("reached: a place of many");
    if (msg->at < 9 && state->boxes[msg->at].values[3] == 900900u && msg->at > 6)
        rh_log("reached: an array in an array");
}
RH_HANDLER(shelf, pack)
{
    uint32_t words[8] = { 0 };
    if (msg->count > 8)
        return;
    memcpy(words, state->places, msg->count * sizeof *words);
    if (words[5] == 51515u && !words[7] && state->places[7] == 71717u)
        rh_log("reached: a copy of unknown size");
    rh_send_with(state->other, words, msg->count * sizeof *words, parcel, .from = msg->count);
}
RH_BEHAVIOUR(shelf, standing, put, look, pack);

/* ---- tails --------------------------------------------------------------------------------------------------- */
RH_ACTOR(reader, uint32_t sum;);
RH_HANDLER(reader, parcel)
{
    size_t size;
    const uint32_t *words = rh_tail(&size);
    if (size == 12 && words[2] == 33033u)
        rh_log("reached: a tail");
    for (size_t i = 0; i < size / sizeof *words; i++)
        state->sum += words[i];
    if (state->sum == 1234567u)
        rh_log("reached: a loop over a tail");
}
RH_BEHAVIOUR(reader, reading, parcel);

/* ---- waits in two behaviours, and names of timers ------------------------------------------------------------ */
RH_ACTOR(clerk, uint32_t salt;);
RH_HANDLER(clerk, question)
{
    rh_reply(answer, .value = msg->value * 3u + 1u);
}
RH_BEHAVIOUR(clerk, working, question);
RH_ACTOR(caller, rh_ref clerk; uint32_t seen;);
RH_HANDLER(caller, put)
{
    const struct answer *a = rh_ask(state->clerk, question, answer, .value = msg->value);
    state->seen = a->value;
}
RH_HANDLER(caller, turn)
{
    rh_become(caller, second_half);
}
RH_HANDLER(caller, look)
{
    if (state->seen == 300301u && msg->at == 5u)
        rh_log("reached: it has asked in its second behaviour");
    char name[24];
    snprintf(name, sizeof name, "late %s %03u", msg->at > 1000 ? "once" : "again", 7u);
    rh_timer(name, 10, late, .value = msg->at);
}
RH_HANDLER(caller, late)
{
    if (msg->value == 808080u)
        rh_log("reached: a timer whose name is composed");
}
RH_BEHAVIOUR(caller, first_half, put, turn, late, RH_IGNORE(look));
RH_BEHAVIOUR(caller, second_half, put, look, late, RH_IGNORE(turn));

RH_TEST(places_are_open, .outside = 6)
{
    rh_ref reader = rh_spawn(reader);
    rh_ref shelf = rh_spawn(shelf, .other = reader);
    rh_ref caller = rh_spawn(caller, .clerk = rh_spawn(clerk));
    rh_open(shelf, put);
    rh_open(shelf, look);
    rh_open(shelf, pack);
    rh_open(caller, put);
    rh_open(caller, turn);
    rh_open(caller, look);
}
RH_MAIN()
