# shellcheck shell=bash disable=SC2154,SC1091
# What `rehearse target` calls unreachable is not reached: samplers make many runs, with random messages from outside where
# the test is open, of programs in which it excludes blocks by the graph or by optimal.  RUNS is the number of runs of each
# test (unreachable_long.sh: a million); a run is made by one of three explorers.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
examples=$BUILD_DIR/examples
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$examples/bank-bitcode" ] && have_python || exit 77
runs=${RUNS:-1500}
programs=${PROGRAMS:-savina-threadring savina-cobweb savina-fibonacci lease}
claimed=0
judged=0
for program in $programs; do
    binary=$examples/$program-bitcode
    for test in $("$binary" list | sed '/parameters/,$d' | sed -n 's/^  \([^ ]*\) .*model=.*/\1/p'); do
        "$rehearse" target "$binary" "$test" --uncovered --stages concrete --seconds "${SECONDS_EACH:-0.4}" --json json >out 2>err
        python3 -c '
import json
for g in json.load(open("json"))["goals"]:
    if g["result"] == "unreachable":
        print(*g["blocks"], sep="\n")' >wanted || problem "$program $test: JSON"
        n=$(wc -l <wanted)
        [ "$n" -gt 0 ] || continue
        claimed=$((claimed + n))
        rm -f record
        for explorer in random delayed cover; do
            "$binary" test "$test" --explorer "reach(record, wanted=wanted, $explorer)" --seed 4711 --max-runs $((runs / 3)) \
                --keep-going --no-minimise --quiet --json made --save found >out 2>err
            judged=$((judged + $(sed 's/.*"executions":\([0-9]*\),.*/\1/' made)))
        done
        [ ! -s record ] || problem "$program $test: runs reach what was called unreachable: $(grep '^# ' record)"
    done
done
echo "$claimed blocks called unreachable, in $judged runs none of them ran"
[ "$claimed" -ge 20 ] || problem "only $claimed blocks are called unreachable"
[ "$judged" -ge $((runs * 2)) ] || problem "only $judged runs were made"
# The judge is no friend: a block that runs is seen.
"$rehearse" target "$examples/bank-bitcode" --uncovered --stages concrete --seconds 1 --json json >out 2>err
json '[g["blocks"][0] for g in r[0]["goals"] if g["result"] == "reached"][3]' >wanted
rm -f record
"$examples/bank-bitcode" test --explorer 'reach(record, wanted=wanted, random)' --max-runs 100 --quiet >out 2>err
[ -s record ] || problem "a block that was reached is not seen"
finish
