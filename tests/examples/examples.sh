#!/usr/bin/env bash
# Every example is correct as it stands, has the bugs that it names, each found and replayed, and makes as many runs under
# dfs as its README derives.  BUILD_DIR and SOURCE_DIR come from ctest.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"

rehearse=$BUILD_DIR/bin/rehearse
# shellcheck source=tests/examples/lib.bash
. "$SOURCE_DIR/tests/examples/lib.bash"
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/    /'
}

# explore EXAMPLE ARGUMENT...: fills $status, $output and result.json
explore() {
    local example=$1
    shift
    rm -rf result.json findings
    output=$("$rehearse" test "$BUILD_DIR/examples/$example" --json result.json --save findings "$@" 2>&1)
    status=$?
}

# field NAME: of each test in result.json, in order
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([a-z0-9 ]*\).*/\1/p" result.json | paste -sd ' '; }

# passes EXAMPLE ARGUMENT...: nothing is found, and nothing is said that a reader would have to look into
passes() {
    checks=$((checks + 1))
    explore "$@"
    [ $status -eq 0 ] || fail "$* exits with $status instead of 0" "$output"
    case $output in *note:*) fail "$* has something to note" "$output" ;; esac
}

# finds EXAMPLE BUG KIND...: the bug is found as one of these kinds, and each schedule that was kept fails again.  See
# lib.bash for those that are smaller here.
finds() {
    local example=$1 bug=$2 kinds schedule kind
    shift 2
    kinds=$*
    checks=$((checks + 1))
    # shellcheck disable=SC2046
    explore "$example" $(smaller_for "$example" "$bug") -p "bug=$bug" --max-seconds 100
    [ $status -eq 1 ] || fail "$example -p bug=$bug exits with $status instead of 1" "$output"
    for kind in $(grep -o '"kind":"[^"]*"' result.json | cut -d '"' -f 4 | tr ' ' -); do
        case " $kinds " in *" $kind "*) ;; *) fail "$example -p bug=$bug: $kind instead of $kinds" "$output" ;; esac
    done
    for schedule in findings/*.schedule; do
        output=$("$rehearse" replay "$BUILD_DIR/examples/$example" "$schedule" 2>&1)
        status=$?
        [ $status -eq 1 ] || fail "$example: the replay of $schedule (bug $bug) exits with $status instead of 1" "$output"
    done
}

# makes COUNTS EXAMPLE ARGUMENT...: so many runs under dfs, for each test
makes() {
    local counts=$1
    shift
    checks=$((checks + 1))
    explore "$@" --explorer dfs --max-seconds 600
    [ "$(field executions)" = "$counts" ] ||
        fail "$*: dfs makes $(field executions) runs instead of $counts" "$output"
    case "$(field verdict)" in *sampled* | *bounded*) fail "$*: dfs did not get to its end" "$output" ;; esac
}

# reduces COUNT EXAMPLE ARGUMENT...: so many runs under dpor, as many behaviours as dfs finds
reduces() {
    local counts=$1 behaviours
    shift
    checks=$((checks + 1))
    explore "$@" --explorer dfs --max-seconds 600
    behaviours=$(field behaviours)
    explore "$@" --explorer dpor --max-seconds 600
    [ "$(field executions) $(field behaviours)" = "$counts $behaviours" ] ||
        fail "$*: dpor makes $(field executions) runs instead of $counts, and finds $(field behaviours) behaviours" \
            "instead of $behaviours" "$output"
    [ "$(field estimate)" = "$counts" ] || fail "$*: dpor says that it makes $(field estimate) runs" "$output"
    case "$(field verdict)" in *sampled* | *bounded*) fail "$*: dpor did not get to its end" "$output" ;; esac
}

# ---- as they stand, and with their bugs: how each is found ----------------------------------------------------------------
declare -A found=(
    [gatling/ga1]=assertion
    [gatling-engine/ga1]=assertion [gatling-engine/ga2]=assertion
    [gatling-engine/ga3]=assertion [gatling-engine/ga4]=unhandled-message
    [bank/hasty]=assertion
    [threadring/careless]=misuse [threadring/dropped]=stuck
    [senders/orderly]=assertion
    [pingpong/impatient]=assertion
    [philosophers/deadlock]=stuck
    [store/crossed]="assertion stuck" [store/early]=assertion
    [scheduler/double]="unhandled-message monitor" [scheduler/forgotten]=monitor
    [scheduler/both]=assertion [scheduler/late]=assertion
    [barber/lost_wakeup]=stuck [barber/eager]=unhandled-message
    [barber-morning/ba]=unhandled-message [messenger-rooms/ms]=assertion [procreg-directory/pr]=assertion
    [signal/sc1]=assertion [signal/sc2]="unhandled-message assertion" [signal/sc3]=assertion
    [messenger/hasty]=monitor [messenger/by_name]=assertion
    [procreg/check_then_act]=assertion [procreg/start_twice]=assertion
    [procreg/too_soon]=assertion [procreg/regrace]=assertion
    [own_explorer/no_wait]=assertion
    [tickets/check_then_act]=assertion
)
[ -x "$BUILD_DIR/examples/redis" ] && found+=([redis/fr1]=assertion [redis/fr2]=assertion)

for example in $(every_example); do
    bugs=$("$rehearse" list "$BUILD_DIR/examples/$example" | awk '/^[^ ]/{on = /^bugs/; next} on{print $1}')
    case " ${!found[*]} " in *" $example/"*) ;; *) continue ;; esac # another test's
    passes "$example" --max-seconds 1
    for bug in $bugs; do
        if [ -n "${found[$example/$bug]-}" ]; then
            # shellcheck disable=SC2086
            finds "$example" "$bug" ${found[$example/$bug]}
        else
            fail "$example has a bug $bug that this test does not know"
        fi
        unset "found[$example/$bug]"
    done
done
for bug in "${!found[@]}"; do
    fail "${bug%/*} does not list bug ${bug#*/}"
done

# ---- rare ones: a schedule that differs from an ordinary one in the order of one pair of messages ------------------------------
for schedule in "$SOURCE_DIR"/tests/examples/schedules/*/*.schedule; do
    example=$(basename "$(dirname "$schedule")")
    [ "$example" = redis ] && [ ! -x "$BUILD_DIR/examples/redis" ] && continue
    checks=$((checks + 1))
    output=$("$rehearse" replay "$BUILD_DIR/examples/$example" "$schedule" 2>&1)
    status=$?
    [ $status -eq 1 ] || fail "$example: the replay of $(basename "$schedule") exits with $status instead of 1" "$output"
done

# ---- how many runs dfs makes: see the READMEs for why ------------------------------------------------------------------------
factorial=(1 1 2 6 24 120 720 5040)
for n in 3 4 5 6 7; do
    makes "${factorial[n]} 1" senders -p senders=$n # any_order: n!; by_tag: the order is never seen
done
for n in 1 2 3 4 5 6 7 8 9 10; do
    makes $((2 ** (n + 1))) pingpong -p n=$n
done
makes 162 pingpong -p n=4 --model fifo # 3^4 * 2

makes 6 bank                                # (2 + 1)!
makes 120 bank -p deposits=3 -p withdrawals=2 # (3 + 2)!
makes 15 threadring -p passers=3            # 1 * 3 * 5
makes 945 threadring -p passers=5           # 1 * 3 * 5 * 7 * 9
makes 45 tickets                            # (56 - 28) + 17
makes 14 own_explorer -p sales=3            # the fourth Catalan number
makes 16796 own_explorer -p sales=9         # the tenth
makes 20340 gatling-engine -p users=1 -p requests=1 # counted once
makes 140 signal -p workers=2 -p branches=1 -p length=3 # counted once
makes 6 barber -p customers=1
makes 3024 barber -p customers=2            # counted once
makes 1 store replies_are_not_mixed_up -p clients=1 -p requests=1
makes 96 store replies_are_not_mixed_up -p clients=2 -p requests=1
makes 59586 store replies_are_not_mixed_up -p clients=3 -p requests=1
makes 1860 philosophers -p n=2
makes 1880 philosophers -p n=2 -p bug=deadlock --keep-going
if command -v python3 >counts.txt; then
    checks=$((checks + 1))
    counts=$(python3 "$SOURCE_DIR/tests/examples/counts.py")
    [ "$counts" = "1 96 59586 1860 1880 73303144" ] || fail "counts.py gives $counts"
fi
makes "816 324" scheduler every_job_runs_once a_cancelled_job_is_not_reported # counted once
makes 20 messenger who_is_logged_on_can_be_talked_to                          # counted once
makes "288 4" procreg a_name_has_one_owner a_child_gets_its_name              # counted once

# ---- how many of them dpor makes: counted once, but for pingpong, which has the paper's figures (Eta, Table 2) ------------------
for n in 1 2 3 4 5 6 7 8 9 10; do
    reduces $((2 ** n)) pingpong -p n=$n
done
reduces 32768 pingpong -p n=15
reduces 9 philosophers -p n=2 --model mailbox
reduces 5 philosophers -p n=2
reduces 803 store replies_are_not_mixed_up -p clients=2 -p requests=3 --model mailbox
reduces 823 store replies_are_not_mixed_up -p backends=2 -p clients=2 -p requests=3 --model mailbox
reduces 90 store replies_are_not_mixed_up -p clients=3 -p requests=1 --model mailbox
reduces 6 store replies_are_not_mixed_up -p clients=3 -p requests=1 # 3!
reduces 170 scheduler a_job_survives_its_machine --model mailbox

# ---- an explorer of one's own ---------------------------------------------------------------------------------------------
checks=$((checks + 1))
explore own_explorer -p bug=no_wait --explorer starve
[ "$status $(field executions)" = "1 3" ] || fail "starve does not find no_wait in run 3" "$output"
lines=$(wc -l <"$SOURCE_DIR/examples/own_explorer/starve.c")
[ "$lines" -lt 50 ] || fail "starve.c has $lines lines"

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]
