# shellcheck shell=bash disable=SC2154,SC1091
# A report that cannot be written is told of, and does not keep the others from being written.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
[ -c /dev/full ] || exit 77

junit_is_whole() { # junit_is_whole CASES: in ./junit.xml
    head -n 1 junit.xml 2>/dev/null | grep -q '^<?xml' || problem "no beginning of JUnit: $last"
    tail -n 1 junit.xml 2>/dev/null | grep -q '^</testsuite' || problem "no end of JUnit: $last"
    same 'test cases' "$1" "$(grep -c '<testcase ' junit.xml)"
    rm -f junit.xml
}

for tests in passes 'passes assertion'; do
    code=3 && [ "$tests" = passes ] || code=1 # what was found counts more
    # shellcheck disable=SC2086  # words on purpose
    expect $code "$rehearse" test "$fixtures/kinds" $tests --json /dev/full --junit junit.xml
    err_has '/dev/full'
    junit_is_whole "$(wc -w <<<"$tests")"

    # shellcheck disable=SC2086
    expect $code "$rehearse" test "$fixtures/kinds" $tests --junit /dev/full --json json
    err_has '/dev/full'
    same 'objects' "$(wc -w <<<"$tests")" "$(grep -c '"test":' json)"
    rm -f json
done

finish
