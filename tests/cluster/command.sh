# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# -j, --checkpoint and --resume: the examples have the same totals with any number of workers, and when the whole tool is
# killed in the middle and goes on; what makes no sense is refused.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
examples=$BUILD_DIR/examples
slow=("$rehearse" test "$fixtures/slow")

# totals FILE: all that must be the same, of each test
totals() {
    python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    r = json.loads(line)
    del r["seconds"], r["workers"]
    r["estimate"] = r["estimate"] and round(r["estimate"])
    r["properties"].sort(key=lambda p: (p["place"], p["name"]))
    for f in r["failures"]:
        f["schedule"] = f["schedule"] and open(f["schedule"], encoding="utf-8").read()
        del f["run"] # told as it came
    print(json.dumps(r, sort_keys=True))' "$1" || problem "no totals"
}

# compare CODE PROGRAM OPTION...: with one worker and with more
compare() {
    local code=$1 program=$examples/$2 j
    shift 2
    expect $code "$rehearse" test "$program" --explorer dfs --keep-going --max-seconds 600 --json json "$@"
    totals json >one
    for j in 2 3 4; do
        expect $code "$rehearse" test "$program" --explorer dfs --keep-going --max-seconds 600 --json json "$@" -j $j
        [ "$(grep -c "\"workers\":$j," json)" = "$(wc -l <one)" ] || problem "JSON does not say $j workers"
        totals json >several
        cmp -s one several || problem "$program $*: other totals with $j workers: $(diff one several | cut -c 1-400)"
    done
}

# compare_optimal PROGRAM OPTION...: the same counts, of runs, steps, distinct_runs, properties and findings
counts() {
    python3 -c '
import json
for line in open("json", encoding="utf-8"):
    r = json.loads(line)
    print(r["test"], [r[k] for k in ("executions", "steps", "distinct_runs", "blocked", "cut", "failed", "verdict")],
          sorted((p["place"], p["name"], p["held"], p["not_held"]) for p in r["properties"]),
          sorted((f["kind"], f["place"], f["count"]) for f in r["failures"]))' || problem "no counts"
}
compare_optimal() {
    local program=$examples/$1 j
    shift
    for j in 1 2 3; do
        "$rehearse" test "$program" --explorer optimal --keep-going --max-runs 5000 --json json "$@" -j $j >out 2>err
        counts >$j
    done
    [ -s 1 ] && cmp -s 1 2 && cmp -s 1 3 || problem "$program $*: optimal counts otherwise with more workers: $(diff 1 2) $(diff 1 3)"
}

if have_python && [ -x "$examples/gatling" ]; then
    compare_optimal gatling
    compare_optimal gatling -p bug=ga1
    compare_optimal barber
    compare_optimal store
    compare_optimal store -p bug=early
    compare_optimal scheduler -p bug=double
    compare_optimal procreg -p bug=start_twice
    compare 0 gatling
    compare 1 gatling -p bug=ga1
    compare 0 scheduler
    compare 1 scheduler -p bug=double
    compare 1 scheduler -p bug=forgotten
    compare 0 procreg
    compare 1 procreg -p bug=start_twice
    compare 1 store -p bug=early
    compare 1 senders -p bug=orderly
    compare 1 threadring -p bug=careless
else
    echo "python3 or the examples are not there: totals are not compared"
fi

# ---- the command line ------------------------------------------------------------------------------------------------------
expect 0 "${slow[@]}" --explorer dfs -p n=6 -j2
out_has '720 runs' '720 distinct runs' '2 workers' exhaustive
err_empty
expect 0 "${slow[@]}" -j 2 --explorer dfs -p n=6
out_has '720 runs' '2 workers'
expect 0 "${slow[@]}" --explorer dfs -p n=6 -j
out_has '720 runs'
expect 0 "${slow[@]}" -j 0 --explorer dfs -p n=6
out_has '720 runs'
expect 0 "${slow[@]}" -j senders --explorer dfs -p n=6 # the next word is no number
out_has '720 runs'
expect 0 "${slow[@]}" -j2 -p n=6
out_has exhaustive '720 distinct runs'
expect 0 "${slow[@]}" -j3 --explorer random --max-runs 5000
out_has '5,000 runs' 'sampled: '
expect 0 "${slow[@]}" -j3 --explorer dfs --max-runs 5000
out_has '5,000 runs' 'sampled: 5,000 runs of about 4' # 12! is 479,001,600
expect 0 "${slow[@]}" -j2 --explorer dfs -p n=5 --model all
same 'all models' 4 "$(grep -c '2 workers' out)"
expect 1 "${slow[@]}" -j2 -p bug=last
out_has 'FAILED senders' 'the first came last' 'replay it'
expect 1 "$rehearse" replay "$fixtures/slow" rehearse-findings/senders-fifo-assertion-*.schedule
expect 0 "${slow[@]}" -j2 --explorer dfs --max-seconds 6
grep -qE ' distinct runs, 0 findings, [0-9]+ s, 2 workers$' err || problem "no progress of workers"

refused 'a number of workers is wanted' "${slow[@]}" -jx
refused 'a number of workers is wanted' "${slow[@]}" -j 513
refused 'a number of workers is wanted' "${slow[@]}" -j99999999999999999999
refused 'there is no such option' "${slow[@]}" --j 2
refused 'cannot share its work' "${slow[@]}" -j 2 --explorer roundrobin
refused 'cannot share its work' "${slow[@]}" --checkpoint c --explorer bound:runs=3,dfs
refused '--resume wants --checkpoint' "${slow[@]}" --resume
refused 'for one test under one model' "${slow[@]}" --checkpoint c --model all
refused 'for one test under one model' "$rehearse" test "$fixtures/kinds" --checkpoint c
refused 'none: No such file' "${slow[@]}" --checkpoint none --resume
refused 'no/such/folder' "${slow[@]}" --checkpoint no/such/folder/c --explorer dfs
echo 'something else' >c
refused 'c is no checkpoint' "${slow[@]}" --checkpoint c --resume --explorer dfs

# Hours of work are not replaced by a slip of the hand.
refused 'c is there already: add --resume to go on from it, or remove it' "${slow[@]}" --checkpoint c --explorer dfs
same 'what was there' 'something else' "$(cat c)"
expect 0 "${slow[@]}" --checkpoint finished --explorer dfs -p n=3
cp finished before
refused 'finished is there already' "${slow[@]}" --checkpoint finished --explorer dfs -p n=3
cmp -s finished before || problem "a finished checkpoint was changed"
expect 0 "${slow[@]}" --checkpoint finished --resume --explorer dfs -p n=3
: >empty
expect 0 "${slow[@]}" --checkpoint empty --explorer dfs -p n=3 # nothing is lost

# ---- the tool is killed ------------------------------------------------------------------------------------------------------
expect 0 "${slow[@]}" --explorer dfs -p n=10 --max-seconds 1000 --json json
[ "$(grep -c '"executions":3628800' json)" = 1 ] || problem "n=10 has other totals than 10!"
kills=0
rm -f kept
for round in 1 2 3 4 5 6; do
    resume=
    [ -s kept ] && resume=--resume
    "$fixtures/slow" --explorer dfs -p n=10 --max-seconds 1000 -j 2 --checkpoint kept $resume --json json >out 2>err &
    pid=$!
    sleep 0.4 # any moment will do
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
done
expect 0 "$fixtures/slow" --explorer dfs -p n=10 --max-seconds 1000 -j 2 --checkpoint kept --resume --json json
grep -q '"executions":3628800,"steps":36288000,"distinct_runs":3145728,"distinct_runs_at_least":true' json ||
    problem "other totals after $kills kills: $(cut -c 1-300 json)"
grep -q '"verdict":"exhaustive"' json || problem "not exhaustive after $kills kills"
[ -e kept.new ] && echo "a file that was not finished is left behind, as it may be"
expect 0 "$fixtures/slow" --explorer dfs -p n=10 --checkpoint kept --resume # one that is done
out_has '3,628,800 runs' exhaustive
cp "$fixtures/slow" other && printf x >>other
refused 'where this is "program with hash' ./other --explorer dfs -p n=10 --checkpoint kept --resume

if ! command -v setsid >/dev/null || ! command -v ps >/dev/null; then
    echo "setsid or ps is not there: the rest is not tried"
    finish
fi

# Nobody is left behind.
"$fixtures/slow" --explorer dfs -j 3 --max-seconds 1000 >out 2>err &
pid=$!
for _ in $(seq 600); do
    children=$(ps -o pid= --ppid $pid 2>/dev/null | tr '\n' ' ')
    [ "$(echo $children | wc -w)" = 3 ] && break
    sleep 0.1
done
[ "$(echo $children | wc -w)" = 3 ] || problem "not three workers: $children"
kill -9 $pid
wait $pid 2>/dev/null
for _ in $(seq 600); do
    left=$(ps -o pid= -p "${children// /,}0" 2>/dev/null | wc -l)
    [ "$left" = 0 ] && break
    sleep 0.1
done
[ "$left" = 0 ] || problem "$left workers are left"

# An interrupt writes it too.
rm -f kept
setsid --fork bash -c 'echo $$ >pid; "$@" >out 2>err; echo $? >code' _ "$fixtures/slow" --explorer dfs -j 2 \
    --max-seconds 1000 --checkpoint kept
for _ in $(seq 3000); do
    sleep 0.1
    [ -s pid ] && [ "$(ps -o pid= --sid "$(cat pid)" | wc -l)" -ge 6 ] && break
done
kill -INT -- "-$(cat pid)"
for _ in $(seq 3000); do
    [ -s code ] && break
    sleep 0.1
done
same 'interrupted' 130 "$(cat code)"
out_has 'interrupted, nothing found' 'sampled: '
runs=$(sed -n 's/^  \([0-9,]*\) runs.*/\1/p' out | tr -d ,)
expect 0 "$fixtures/slow" --explorer dfs --max-runs $((runs + 1)) --checkpoint kept --resume --json json
grep -q "\"executions\":$((runs + 1))," json || problem "it did not go on from $runs runs"

finish
