# shellcheck shell=bash disable=SC2154,SC2034,SC1091
# Coverage: measured for any explorer, kept in files that are merged, and the explorer that seeks it.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
gatling=$BUILD_DIR/examples/gatling
test=("$rehearse" test "$gatling" a_write_is_never_lost -p actions=3)

# ---- measuring -----------------------------------------------------------------------------------------------------------
expect 0 "${test[@]}" --explorer optimal --coverage pr,pcr --coverage-file all.cov --json all.json
out_has 'coverage pr: 24 goals; 18 pairs: 6 covered, 12 impossible, 0 not reached' 'coverage pcr: 24 goals'
out_lacks 'coverage pmr'
expect 0 "${test[@]}" --explorer dfs --coverage pr --max-seconds 600
out_has 'coverage pr: 24 goals; 18 pairs: 6 covered, 12 impossible, 0 not reached'
expect 0 "${test[@]}" --explorer dfs -j 2 --coverage pr --max-seconds 600
out_has 'coverage pr: 24 goals; 18 pairs: 6 covered, 12 impossible, 0 not reached'
expect 0 "${test[@]}" --explorer random --max-runs 1 --coverage all --coverage-file one.cov
out_has 'coverage pmr: no actor changes its handlers' 'not reached: writer#1 never took write_line from action#'
expect 0 "${test[@]}" --explorer random --max-runs 1 --coverage all --coverage-file one.cov --quiet
out_lacks 'not reached: '

# ---- files ---------------------------------------------------------------------------------------------------------------
expect 0 "$rehearse" coverage show one.cov
out_has 'a_write_is_never_lost actions=3, 1 runs' 'coverage pr: 12 goals; 12 pairs: 0 covered'
expect 0 "$rehearse" coverage merge -o both.cov one.cov all.cov
expect 0 "$rehearse" coverage show both.cov
out_has '37 runs, all there are' 'coverage pr: 24 goals; 18 pairs: 6 covered, 12 impossible'
cp out together
expect 0 "$rehearse" coverage show all.cov one.cov one.cov
sed 's/38 runs/37 runs/' out | cmp -s - together || problem 'the same in another order is something else'
expect 0 "$rehearse" coverage show both.cov --json merged.json
if have_python; then
    cp merged.json json
    same 'goals of the merged' 24 "$(json 'r[0]["criteria"]["pr"]["goals"]')"
    same 'a matrix is square' True \
        "$(json 'all(len(a["receives"]) == len(a["pr"]) == len(a["pr"][0]) for a in r[0]["actors"])')"
    same 'both orders of two lines' True "$(json 'any("*" in row for a in r[0]["actors"] for row in a["pr"])')"
    cp all.json json
    same 'growth ends where the sums are' 24 "$(json 'r[0]["coverage"]["growth"]["points"][-1][2]')"
fi

refused 'of another test, or of other parameters' "$rehearse" coverage merge -o x.cov one.cov \
    <("$rehearse" test "$gatling" a_write_is_never_lost -p actions=2 --explorer random --max-runs 1 --coverage-file other.cov \
        >/dev/null; cat other.cov)
[ -e x.cov ] && problem 'a refused merge has written something'
head -c 200 all.cov >half.cov
refused 'half.cov is damaged: its checksum does not fit' "$rehearse" coverage show half.cov
size=$(stat -c %s all.cov)
for at in 20 25 60 $((size / 2)) $((size - 9)) $((size - 8)) $((size - 1)); do # every part of it, the checksum too
    cp all.cov bad.cov
    byte=$(od -An -tu1 -j $at -N1 all.cov | tr -d ' ')
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of=bad.cov bs=1 seek=$at conv=notrunc status=none
    refused 'bad.cov is damaged' "$rehearse" coverage show bad.cov
    refused 'bad.cov is damaged' "$rehearse" coverage merge -o x.cov one.cov bad.cov
    [ -e x.cov ] && problem 'a refused merge has written something'
done
cat all.cov all.cov >bad.cov
refused 'bad.cov is damaged' "$rehearse" coverage show bad.cov
sed '1s/4$/1/' all.cov >old.cov
refused 'old.cov is of version 1 of coverage files, and this reads version 4: measure again' "$rehearse" coverage show old.cov
expect 0 "$rehearse" coverage show one.cov
grep -q '^  under fifo, time free, .*granularity handler$' out || problem 'coverage does not say what it was measured under'
refused 'is no file of --coverage-file' "$rehearse" coverage show all.json
refused 'No such file' "$rehearse" coverage show nowhere.cov
for words in '' 'show' 'merge one.cov' 'draw one.cov' 'show one.cov --wide' 'merge one.cov -o'; do
    # shellcheck disable=SC2086
    expect 2 "$rehearse" coverage $words
    err_has 'rehearse coverage show FILE'
done
refused 'No such file' "${test[@]}" --coverage-file nowhere/x.cov
refused 'is for `test`' "$rehearse" estimate "$gatling" --coverage pr
refused 'is for `test`' "$rehearse" corpus "$gatling" . --coverage-file x.cov
refused 'is not a coverage criterion' "${test[@]}" --coverage pr,xy
refused 'one test under one model' "${test[@]}" --coverage-file x.cov --model all
refused 'cannot be kept there' "${test[@]}" --suite /dev/null/x
refused 'leave out -j' "${test[@]}" --suite suite -j 2 --explorer dfs

# What one of several alike did is left out: then these are not all runs there are.
expect 0 "${test[@]}" --explorer symmetry:dfs --coverage pr --coverage-file alike.cov
out_has 'forced so far'
# Nor are those of handlers as they are, where somebody has seen them in parts.
expect 0 "$rehearse" test "$BUILD_DIR/examples/pingpong" -p n=3 --explorer dfs --coverage-file whole.cov
expect 0 "$rehearse" test "$BUILD_DIR/examples/pingpong" -p n=3 --explorer random --granularity object --max-runs 3 \
    --coverage-file parts.cov
expect 0 "$rehearse" coverage show whole.cov
out_has 'all there are'
expect 0 "$rehearse" coverage show whole.cov parts.cov
out_lacks 'all there are'

# ---- seeking it ----------------------------------------------------------------------------------------------------------
expect 0 "${test[@]}" --explorer cover:all --max-runs 100 --suite suite
out_has 'coverage pr: 24 goals' ' for each 1,000 goals), 0 could not be forced, 0 missed their goal, 0 achieved nothing new'
refused 'there is a suite of this test already' "${test[@]}" --explorer cover:all --suite suite
[ "$(find suite -name '*.schedule' | wc -l)" -ge 2 ] || problem 'the suite is empty'
expect 0 "$rehearse" corpus "$gatling" suite
expect 1 "${test[@]}" --explorer cover:pr --seed 2 -p bug=ga1
out_has 'came after the flush and is lost' 'was made so that writer#1 takes flush from terminator#1 before write_line'
expect 0 "${test[@]}" --explorer cover:pr,paper
expect 0 "${test[@]}" --explorer portfolio:cover:pr+random --max-runs 20
for wrong in cover:x cover:pr,x cover:pr,pcr,paper,; do
    refused 'it is written cover([pr|pmr|pcr|all], [paper])' "${test[@]}" --explorer "$wrong"
done
# ---- a partial schedule is forced: what a later line wants waits -----------------------------------------------------------
partial() { printf 'rehearse schedule 1\ntest a_write_is_never_lost\nset param.actions=3\nset param.bug=ga1\n'; printf '%s\n' "$@"; }
partial ... 'writer#1 takes flush from terminator#1' ... 'writer#1 takes write_line from action#2' >late.schedule
expect 1 "$rehearse" replay "$gatling" late.schedule
out_has '"done" of action#2 came after the flush'
partial ... 'writer#1 takes write_line from action#2' ... 'writer#1 takes flush from terminator#1' >early.schedule
expect 0 "$rehearse" replay "$gatling" early.schedule
partial ... 'writer#1 takes flush from terminator#1' ... 'terminator#1 takes action_done from action#1' >never.schedule
expect 4 "$rehearse" replay "$gatling" never.schedule
out_has 'line 6: `writer#1 takes flush from terminator#1` is not possible here'

expect 0 "${test[@]}" --explorer cover:pr -j 2 --max-runs 200
out_has 'nothing found in 200 runs' '6 covered'
finish
