# shellcheck shell=bash disable=SC2154,SC1091
# Summaries say what runs show, over generated handlers (handlers.py): integers of all widths, arrays, tails, structures, floating
# point, branches that are merged, loops, calls, sends, replies and changes of behaviour.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$BUILD_DIR/examples/bank-bitcode" ] || exit 77
compiler=$(command -v cc) && command -v python3 >/dev/null || exit 77
"$rehearse" target "$BUILD_DIR/examples/bank-bitcode" --assertions --stages solver --seconds 0.1 2>&1 | grep -q 'has no solver' && exit 77
libraries=("-Wl,--push-state,--whole-archive,$BUILD_DIR/lib/librehearse-interpose.a,--pop-state" "$BUILD_DIR/lib/librehearse.a"
    -l:libboost_context.a -ldl -lm -pthread)
compared=0
for seed in ${HANDLER_SEEDS:-2 3 4}; do
    python3 "$SOURCE_DIR/tests/target/handlers.py" "$seed" >"$seed.c" || problem "no program $seed"
    expect 0 "$BUILD_DIR/bin/rehearse-bitcode" "$compiler" -std=gnu11 -I"$SOURCE_DIR/include" -o "program$seed" "$seed.c" "${libraries[@]}"
    last="program $seed"
    expect 0 "$BUILD_DIR/bin/rehearse-target" summaries "./program$seed" handlers
    out_has ' 0 differences'
    compared=$((compared + $(sed -n 's/^\([0-9]*\) steps compared.*/\1/p' out)))
done
echo "$compared steps of generated handlers compared with their summaries"
# Paths are made within two seconds of processor time for each actor: how many there are depends on the processor.
[ $compared -ge 40 ] || problem "only $compared steps were compared"
finish
