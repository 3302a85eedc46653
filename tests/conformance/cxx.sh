#!/bin/bash
# cxx.cc, as C++17 and as C++20, linked with both libraries, and run.
set -euo pipefail

cxx=${CXX:-c++}
if ! command -v "$cxx" >/dev/null; then
    echo "no C++ compiler"
    exit 77
fi
setting() { sed -n "s/^$1:[A-Z]*=//p" "$BUILD_DIR/CMakeCache.txt"; }

lib=$BUILD_DIR/lib
flags=(-g -O1 -Wall -Wextra -Wno-missing-field-initializers -I"$SOURCE_DIR/include")
sanitize=$(setting RH_SANITIZE)
[ -z "$sanitize" ] || flags+=(-fsanitize="$sanitize" -fno-omit-frame-pointer)
[ "$(setting RH_COVERAGE)" != ON ] || flags+=(--coverage)
boost=$(setting REHEARSE_BOOST_CONTEXT)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for standard in c++17 c++20; do
    if [ -f "$lib/librehearse-rt.a" ]; then
        "$cxx" -std=$standard "${flags[@]}" -DRH_CONFORMANCE_RT "$SOURCE_DIR/tests/conformance/cxx.cc" \
            "$lib/librehearse-rt.a" "$boost" -lm -pthread -o "$work/rt"
        "$work/rt"
        echo "$standard, production: right"
    fi
    # The controlled world has one thread, and the thread sanitizer no place in it.
    if [ -f "$lib/librehearse.a" ] && [ "$sanitize" != thread ]; then
        "$cxx" -std=$standard "${flags[@]}" "$SOURCE_DIR/tests/conformance/cxx.cc" \
            -Wl,--push-state,--whole-archive,"$lib/librehearse-interpose.a",--pop-state \
            "$lib/librehearse.a" "$boost" -ldl -lm -pthread -o "$work/world"
        "$work/world"
        echo "$standard, controlled: right"
    fi
done
