# shellcheck shell=bash disable=SC2154,SC1091
# rehearse target solves for values of a message: each line of programs/values.c, of every kind of instruction, and each
# schedule reaches its line when it is replayed outside of the generator.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$BUILD_DIR/tests/target/values-bitcode
source=$SOURCE_DIR/tests/target/programs/values.c
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$program" ] || exit 77
goals=
count=0
for line in $(grep -n 'rh_log("reached' "$source" | cut -d: -f1); do
    goals="$goals --line values.c:$line"
    count=$((count + 1))
done
# shellcheck disable=SC2086
last="rehearse target"
"$rehearse" target "$program" $goals --seconds 8 >out 2>err
code=$?
grep -q 'has no solver' err && exit 77
[ $code = 0 ] || problem "exit $code; not reached: $(grep -v reached out)"
out_has "$count goals of values: $count reached"
solved=$(grep -c 'solved for the last message' out)
echo "$solved of $count lines needed the solver"
[ "$solved" -ge 12 ] || problem "only $solved lines needed the solver: drawing finds too much"
for file in rehearse-targets/*.schedule; do
    line=$(sed -n 's/^reaches values.c:\([0-9]*\)$/\1/p' "$file")
    text=$(sed -n "${line}s/.*\"\(reached: [^\"]*\)\".*/\1/p" "$source")
    expect 0 "$rehearse" replay "$program" "$file"
    out_has "${text:-nothing at line $line}"
    [ "$(grep -c '^outside' "$file")" = 1 ] || problem "$file has messages that nobody takes"
done
finish
