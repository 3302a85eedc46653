#!/usr/bin/env bash
# `make demo` and `make install` compile what they need and nothing else: no tests, no benchmarks, no other examples;
# the demo not the optional programs of src/target either (the command has src/link where its packages are).
set -u

dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
status=0

cmake -S "$SOURCE_DIR" --preset install -B "$dir" --log-level=WARNING >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
grep -A4 "CMake Warning" "$dir/log" && status=1

# sources TARGET: the C files that it would compile, but for those that the build writes, one per line
sources() {
    ninja -C "$dir" -t commands "$1" | sed -n 's/.* -c \([^ ]*[.]c\)$/\1/p' | grep -v "^$dir/" | sed "s|^$SOURCE_DIR/||"
}

# expect_only TARGET PATTERN: it compiles files, and all of them match the pattern
expect_only() {
    local found other
    found=$(sources "$1")
    other=$(grep -Ev "$2" <<<"$found")
    if [ -z "$found" ] || [ -n "$other" ]; then
        echo "$1 compiles $(grep -c . <<<"$found") files, among them:"
        echo "$other"
        status=1
    fi
}

expect_only product '^src/'
expect_only demo '^(src/(actor|base|cli|cluster|coverage|explore|findings|history|link|report|results|run|runner|runtime|trace|world)|examples/gatling)/'

# All of the library is among them; but what stands in for a package that is missing (NAME_none.c).
all=$(find "$SOURCE_DIR/src" -name '*.c' ! -name '*_none.c' | wc -l)
some=$(sources product | sort -u | grep -c .)
[ "$all" -eq "$some" ] || { echo "product compiles $some of the $all files of src/"; status=1; }
exit $status
