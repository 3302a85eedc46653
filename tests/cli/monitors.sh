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

finish
