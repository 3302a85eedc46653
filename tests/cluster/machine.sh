# shellcheck shell=bash disable=SC2154,SC1091
# A machine that has no room for more processes is told of as that, and not as a bug of the program.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
command -v setpriv >/dev/null && [ "$(id -u)" = 0 ] || {
    echo "not root, or no setpriv: there is no user of whom we know how many processes he has"
    exit 77
}
# as_nobody PROCESSES COMMAND...: as a user who has no processes, with at most so many
cp "$fixtures/slow" . && chmod 755 . slow
as_nobody() {
    local most=$1
    shift
    setpriv --reuid=64217 --clear-groups prlimit --nproc="$most" "$@"
}
as_nobody 64 true || exit 77
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # for leaks a sanitizer starts a process, which is what there is no room for
slow=(./slow --explorer dfs -p n=9 --save '' --max-seconds 600)
expect 0 as_nobody 64 "${slow[@]}" -j 4
out_has '362,880 runs' exhaustive
expect 3 as_nobody 5 "${slow[@]}" -j 4 # four workers, none of which can start a process
err_has 'cannot start processes'
grep -q FAILED out && problem "it is told as a bug of the program"
expect 3 as_nobody 1 "${slow[@]}" -j 4
grep -q FAILED out && problem "it is told as a bug of the program"
expect 3 as_nobody 1 "${slow[@]}"
err_has 'cannot start a process'
finish
