# shellcheck shell=bash disable=SC2154,SC1091,SC2016
# rehearse target as a command: failures on the way (the six bugs of the TAP paper), --null, -j, progress, JSON, HTML, and
# what is left when the solver is killed or does not end.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
examples=$BUILD_DIR/examples
outside=$BUILD_DIR/tests/target/outside-bitcode
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$outside" ] && have_python || exit 77
source=$SOURCE_DIR/tests/fixtures/outside.c
at() { echo "outside.c:$(grep -n -m 1 -- "$1" "$source" | cut -d: -f1)"; }

# ---- the six bug patterns of the paper, found while assertions are looked for --------------------------------------
six() { # PROGRAM TEST BUG WHAT...
    local program=$1 test=$2 bug=$3
    shift 3
    rm -rf made
    "$rehearse" target "$examples/savina-$program-bitcode" "$test" --assertions -p bug="$bug" --seconds 0.5 --stages concrete \
        --save made >out 2>err
    last="target $program -p bug=$bug"
    out_has 'on the way, runs failed:' "$@" 'made/failure-1.schedule'
    expect 1 "$rehearse" replay "$examples/savina-$program-bitcode" made/failure-1.schedule
}
six threadring the_token_comes_home careless 'misuse: rh_send was given the reference that names nobody' 'threadring.c:25'
six radixsort the_numbers_are_sorted unlinked 'misuse: rh_send was given the reference that names nobody' 'radixsort.c:39'
six filterbank the_signal_is_filtered unready 'crash: Segmentation fault'
six smokers one_smokes_at_a_time impatient 'unhandled message: behaviour smoking has no handler for ingredients'
six piprecision the_places_are_those_of_pi early 'unhandled message: behaviour ready has no handler for term_done'
six matmul the_product_is_right two_stops 'dead letter: stop was sent to '

# ---- --null --------------------------------------------------------------------------------------------------------
libraries=("-Wl,--push-state,--whole-archive,$BUILD_DIR/lib/librehearse-interpose.a,--pop-state" "$BUILD_DIR/lib/librehearse.a"
    -l:libboost_context.a -ldl -lm -pthread)
with_checks() { # NAME: a program of savina
    "$BUILD_DIR/bin/rehearse-bitcode" --null gcc -g -std=gnu11 -I"$SOURCE_DIR/include" -I"$SOURCE_DIR/examples/savina" \
        -o "$(basename "$1")" "$SOURCE_DIR/examples/savina/$1.c" "${libraries[@]}" 2>err || problem "$1 with checks"
}
null_goal() { # PROGRAM TEST BUG GOAL
    with_checks "$1"
    "$rehearse" target "./$(basename "$1")" "$2" --null -p bug="$3" --seconds 0.5 --stages concrete --save made --json json \
        >out 2>err
    out_has "$4"
    file=$(json '[g["schedule"] for g in r[0]["goals"] if g["result"] == "reached"][0]')
    expect 1 "$rehearse" replay "./$(basename "$1")" "$file"
}
null_goal micro/threadring the_token_comes_home careless 'threadring.c:25 (send to nobody) reached by'
null_goal parallelism/filterbank the_signal_is_filtered unready 'filterbank.c:78 (null pointer) reached by'
# Without the bug optimal makes every run, and no check fails; a check is no block of --uncovered.
expect 0 "$rehearse" target ./filterbank the_signal_is_filtered --null --seconds 6 --stages concrete
out_has ' 0 reached' ' 0 not found' '(send to nobody) unreachable: optimal made every'
cat >bounds.c <<'EOF'
#include <rehearse/test.h>
RH_MESSAGE(put, int at; int value;);
RH_ACTOR(shelf, int places[4];);
RH_HANDLER(shelf, put)
{
    if (msg->at > 100)
        state->places[msg->at - 1000] = msg->value;
}
RH_BEHAVIOUR(shelf, standing, put);
RH_TEST(shelf_is_open, .outside = 1)
{
    rh_ref s = rh_spawn(shelf);
    rh_open(s, put);
}
RH_MAIN()
EOF
if "$BUILD_DIR/bin/rehearse-bitcode" --null gcc -g -std=gnu11 -I"$SOURCE_DIR/include" -o bounds bounds.c "${libraries[@]}" 2>err; then
    expect 0 "$rehearse" target ./bounds --null --seconds 3
    out_has 'bounds.c:7 (out of bounds) reached by'
else
    problem "bounds.c: $(head -3 err)"
fi
refused 'build it with `rehearse-bitcode --null`' "$rehearse" target "$examples/bank-bitcode" --null

# ---- -j, JSON, HTML ------------------------------------------------------------------------------------------------
rare=$(at 'a rare number')
impossible=$(at 'an impossible number')
lines=(--line "$(at 'a lucky number')" --line "$rare" --line "$impossible" --assertions)
expect 1 "$rehearse" target "$outside" account_is_open "${lines[@]}" --seconds 1 -j 2 --json json --html page.html --tests t.c
same 'places' True "$(json '[g["place"] for g in r[0]["goals"]][1:3] == ["'"$rare"'", "'"$impossible"'"]')"
same 'results' "['reached', 'not found']" "$(json '[r[0]["goals"][i]["result"] for i in (0, 2)]')"
same 'sums' True "$(json 'sum(r[0]["reached_by"].values()) == r[0]["reached"] == sum(g["result"] == "reached" for g in r[0]["goals"])')"
same 'jobs' 2 "$(json 'r[0]["jobs"]')"
same 'function' rh_on_account__deposit "$(json 'r[0]["goals"][0]["function"]')"
same 'a test in C' True "$(json 'all((g["generated"] is None) == (g["schedule"] is None) for g in r[0]["goals"])')"
same 'generated' "$(json 'r[0]["goals"][0]["generated"]')" "$(sed -n 's/^RH_TEST(\(reaches_outside_c_[0-9]*\).*/\1/p' t.c | head -n 1)"
grep -q '"targets":true' page.html && grep -q 'class Targets' page.html || problem "no page of lines"
python3 - "${impossible#*:}" "$rare" <<'END' || problem "the data of the page"
import json, re, sys
data = json.loads(re.search(r'id="data">\n(.*?)\n</script>', open("page.html").read(), re.S).group(1))
file = [f for f in data["files"] if f["name"].endswith("/outside.c")][0]
marks = {m[0]: m[1:] for m in file["marks"]}
assert "an impossible number" in file["lines"][int(sys.argv[1]) - 1]
assert [data["goals"][i]["result"] for i in marks[int(sys.argv[1])]] == ["not found"], marks
END
refused '-j wants a number' "$rehearse" target "$outside" account_is_open --assertions -j many
refused '-j is 64 at most' "$rehearse" target "$outside" account_is_open --assertions -j 65

# ---- progress: only on a terminal ----------------------------------------------------------------------------------
"$rehearse" target "$outside" account_is_open --line "$rare" --seconds 0.3 >out 2>err
grep -q 'goals reached' err && problem "progress in a file"
python3 - "$rehearse" "$outside" "$rare" <<'END' || problem "no progress on a terminal"
import os, pty, subprocess, sys
master, slave = pty.openpty()
p = subprocess.Popen([sys.argv[1], "target", sys.argv[2], "account_is_open", "--line", sys.argv[3], "--seconds", "0.3"],
                     stdout=subprocess.DEVNULL, stderr=slave)
p.wait()
os.close(slave)
said = os.read(master, 65536).decode()
assert "random, seed 1: 0 of 1 goals reached" in said, said
assert said.endswith("\r\x1b[K"), said
END

# ---- a solver that is killed, or does not end ----------------------------------------------------------------------
if "$rehearse" target "$outside" account_is_open --line "$rare" --stages solver --seconds 0.1 2>&1 | grep -q 'has no solver'; then
    echo "this build has no solver"
elif compiler=$(command -v cc); then
    for way in kill stall; do
        end=$([ $way = kill ] && echo 'kill(getpid(), SIGKILL);' || echo 'for (volatile int i = 1; i;) { }')
        printf '%s\n' '#include <signal.h>' '#include <unistd.h>' 'void *Z3_mk_solver_for_logic(void *c, void *s);' \
            'void *Z3_mk_solver_for_logic(void *c, void *s)' '{' "    $end" '    return c == s ? c : s;' '}' >$way.c
        "$compiler" -shared -fPIC -o $way.so $way.c || problem "$way.so"
    done
    lucky=$(at 'a lucky number')
    LD_PRELOAD=$PWD/kill.so expect 1 "$rehearse" target "$outside" account_is_open --line "$lucky" --line "$rare" --seconds 1 --json json
    err_has 'note: the solver and the search was ended by signal 9; what it had left is not found'
    out_has "$lucky (line) reached by" "$rare (line) not found: the solver and the search was ended by signal 9"
    same 'ended early' 1 "$(json 'r[0]["ended_early"]')"
    LD_PRELOAD=$PWD/stall.so expect 1 "$rehearse" target "$outside" account_is_open --line "$rare" --seconds 0.2
    out_has "$rare (line) not found: the solver and the search did not end in its time, and was ended"
fi
finish
