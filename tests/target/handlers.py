#!/usr/bin/env python3
"""A program with random handlers, for tests/target/handlers.sh: handlers.py SEED > program.c

Two actors send each other messages, some with tails.  Their handlers compute with integers of all widths, arrays (in
arrays, too), structures and floating point, copy as many bytes as a value says, branch, go round loops, call functions,
send, reply and change their behaviour.  No behaviour is undefined: values
are computed as unsigned numbers, divisors are odd, shifts are small, and indices are within bounds."""
import random, sys

rng = random.Random(int(sys.argv[1]))
SCALARS = ["state->x", "state->y", "state->u", "state->s", "state->c", "state->p.one", "state->p.two"]
GIVEN = ["msg->a", "msg->b", "msg->c", "msg->p.one", "msg->p.two"]
BINARY = ["+", "-", "^", "&", "|", "+", "-"]


def value(depth, names):
    kind = rng.randrange(14)
    if depth == 0 or kind < 3:
        return rng.choice(["(unsigned)" + n for n in names] + [f"{rng.randrange(40)}u"])
    if kind < 7:
        return f"({value(depth - 1, names)} {rng.choice(BINARY)} {value(depth - 1, names)})"
    if kind == 7:
        return f"({truth(depth - 1, names)} ? {value(depth - 1, names)} : {value(depth - 1, names)})"
    if kind == 8:
        return f"state->at[{value(0, names)} % 6u]"
    if kind == 9:
        return f"({value(depth - 1, names)} {rng.choice(['<<', '>>'])} {rng.randrange(1, 9)})"
    if kind == 10:
        return f"mixed({value(0, names)}, {value(0, names)})"
    if kind == 11:
        return f"state->rows[{value(0, names)} % 3u].cells[{value(0, names)} % 4u]"
    if kind == 12:
        return f"word_of_tail({value(0, names)})"
    return f"({value(0, names)} % {rng.choice([3, 5, 7])}u)"


def truth(depth, names):
    kind = rng.randrange(8)
    if kind == 0 and depth:
        return f"({truth(depth - 1, names)} {rng.choice(['&&', '||'])} {truth(depth - 1, names)})"
    if kind == 1:
        return f"({rng.choice(['state->b', 'msg->b & 1u'])})"
    cast = rng.choice(["", "(int)", "(short)"])
    return f"({cast}({value(min(depth, 1), names)}) {rng.choice(['<', '<=', '==', '!=', '>'])} {cast}({value(0, names)}))"


def assign(names):
    kind = rng.randrange(13)
    v = value(2, names)
    if kind < 4:
        target = rng.choice(SCALARS)
        return f"{target} = ({ {'state->s': 'short', 'state->c': 'signed char', 'state->u': 'unsigned'}.get(target, 'int') })({v});"
    if kind < 6:
        return f"state->at[{value(0, names)} % 6u] = {v};"
    if kind == 6:
        return "state->p = msg->p;" if rng.randrange(2) else "state->p = swapped(state->p);"
    if kind == 7:
        return f"state->b = {truth(1, names)};"
    if kind == 8:
        return rng.choice(["state->d = state->d * 0.5 + 1.25;", "state->d += (double)state->hops;", "state->d = state->d > 2.0 ? -state->d : state->d + 3.0;"])
    if kind == 9:
        return f"state->rows[{value(0, names)} % 3u].cells[{value(0, names)} % 4u] = {v};"
    if kind == 10:
        return f"memcpy(state->at, state->spare, (size_t)({value(0, names)} % 7u) * sizeof *state->at);"
    if kind == 11:
        return f"memcpy(state->spare, state->at + {rng.randrange(4)}, {rng.randrange(1, 3)} * sizeof *state->at);"
    return f"add_to(state->at, {rng.randrange(1, 6)}, {value(0, names)});"


def statement(depth, names, indent):
    pad = "    " * indent
    kind = rng.randrange(10)
    if depth == 0 or kind < 5:
        return pad + assign(names) + "\n"
    body = lambda: block(depth - 1, names, indent + 1)
    if kind < 8:
        other = f" else {{\n{body()}{pad}}}" if rng.randrange(2) else ""
        return f"{pad}if ({truth(1, names)}) {{\n{body()}{pad}}}{other}\n"
    if kind == 8:
        i = f"i{indent}"
        bound = rng.choice(["3", f"({rng.choice(names)} & 3)"])
        return f"{pad}for (int {i} = 0; {i} < {bound}; {i}++) {{\n{block(0, names + [i], indent + 1)}{pad}}}\n"
    cases = "".join(f"{pad}case {n}:\n{block(0, names, indent + 1)}{pad}    break;\n" for n in range(2))
    return f"{pad}switch ({value(0, names)} % 3u) {{\n{cases}{pad}default:\n{block(0, names, indent + 1)}{pad}}}\n"


def block(depth, names, indent):
    return "".join(statement(depth, names, indent) for _ in range(rng.randrange(1, 3)))


def send(message):
    fields = ", ".join(f".{f} = ({t})({value(1, SCALARS + GIVEN)})" for f, t in (("a", "int"), ("b", "unsigned"), ("c", "short")))
    how = rng.randrange(3)
    to = ["rh_reply(", "rh_send(state->peer, ", "rh_send(self, "][how]
    if rng.randrange(3) == 0:
        size = f"(size_t)({value(0, SCALARS + GIVEN)} % 5u) * sizeof *state->at"
        to = f"rh_send_with({rng.choice(['state->peer', 'self'])}, state->at, {size}, "
    guard = f"if ({truth(1, SCALARS + GIVEN)})\n            " if rng.randrange(2) else ""
    return f"        {guard}{to}{message}, {fields}, .p = state->p);\n"


def handler(name, message):
    names = SCALARS + GIVEN
    code = f"RH_HANDLER(worker, {message})\n{{\n    (void)self;\n"
    code += "".join(statement(2, names, 1) for _ in range(rng.randrange(2, 5)))
    code += "    if (state->hops++ < 12) {\n" + send(rng.choice(["first", "second"])) + "    }\n"
    if rng.randrange(2):
        code += f"    if ({truth(1, names)})\n        rh_become(worker, {rng.choice(['plain', 'other'])});\n"
    return code + "}\n"


fields = "int a; unsigned b; short c; struct pair p;"
print(f"""/* handlers.py {sys.argv[1]} */
#include <rehearse/test.h>
#include <string.h>

struct pair {{
    int one;
    int two;
}};
struct row {{
    short label;
    unsigned cells[4];
}};
RH_MESSAGE(first, {fields});
RH_MESSAGE(second, {fields});
RH_ACTOR(worker, rh_ref peer; int x; int y; unsigned u; short s; signed char c; bool b; struct pair p; unsigned at[6];
         unsigned spare[6]; struct row rows[3]; double d; int hops;);

static unsigned mixed(unsigned a, unsigned b)
{{
    return a > b ? a - b : a + 3 * b;
}}
static unsigned word_of_tail(unsigned i)
{{
    size_t size;
    const unsigned *words = rh_tail(&size);
    return i % 8u < size / sizeof *words ? words[i % 8u] : 7u;
}}
static struct pair swapped(struct pair p)
{{
    struct pair other = {{ .one = p.two, .two = p.one }};
    return other;
}}
static void add_to(unsigned *at, int n, unsigned by)
{{
    for (int i = 0; i < n; i++)
        if (at[i] < 1000)
            at[i] += by;
}}
{handler('worker', 'first')}{handler('worker', 'second')}RH_BEHAVIOUR(worker, plain, first, second);
RH_BEHAVIOUR(worker, other, second, first);

RH_TEST(handlers)
{{
    rh_ref a = rh_spawn(worker, .x = 1, .u = 7, .d = 0.5);
    rh_ref b = rh_spawn(worker, .peer = a, .y = -2, .at = {{ 1, 2, 3 }});
    for (int i = 0; i < 3; i++) {{
        rh_send(a, first, .a = i, .b = 5, .p = {{ 1, i }});
        rh_send(b, second, .a = -i, .c = 3, .b = (unsigned)i);
        rh_send(b, first, .b = 900);
    }}
}}
RH_MAIN()""")
