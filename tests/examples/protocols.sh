#!/usr/bin/env bash
# examples/protocols: the corrected protocols pass, exhaustively where they are small; each bug has a kept schedule and is
# found, if it is not too rare; the production programs come to their end.  BUILD_DIR and SOURCE_DIR come from ctest.
# examples.sh replays the kept schedules.  With REHEARSE_LONG each corrected protocol makes 100,000 runs.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
checks=0
failures=0
# Sanitizers make runs many times as long.
sanitized=
grep -qE '^RH_SANITIZE:[A-Z]+=.+' "$BUILD_DIR/CMakeCache.txt" && sanitized=1

# check CODE PROGRAM ARGUMENT...: how the program must end
check() {
    local code=$1 program=$BUILD_DIR/examples/protocols-$2 output status
    shift 2
    checks=$((checks + 1))
    output=$("$program" "$@" 2>&1 </dev/null)
    status=$?
    [ $status -eq "$code" ] && return
    failures=$((failures + 1))
    echo "FAILED: $(basename "$program") $* exits with $status instead of $code"
    printf '%s\n' "$output" | head -n 12 | sed 's/^/    /'
}

# ---- the list has every bug, and each has a schedule -------------------------------------------------------------------
programs='twophase paxos multipaxos chain tms osr raft'
list=$SOURCE_DIR/tests/examples/protocols.list
for program in $programs; do
    named=$("$BUILD_DIR/examples/protocols-$program" list | awk '/^[^ ]/{on = /^bugs/; next} on{print $1}' | sort)
    listed=$(awk -v program="$program" '$1 == program {print $2}' "$list" | sort)
    kept=$(cd "$SOURCE_DIR/tests/examples/schedules/protocols-$program" &&
        for schedule in *.schedule; do echo "${schedule%.schedule}"; done | sort)
    checks=$((checks + 1))
    if [ "$named" != "$listed" ] || [ "$named" != "$kept" ]; then
        failures=$((failures + 1))
        printf 'FAILED: protocols-%s: its bugs are not those of protocols.list and schedules/:\n' "$program"
        printf '%s\n' "$named" "$listed" "$kept" | sort | uniq -c | sed 's/^/    /'
    fi
done

# ---- bugs that are found in a few thousand runs ------------------------------------------------------------------------
declare -A explorer=([any_value]=weighted [keeps_promise]=weighted [mixed_ballots]=weighted [late_interrupt]=weighted
    [stale_append]=weighted [stale_report]=weighted)
found=0
while read -r program bug test arguments; do
    case $program/$bug in
    \#* | twophase/early_commit | paxos/early_promise | paxos/counts_promises) continue ;; # rare: the schedules show them
    raft/stale_append) ;;
    raft/*) continue ;; # rare, too
    esac
    [ -n "$sanitized" ] && [ "$program" != osr ] && continue
    found=$((found + 1))
    # shellcheck disable=SC2086
    check 1 "$program" test "$test" -p "bug=$bug" $arguments --explorer "${explorer[$bug]-delayed}" --max-runs 20000 \
        --max-seconds 600 --save '' --quiet
done <"$list"
[ -n "$sanitized" ] || [ $found -ge 24 ] || { echo "FAILED: only $found bugs were looked for" && failures=$((failures + 1)); }

# ---- the corrected protocols -------------------------------------------------------------------------------------------
runs=5000
[ -n "${REHEARSE_LONG-}" ] && runs=100000
[ -n "$sanitized" ] && runs=100
for program in $programs; do
    for name in weighted delayed random; do
        check 0 "$program" test --explorer $name --max-runs $runs --max-seconds 6000 --save '' --quiet
    done
done

# all PROGRAM ARGUMENT...: every distinct run of a small size
all() {
    local program=$1
    shift
    check 0 "$program" test "$@" --explorer optimal --require exhaustive --max-seconds 6000 --save '' --quiet
}
all twophase the_coordinator_fails -p tellers=1 -p resends=0          # 6,040 runs
all twophase a_participant_fails -p tellers=1 -p resends=0            # 2,232
all twophase the_network_fails -p tellers=1 -p resends=0 --duplicates 0 # 513
all multipaxos a_replica_fails -p replicas=1 -p clients=1 -p elections=1 -p tries=2 # 2,920
all chain servers_fail -p servers=2 -p clients=1 -p requests=1 --crashes 1 # 751
all osr -p shows=1                                                    # 4,716
all raft messages_are_late -p servers=2 -p clients=0 -p elections=1 -p beats=0 # 2,292
all raft messages_are_late -p servers=1 -p elections=1 -p beats=1 -p requests=4 # 748
# every state of Raft with a crash
states() { check 0 raft test "$@" --explorer stateful --require exhaustive --max-seconds 6000 --save '' --quiet; }
states servers_fail -p servers=1 -p elections=1 -p beats=0 -p requests=2
if [ -z "$sanitized" ]; then
    states servers_fail -p servers=2 -p clients=0 -p elections=1 -p beats=0 --crashes 1 --restarts 1
    all raft snapshots_are_sent -p servers=2 -p clients=0 -p elections=1 -p beats=0 # 16,998
    all multipaxos leaders_change -p replicas=2 -p clients=1 -p elections=1 -p tries=1 # 24,354
    all chain messages_come_twice -p servers=2 -p clients=1 -p requests=1 # 11,277
    all chain a_server_joins -p servers=1 -p clients=2 -p requests=1 --crashes 0 # 23,484
    all chain a_server_joins -p servers=2 -p clients=1 -p requests=1  # about 69,000
fi
# states PROGRAM ARGUMENT...: every state, of sizes with too many distinct runs
states() {
    local program=$1
    shift
    check 0 "$program" test "$@" --explorer 'delay(rtc, ses)' --require exhaustive --max-seconds 6000 --save '' --quiet
}
if [ -z "$sanitized" ]; then
    states osr                                                        # 44,152 states
    states chain messages_come_twice -p clients=1 -p requests=1       # 30,637
    states chain a_server_joins -p clients=1                          # 15,616
fi
if [ -n "${REHEARSE_LONG-}" ]; then
    all osr                                                           # about 350,000
    all chain servers_fail -p servers=3 -p clients=1 -p requests=1    # about 450,000
    all chain servers_fail -p servers=2 -p requests=1 --crashes 1     # about 320,000
    all paxos an_acceptor_fails -p proposers=1 -p rounds=1            # about 1,640,000
    states twophase a_participant_fails -p tellers=1                  # 145,296 states
    states twophase the_coordinator_fails -p tellers=1                # 340,588
    states chain servers_fail -p clients=1 -p requests=1              # 396,535
    states tms managers_compete -p tries=1                            # 93,508
    states raft messages_are_late -p servers=2 -p requests=1 -p elections=1 -p beats=0
    # 10,200,000 sampled steps of Raft, over its six tests; and as many with a network that splits in every way
    for explorer in random swarm phases pctcp pos; do
        check 0 raft test --explorer $explorer --max-all-steps 340000 --save '' --quiet
        for across in held dropped; do
            check 0 raft test --explorer $explorer --max-all-steps 170000 --partitions 2 --splits any --across $across \
                --save '' --quiet
        done
    done
fi

# ---- production --------------------------------------------------------------------------------------------------------
if [ -x "$BUILD_DIR/examples/protocols-osr-production" ]; then
    for program in twophase paxos multipaxos tms raft; do
        check 0 $program-production "$folder/$program"
        check 1 $program-production
    done
    check 0 chain-production
    check 0 osr-production
    # A recorded run is a schedule.
    for program in twophase raft; do
        check 0 $program-production "$folder/$program-recorded" --record "$folder/$program.schedule"
    done
    check 0 osr-production --record "$folder/osr.schedule"
    for program in twophase raft osr; do
        checks=$((checks + 1))
        grep -q '^rehearse schedule 1' "$folder/$program.schedule" && grep -q ' takes ' "$folder/$program.schedule" && continue
        failures=$((failures + 1))
        echo "FAILED: $program-production --record writes no schedule"
    done
fi

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
