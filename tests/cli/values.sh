# shellcheck shell=bash disable=SC2154,SC1091
# Values in stories: described by the program, of C++ structs, and without debug information.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

sanitize=$(setting RH_SANITIZE)
flags=(-O1 -I"$SOURCE_DIR/include")
[ -z "$sanitize" ] || flags+=(-fsanitize="$sanitize" -fno-omit-frame-pointer)
[ "$(setting RH_COVERAGE)" != ON ] || flags+=(--coverage)
# compile COMPILER OUTPUT FLAG-OR-SOURCE...
compile() {
    local compiler=$1 to=$2
    shift 2
    "$compiler" "${flags[@]}" "$@" -Wl,--push-state,--whole-archive,"$BUILD_DIR/lib/librehearse-interpose.a",--pop-state \
        "$BUILD_DIR/lib/librehearse.a" "$(setting REHEARSE_BOOST_CONTEXT)" -ldl -lm -pthread -o "$to" >cc.log 2>&1
}

# ---- RH_DESCRIBE ---------------------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$fixtures/described" nested
out_has 'ballot=(3.1), yes=true => taken=1, last=(3.1)' 't4 prev 2 of keeper#1: \x1b[2J'
out_lacks 'values are bytes' 'rh_no_fields'
expect 1 "$rehearse" test "$fixtures/described" state
out_has 'ballot=(2.1), yes=false => 2 in 1'
expect 1 "$rehearse" test "$fixtures/described" --html page.html
grep -q 't4 prev 2 of keeper#1' page.html || problem 'the page does not show the description'

# ---- without -g: sizes and bytes, and a word ------------------------------------------------------------------------------
# A sanitizer's library may have debug information of its own; the shared library of the world has none of these structs.
if compile "${CC:-cc}" plain -g0 "$SOURCE_DIR/tests/fixtures/described.c"; then
    expect 1 "$rehearse" test ./plain nested
    out_has '12 bytes: 03 00 00 00 01 00 00 00 01' 't4 prev 2 of keeper#1' '=> byte 0: 01, byte 4: 03' \
        '(values are bytes: no debug information about vote; compile the program with -g)'
    out_lacks '1 byte: 00'
    expect 1 "$rehearse" test ./plain state
    out_has '=> 2 in 1'
else
    cat cc.log
    problem 'described.c does not compile without -g'
fi

# ---- C++ -----------------------------------------------------------------------------------------------------------------
if ! command -v "${CXX:-c++}" >/dev/null; then
    echo 'no C++ compiler'
elif compile "${CXX:-c++}" cxx -g -std=c++20 "$SOURCE_DIR/tests/cli/values.cc"; then
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        printf '1\n1\nquit\n' | "$rehearse" step ./cxx values -p seed=$seed >out 2>err
        last="step, seed $seed"
        out_has "$(cat expected)"
    done
else
    cat cc.log
    problem 'values.cc does not compile'
fi
finish
