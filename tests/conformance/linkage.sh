#!/bin/bash
# A program in production holds nothing of the controlled world: no function of rehearse/world.h, none of the explorers,
# no malloc or clock of ours.
set -euo pipefail

found=0
for program in "$BUILD_DIR"/tests/conformance_*_rt; do
    [ -x "$program" ] || continue
    found=$((found + 1))
    symbols=$(nm --defined-only "$program" | awk '{ print $3 }')
    # The control: the production runtime is there, so nm did see the program's symbols.
    if ! grep -q '^rh_runtime_start$' <<<"$symbols"; then
        echo "$program: rh_runtime_start is missing"
        exit 1
    fi
    ours='^rh__?(world|sandbox|snapshot|explore|interpose)_|^rh_main$'
    if grep -E "$ours|^(malloc|free|clock_gettime|random)$" <<<"$symbols"; then
        echo "$program: the symbols above do not belong into production"
        exit 1
    fi
done
if [ "$found" -eq 0 ]; then
    echo "no conformance_*_rt in $BUILD_DIR/tests: the production runtime was not built"
    exit 77
fi
echo "$found programs"
