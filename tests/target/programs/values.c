/* Lines that need certain values of a message from outside; tests/target/values.sh wants each of them reached.  `rare`
 * is true for very few values, so that drawing does not find them. */
#include <rehearse/test.h>
#include <string.h>

enum { SLOTS = 4 };
struct pair {
    int16_t left, right;
};
RH_MESSAGE(numbers, int8_t tiny; uint8_t byte; int16_t small; uint32_t word; int64_t large; bool flag;);
RH_MESSAGE(name, char text[8]; uint32_t length;);
RH_MESSAGE(packed, struct pair p; uint32_t mask : 12; uint32_t rest : 20;);
RH_MESSAGE(command, uint32_t code; int32_t value; rh_ref who;);

RH_ACTOR(machine, uint32_t total; int32_t slots[SLOTS]; uint32_t used; uint64_t key;);
RH_MESSAGE_IGNORED(told, uint32_t value;);

static bool rare(uint32_t n, uint32_t wanted)
{
    return n * 2654435761u == wanted * 2654435761u;
}

static uint32_t mixed(uint32_t a, uint32_t b)
{
    uint32_t h = 17;
    for (int i = 0; i < 3; i++)
        h = h * 31 + (i % 2 ? a : b);
    return h;
}

RH_HANDLER(machine, numbers)
{
    if (msg->tiny == -77 && msg->byte == 200)
        rh_log("reached: signed and unsigned bytes");
    if ((msg->small >> 3) == -1000 && msg->flag)
        rh_log("reached: an arithmetic shift");
    if (msg->word / 1000 == 31415 && msg->word % 1000 == 926)
        rh_log("reached: division and remainder");
    if (rare((uint32_t)(msg->large >> 32), 0xabcdef) && (int32_t)msg->large == -5)
        rh_log("reached: sixty-four bits");
    if ((msg->word ^ 0x5a5a5a5au) == (state->total + 12345u) * 3u)
        rh_log("reached: a state");
    if (mixed(msg->word, (uint32_t)msg->small) == 987654321u)
        rh_log("reached: a loop in a function");
    uint32_t sum = msg->flag ? msg->word + 1 : msg->word - 1;
    if (sum == 0x80000000u)
        rh_log("reached: a choice of two values");
}

RH_HANDLER(machine, name)
{
    char copy[8];
    memcpy(copy, msg->text, sizeof copy);
    if (copy[0] == 'q' && copy[1] == 'x' && copy[2] == 'z' && !copy[3])
        rh_log("reached: a text");
    uint32_t sum = 0;
    for (uint32_t i = 0; i < msg->length && i < sizeof copy; i++)
        sum += (unsigned char)copy[i] * (i + 1) ^ i;
    if (msg->length == 5 && sum == 3719)
        rh_log("reached: a loop over the message");
}

RH_HANDLER(machine, packed)
{
    struct pair p = msg->p;
    if (p.left - p.right == 40000 && p.left + p.right == -2)
        rh_log("reached: a struct");
    if (msg->mask == 0xabc && msg->rest == 0x12345)
        rh_log("reached: bit-fields");
}

RH_HANDLER(machine, command)
{
    switch (msg->code) {
    case 1000003:
        if (msg->value < -2000000000)
            rh_log("reached: a case");
        break;
    case 1000033:
        state->total = (uint32_t)msg->value;
        if (rare(state->total, 424242))
            rh_log("reached: through the state");
        break;
    default:
        if (msg->code > 4000000000u && rare((uint32_t)msg->value, 99) && !rh_is_nobody(msg->who)) {
            rh_send(msg->who, told, .value = 1);
            rh_log("reached: behind a send");
        }
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        if (state->slots[i] + msg->value == 777000 + (int32_t)i && rare(msg->code, 31337 + i))
            rh_log("reached: an array of the state");
}
RH_BEHAVIOUR(machine, on, numbers, name, packed, command, RH_IGNORE(told));

static bool has_a_value(const struct numbers *m)
{
    return m->word != 0 && (m->large < 0 || m->large > 1000);
}

RH_TEST(values, .outside = 1)
{
    rh_ref m = rh_spawn(machine, .total = 7, .slots = { 1, 2, 3, 4 });
    rh_open(m, numbers, .when = has_a_value);
    rh_open(m, name);
    rh_open(m, packed);
    rh_open(m, command);
}

RH_MAIN()
