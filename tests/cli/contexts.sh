# shellcheck shell=bash disable=SC2154,SC1091
# Threads in place of fibers: the same runs, outputs and schedules; in gdb each actor is a thread with its name.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# ---- the conformance programs on threads ------------------------------------------------------------------------------
for program in "$BUILD_DIR"/tests/conformance_{ask,behaviour,claims,doing,erlang,external,life,links,messages,receive,registry,store,tables,time,units,watching}_world; do
    CONTEXTS_THREADS=1 expect 0 "$program"
done

# ---- schedules are equal, byte by byte --------------------------------------------------------------------------------
# without_times: of a report, what does not depend on the machine
without_times() { tr -s ' \n' ' ' <"$1" | sed -E 's/[0-9]+\.[0-9]+ (s\b|bytes a state)/T/g; s/, contexts threads//g; s/(fibers|threads)-found/found/g'; }
equal() {
    local program=$1 test=$2 status
    shift 2
    rm -rf fibers-found threads-found
    "$rehearse" test "$program" "$test" "$@" --contexts fibers --save fibers-found >fibers.txt
    status=$?
    expect $status "$rehearse" test "$program" "$test" "$@" --contexts threads --save threads-found
    cp out threads.txt
    [ $status -ne 1 ] || ls fibers-found/*.schedule >/dev/null || problem "$test: no schedule"
    [ $status -ne 1 ] || diff -r fibers-found threads-found || problem "$test: schedules differ"
    diff <(without_times fibers.txt) <(without_times threads.txt) || problem "$test: reports differ"
}
examples=$BUILD_DIR/examples
if [ -x "$examples/processes-registration" ]; then
    equal "$examples/processes-ping_pong" pong_hears_a_ping --explorer dfs
    equal "$examples/processes-registration" who_ends_is_detached -p bug=noproc --explorer optimal
    equal "$examples/processes-registration" only_the_owner_detaches -p bug=stranger --explorer 'preempt(2, dfs)' --granularity object
    equal "$examples/processes-registration" attach_noping --explorer stateful
fi
equal "$fixtures/kills" killed --explorer dfs -p sent=1

# A schedule of the one replays with the other.
expect 1 "$rehearse" test "$fixtures/kills" killed --explorer dfs -p sent=1 --quiet --save found
expect 1 "$rehearse" replay "$fixtures/kills" found/killed-*.schedule --contexts threads
out_has 'killed after 1'
refused 'it is one of fibers, threads' "$rehearse" test "$fixtures/kills" killed --contexts tasks

finish
