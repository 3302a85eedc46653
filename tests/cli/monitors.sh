# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC1091
# Monitors that nobody tells anything are noted.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

for options in '' '--explorer stateful' '--explorer random --max-runs 5' '-j 2'; do
    expect 0 "$rehearse" test "$fixtures/monitors" $options
    tr -s ' \n' ' ' <out >line
    for text in 'monitor idle was never told anything: no run announced what it handles (rh_announce)' \
        'monitor forgotten was never told anything: no run has started it (rh_observe)'; do
        grep -qF "$text" line || problem "no note: $text"
    done
    ! grep -qF 'monitor counts was' line || problem 'counts was told something'
done

# A monitor that is hot where runs are cut is not judged, and the report says so.
for options in '--explorer random --max-runs 5' '--explorer random --max-runs 20 -j 2' '--explorer dfs --max-runs 5'; do
    "$rehearse" test "$fixtures/hot" $options --max-steps 30 >out 2>err
    tr -s ' \n' ' ' <out >line
    for text in 'hot where runs were cut, which is not judged: monitor promise' \
        'next: --explorer stateful finds loops in which a monitor stays hot'; do
        grep -qF "$text" line || problem "$options: no note: $text"
    done
done
expect 1 "$rehearse" test "$fixtures/hot" --explorer random --temperature 20 --max-steps 100
! grep -qF 'not judged' out || problem 'a temperature judges'
expect 1 "$rehearse" test "$fixtures/hot" --explorer stateful
! grep -qF 'not judged' out || problem 'stateful judges'

# Several workers look for no loops, and the report says so instead of that something went wrong.
"$rehearse" test "$fixtures/hot" --explorer stateful -j 2 >out 2>err
tr -s ' \n' ' ' <out >line
for text in 'sampled: ' 'next: without -j, stateful also looks for loops in which a monitor stays hot' \
    'with several workers loops with hot monitors are not looked for'; do
    grep -qF "$text" line || problem "stateful -j 2: no note: $text"
done
! grep -qF incomplete line || problem 'stateful -j 2: incomplete'

finish
