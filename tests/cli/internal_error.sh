# shellcheck shell=bash disable=SC2154,SC2034,SC1091
# An internal error says what it was, where, and the command that replays it, and exits 3, in whichever process it
# happens and whoever's code was running. It is never a finding about the program. Errors are planted (RH__PLANT in
# src/base/fail.h), so this is for the hostile build.
[ "${HOSTILE:-OFF}" = ON ] || exit 77
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program="$BUILD_DIR/examples/gatling"
PATH=$BUILD_DIR/bin:$PATH # the command that is printed begins with `rehearse`

# broken PLANT TEXT ARGUMENT...: the error is planted; exit 3, TEXT and the command, once, and no report
broken() {
    local plant=$1 text=$2
    shift 2
    expect 3 env REHEARSE_PLANT="$plant" "$rehearse" test "$program" --save '' "$@"
    out_lacks FAILED passed
    err_has "internal error at $text" "planted, $plant" 'replay it with: rehearse test '
    [ "$(grep -c 'internal error' err)" = 1 ] || problem "not told once: $last"
}

# In the engine, and in the middle of a handler, where exit and write are the program's.
broken run=5 engine.c --explorer dfs -p bug=ga1 --keep-going
err_has 'in run 6, at event ' 'gatling a_write_is_never_lost --explorer dfs ' ' --seed 1' ' -p bug=ga1' ' --keep-going'
broken send=4 seam.c --explorer dfs --no-determinism-check
err_has ', at event 4'
broken send=4 seam.c # in the check of determinism, before the first run

# In the samples that tell how many runs there are, after a search that a limit ended.
broken run=5 engine.c --explorer optimal --max-runs 3

# In a worker.
broken run=5 engine.c --explorer dfs -p bug=ga1 --keep-going -j 2
broken send=4 seam.c --explorer dfs --no-determinism-check -j 2 --keep-going

# The command finds the error again, quotes what a shell would read, and without the error it is a test like any other.
mkdir "a b"
ln -s "$program" "a b/it's"
program="a b/it's"
broken run=5 engine.c --explorer 'bound:20,dfs' -p bug=ga1 --keep-going --model bag --seed 7 --set max_steps=500
err_has "'a b/it'\\''s'" '--set model=bag' '--seed 7' '--set max_steps=500' '--explorer bound:20,dfs'
command=$(sed -n 's/^rehearse: replay it with: //p' err)
head -n 2 err >first
expect 3 env REHEARSE_PLANT=run=5 sh -c "$command"
head -n 2 err >second
cmp -s first second || problem "the command replays something else: $command"
expect 1 sh -c "$command --save ''"
out_has 'FAILED a_write_is_never_lost'

finish
