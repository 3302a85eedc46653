# shellcheck shell=bash
# unreachable.sh with a million runs of each test, and all programs of examples/savina.
programs=$(cd "${BUILD_DIR:?}/examples" && ls -d savina-*-bitcode | sed 's/-bitcode//')
RUNS=1000000 SECONDS_EACH=10 PROGRAMS="$programs bank barber gatling philosophers pingpong tickets lease store" \
    . "${SOURCE_DIR:?}/tests/target/unreachable.sh"
