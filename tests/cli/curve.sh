# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# --curve: how an exploration went on, in JSON. pingpong(n) has 2^(n+1) sequences under mailbox with whole handlers.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
have_python || { echo "python3 is missing"; exit 77; }

last() { # last EXPLORER RUNS FIELD...: the verdict and the last point of the curve
    expect 0 "$BUILD_DIR/examples/pingpong" test -p n=6 --model mailbox --granularity handler --explorer "$1" \
        --max-runs "$2" --curve --json json --save '' --quiet
    python3 -c "
import json
r = json.load(open('json'))
c = r['curve']
assert c[0][0] == 0 or len(c) == 1, c[0]
assert all(a[0] < b[0] and a[1] <= b[1] and a[2] <= b[2] and a[5] <= b[5] for a, b in zip(c, c[1:])), c
assert len(c) <= 512
print(c[-1][0], c[-1][2], c[-1][3], c[-1][5])"
}
same dfs "128 1 128 128" "$(last dfs 1000)"
same scatter "128 1 128 128" "$(last scatter 1000)"
same "scatter after 9 of 128 runs: a balanced tree is known" "9 1 128 9" "$(last scatter 9)"
same "random has met all" "9000 1 None 128" "$(last random 9000)"
expect 0 "$BUILD_DIR/examples/pingpong" test -p n=6 --model mailbox --granularity handler --explorer dfs -j 2 --curve \
    --json json --save '' --quiet
same "workers do not tell of sequences" "None" "$(python3 -c "import json; print(json.load(open('json'))['curve'][-1][5])")"
expect 0 "$BUILD_DIR/examples/pingpong" test -p n=6 --explorer dfs --json json --save '' --quiet
grep -q '"curve"' json && problem "a curve without --curve"
finish
