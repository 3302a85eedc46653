# shellcheck shell=bash disable=SC2034
# What the tests of the command share. Each script works in a folder of its own that is removed at the end.
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
rehearse=$BUILD_DIR/bin/rehearse
fixtures=$BUILD_DIR/tests/fixtures
failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# problem TEXT...: notes a failure; shows what the last command printed
problem() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    [ -s out ] && sed 's/^/    out: /' out | head -n 8
    [ -s err ] && sed 's/^/    err: /' err | head -n 8
}

# expect CODE COMMAND...: runs it with standard output in ./out and standard error in ./err
expect() {
    local code=$1 got
    shift
    last="$*"
    "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$code" ] || problem "exit $got instead of $code: $last"
}

# out_has TEXT..., err_has TEXT...: each as it stands, somewhere in what the last command printed
out_has() { local t; for t in "$@"; do grep -qF -- "$t" out || problem "no \"$t\" in the output of: $last"; done; }
err_has() { local t; for t in "$@"; do grep -qF -- "$t" err || problem "no \"$t\" in the errors of: $last"; done; }
out_lacks() { local t; for t in "$@"; do grep -qF -- "$t" out && problem "\"$t\" in the output of: $last"; done; true; }
err_empty() { [ ! -s err ] || problem "something on standard error: $last"; }
out_empty() { [ ! -s out ] || problem "something on standard output: $last"; }

# refused TEXT COMMAND...: exit 2, nothing on standard output, one sentence on standard error that has TEXT
refused() {
    local text=$1
    shift
    expect 2 "$@"
    out_empty
    err_has "$text"
    [ "$(wc -l <err)" = 1 ] || problem "not one line on standard error: $last"
    grep -q '^rehearse: ' err || problem "standard error does not begin with \"rehearse: \": $last"
}

# same TEXT EXPECTED ACTUAL
same() { [ "$2" = "$3" ] || problem "$1: \"$3\" instead of \"$2\""; }

# json EXPRESSION: of the objects in ./json (a list called r), as Python prints it; fails the test where it is no JSON
json() {
    python3 -c '
import json, sys
r = [json.loads(line) for line in open("json", encoding="utf-8")]
print(eval(sys.argv[1]))' "$1" 2>&1 || problem "json: $1"
}
have_python() { python3 -c 'import json' 2>/dev/null; }

finish() {
    [ "$failures" -eq 0 ] && exit 0
    echo "$failures failed"
    exit 1
}

# setting NAME: of the build
setting() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD_DIR/CMakeCache.txt"; }
