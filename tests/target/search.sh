# shellcheck shell=bash disable=SC2154,SC1091,SC2086
# rehearse target searches backwards: lines of programs/chains.c and places.c that need several messages are reached by
# the search alone; each schedule, and each generated test in C, reaches its line outside of the generator.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$BUILD_DIR/tests/target/chains-bitcode" ] || exit 77
libraries=("-Wl,--push-state,--whole-archive,$BUILD_DIR/lib/librehearse-interpose.a,--pop-state" "$BUILD_DIR/lib/librehearse.a"
    -l:libboost_context.a -ldl -lm -pthread)
program=$BUILD_DIR/tests/target/chains-bitcode

all_lines() { # NAME SECONDS MISSES: all lines that log `reached` in programs/NAME.c, but for so many
    local name=$1 source=$SOURCE_DIR/tests/target/programs/$1.c binary=$BUILD_DIR/tests/target/$1-bitcode goals= count=0
    local reached checked=0 reaches=0 line file text compiler
    rm -rf rehearse-targets tests.c
    for line in $(grep -n 'rh_log("reached' "$source" | cut -d: -f1); do
        goals="$goals --line $name.c:$line"
        count=$((count + 1))
    done
    last="rehearse target $name"
    "$rehearse" target "$binary" $goals --stages search --seconds "$2" --tests tests.c >out 2>err
    code=$?
    grep -q 'has no solver' err && exit 77
    [ $code -le 1 ] || problem "exit $code"
    reached=$(grep -c '(line) reached by' out)
    echo "$name: $reached of $count lines reached"
    [ "$reached" -ge $((count - $3)) ] || problem "only $reached of $count lines are reached"
    grep 'not found' out | grep -qv 'not found: \|goals of' && problem "a goal is not found, and no reason is given"
    for file in rehearse-targets/*.schedule; do
        line=$(sed -n "s/^reaches $name.c:\([0-9]*\)$/\1/p" "$file")
        text=$(sed -n "${line}s/.*\"\(reached: [^\"]*\)\".*/\1/p" "$source")
        expect 0 "$rehearse" replay "$binary" "$file"
        out_has "${text:-nothing at line $line}"
        checked=$((checked + 1))
    done
    [ $checked = "$reached" ] || problem "$checked schedules for $reached lines"

    # The generated tests in C.
    compiler=$(command -v cc) || return
    expect 0 "$BUILD_DIR/bin/rehearse-bitcode" "$compiler" -g -std=gnu11 -I"$SOURCE_DIR/include" -o generated tests.c "${libraries[@]}"
    expect 0 ./generated list
    for line in $(sed -n "s/^RH_TEST(reaches_${name}_c_\([0-9]*\),.*/\1/p" tests.c); do
        "$rehearse" target ./generated "reaches_${name}_c_$line" --line "$name.c:$line" --stages concrete --seconds 0.5 \
            --save again >out 2>err && reaches=$((reaches + 1))
    done
    echo "$name: $reaches generated tests reach their lines"
    [ $reaches = "$reached" ] || problem "only $reaches of $reached generated tests reach their lines"
}
all_lines chains 7 2
all_lines places 3 1

# ---- what it says when it finds nothing ------------------------------------------------------------------------------
expect 1 "$rehearse" target "$BUILD_DIR/tests/target/outside-bitcode" account_is_open --stages search --seconds 1 \
    --line "outside.c:$(grep -n -m 1 'an impossible number' "$SOURCE_DIR/tests/fixtures/outside.c" | cut -d: -f1)"
out_has '(line) not found: the search' '0 unreachable'
refused 'has no "all"' "$rehearse" target "$program" --assertions --stages all
refused 'has no "h3"' "$rehearse" target "$program" --assertions --search h1,h3

# ---- summaries say what runs show --------------------------------------------------------------------------------------
compared=0
for name in bank barber store; do
    binary=$BUILD_DIR/examples/$name-bitcode
    test=$("$binary" list | sed -n '2s/^ *\([^ ]*\).*/\1/p')
    expect 0 "$BUILD_DIR/bin/rehearse-target" summaries "$binary" "$test"
    out_has ' 0 differences'
    compared=$((compared + $(sed -n 's/^\([0-9]*\) steps compared.*/\1/p' out)))
done
echo "$compared steps of examples compared with their summaries"
[ $compared -ge 20 ] || problem "only $compared steps were compared"
finish
