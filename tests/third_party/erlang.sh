# shellcheck shell=bash
# The cases of tests/conformance/erlang.c in a real Erlang (Debian: erlang-base): the same outcomes.
: "${SOURCE_DIR:?}"
if ! command -v escript >/dev/null; then
    echo "skipped: no Erlang is installed (Debian: erlang-base)"
    exit 77
fi
ours=$(sed -n 's/^CASE(\([a-z_]*\), "\([^"]*\)").*/\1 \2/p' "$SOURCE_DIR/tests/conformance/erlang.c" | sort)
theirs=$(escript "$SOURCE_DIR/tests/third_party/erlang.escript" | sort) || exit 1
count=$(printf '%s\n' "$ours" | wc -l)
echo "$count cases"
[ "$count" -ge 25 ] || { echo "too few cases"; exit 1; }
diff <(printf '%s\n' "$ours") <(printf '%s\n' "$theirs") && echo "all outcomes are Erlang's"
