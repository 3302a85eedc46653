# shellcheck shell=bash disable=SC2154,SC2016,SC1091
# What the tool writes: files appear whole or not at all, what is no regular file is left alone, nothing waits for a pipe,
# and a disk without room is told with exit 3, but for a bug that was found: that is still 1.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
good=("$rehearse" test "$fixtures/slow" --explorer dfs -p n=4)
bad=("$rehearse" test "$fixtures/slow" -p bug=last)

# no_rest TEXT: nothing unfinished is left in the folder
no_rest() { ls -A | grep -q '\.new$' && problem "$1: left behind: $(ls -A | tr '\n' ' ')"; }

# ---- streams ----------------------------------------------------------------------------------------------------------------
expect 0 "${good[@]}" --json -
out_has '"executions":24,'
expect 0 "${good[@]}" --json /dev/stdout --quiet
out_has '"executions":24,'
expect 0 "${good[@]}" --json /dev/stderr
err_has '"executions":24,'
expect 0 "${good[@]}" --json /dev/null --junit /dev/null
[ -c /dev/null ] || problem "/dev/null is no device any more"
expect 0 bash -c '"$@" --json >(cat >piped) >out.test; sleep 0 & wait' _ "${good[@]}"
for _ in $(seq 600); do [ -s piped ] && break; sleep 0.1; done # until cat has written it
grep -q '"executions":24,' piped || problem "nothing came through /dev/fd"
expect 2 "${good[@]}" --json /dev/fd/77
err_has '/dev/fd/77: Bad file descriptor'

# ---- what is no regular file ------------------------------------------------------------------------------------------------
mkfifo fifo
mkdir folder
ln -s fifo to_fifo
ln -s nowhere dangling
mkdir other
echo kept >other/file
ln -s other/file out_of_folder
echo old >here
ln -s here in_folder
for option in --json --junit; do
    refused 'fifo: nobody reads this pipe' "${good[@]}" $option fifo
    refused 'folder: Is a directory' "${good[@]}" $option folder
    refused 'out of its folder' "${good[@]}" $option out_of_folder
    refused 'to a file that does not exist' "${good[@]}" $option dangling
done
for option in --checkpoint --coverage-file; do
    for path in fifo /dev/null to_fifo; do
        refused 'not a regular file' "${good[@]}" $option $path
    done
    refused 'out of its folder' "${good[@]}" $option out_of_folder
    refused 'to a file that does not exist' "${good[@]}" $option dangling
done
[ -p fifo ] && [ -c /dev/null ] && [ -d folder ] || problem "something was replaced"
same 'a file behind a link' kept "$(cat other/file)"
expect 0 "${good[@]}" --json in_folder
grep -q '"executions":24,' here || problem "a link within the folder was not followed"
[ -L in_folder ] || problem "the link was replaced"
exec 9<>fifo # somebody who reads
expect 0 "${good[@]}" --json fifo
head -n 1 <&9 >got
exec 9<&-
grep -q '"executions":24,' got || problem "nothing came through a pipe that somebody reads"
mkdir saved
expect 1 "${bad[@]}" --save saved
name=$(ls saved | grep schedule)
rm "saved/$name" && ln -s ../other/file "saved/$name"
expect 1 "${bad[@]}" --save saved # somebody else's, so the finding has a longer name
same 'behind a link in the folder of findings' kept "$(cat other/file)"
[ -L "saved/$name" ] || problem 'a link in the folder of findings was replaced'
same 'the finding is kept beside it' 2 "$(find saved -name '*.schedule' | wc -l)"
rm "saved/$name" && mkfifo "saved/$name"
expect 1 "${bad[@]}" --save saved
[ -p "saved/$name" ] || problem 'a pipe in the folder of findings was replaced'
same 'the finding is still kept beside it' 2 "$(find saved -name '*.schedule' | wc -l)"
no_rest 'refused outputs'

# ---- permissions stay -------------------------------------------------------------------------------------------------------
echo old >private && chmod 600 private
expect 0 "${good[@]}" --json private
same 'permissions' 600 "$(stat -c %a private)"

# ---- no room ----------------------------------------------------------------------------------------------------------------
if [ -c /dev/full ]; then
    "${good[@]}" >/dev/full 2>err; same 'no room for standard output' 3 $?
    err_has 'rehearse: standard output: not written: No space left on device'
    "${bad[@]}" >/dev/full 2>err; same 'no room, and a bug' 1 $?
    err_has 'standard output: not written'
    "${good[@]}" --tap >/dev/full 2>err; same 'no room for TAP' 3 $?
    expect 3 "${good[@]}" --json /dev/full
    err_has '/dev/full: not written: No space left on device'
    expect 3 "${good[@]}" --junit /dev/full
    err_has '/dev/full: not written: No space left on device'
    expect 1 "${bad[@]}" --json /dev/full
    for command in list --help; do
        "$fixtures/slow" $command >/dev/full 2>err; same "no room for $command" 3 $?
        err_has 'standard output: not written'
    done
    "$rehearse" --version >/dev/full 2>err; same 'no room for the version' 3 $?
fi
"${good[@]}" >&- 2>err; same 'a closed standard output' 3 $?
{ "${good[@]}" --max-seconds 5; echo $? >code; } 2>err | true
wait
case $(cat code) in 0 | 3) ;; *) problem "a pipe that nobody reads on: exit $(cat code)" ;; esac

# with_room BYTES COMMAND...: no file may become larger; the signal of that is not the end (exec keeps it ignored)
with_room() {
    local bytes=$1
    shift
    python3 -c '
import resource, signal, subprocess, sys
def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
r = subprocess.run(sys.argv[2:], preexec_fn=limited, capture_output=True)
open("out", "wb").write(r.stdout)
open("err", "wb").write(r.stderr)
sys.exit(r.returncode)' "$bytes" "$@"
}
if have_python; then
    rm -rf fresh && mkdir fresh && cd fresh || exit 1
    with_room 16 "${good[@]}" --json j; same 'no room for JSON' 3 $?
    err_has 'not written: File too large'
    with_room 16 "${good[@]}" --junit j; same 'no room for JUnit' 3 $?
    with_room 16 "${good[@]}" --coverage all --coverage-file j; same 'no room for coverage' 3 $?
    with_room 16 "${good[@]}" --checkpoint j; same 'no room for a checkpoint' 2 $?
    err_has 'File too large'
    with_room 16 "${bad[@]}" --save saved --json j; same 'no room for a schedule' 1 $?
    err_has 'saved/' 'File too large'
    rm -f out err
    rmdir saved 2>/dev/null || problem "an empty schedule is left: $(ls -A saved)"
    [ -z "$(ls -A)" ] || problem "left behind without room: $(ls -A | tr '\n' ' ')"
    echo precious >j
    with_room 16 "${good[@]}" --json j; same 'no room for JSON' 3 $?
    same 'what was there before' precious "$(cat j)"
    cd .. || exit 1
fi

# ---- one checkpoint, two explorations ----------------------------------------------------------------------------------------
"$fixtures/slow" --explorer dfs --max-runs 1000000000 --max-seconds 1000 --checkpoint shared >/dev/null 2>&1 &
first=$!
for _ in $(seq 600); do [ -s shared ] && break; sleep 0.1; done
refused 'another process uses this file' "$fixtures/slow" --explorer dfs --checkpoint shared
refused 'another process uses this file' "$fixtures/slow" --explorer dfs --checkpoint shared --resume
ln -s shared alias
refused 'another process uses this file' "$fixtures/slow" --explorer dfs --checkpoint alias --resume
kill -9 $first
wait $first 2>/dev/null
expect 0 "$fixtures/slow" --explorer dfs --max-runs 10 --checkpoint shared --resume # the lock has gone with it
finish
