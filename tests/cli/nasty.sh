# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Texts of programs and of strangers' files reach no terminal as they are: no output of ours has a control character, and JSON, JUnit
# and TAP stay well-formed.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
v=$fixtures/verdicts

# harmless FILE...: no control character but a new line and a tab, none in C1, nothing that turns text round, all UTF-8
harmless() {
    local f
    for f in "$@"; do
        LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' "$f" && problem "control characters in $f: $last"
        LC_ALL=C grep -qaP '\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' "$f" && problem "hidden characters in $f: $last"
        iconv -f UTF-8 -t UTF-8 "$f" >/dev/null 2>&1 || problem "$f is no UTF-8: $last"
    done
}
expect 1 "$rehearse" test "$v" nasty_texts --verbose --json json --junit junit.xml --coverage all --coverage-file cov --save found
harmless out err
out_has 'assert \x1b[31mred\x1b]0;title\x07 \r\x08\x7f \u009b2J \u202eeod \xff\xfe'
grep -q '^ \{0,5\}passed' out && problem 'a text of the program looks like a line of ours'
iconv -f UTF-8 -t UTF-8 json >/dev/null 2>&1 || problem 'JSON is no UTF-8'
LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' json && problem 'control characters in JSON'
harmless junit.xml
if have_python; then
    same 'JSON has all of it' True "$(json '"\u001b[31mred" in r[0]["failures"][0]["message"] and "\u009b2J" in r[0]["failures"][0]["message"]')"
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("junit.xml")' || problem 'JUnit is not well-formed'
fi
expect 1 "$rehearse" test "$v" nasty_texts --tap --save ''
harmless out err
grep -vE '^((not )?ok |1\.\.|  )' out && problem 'lines that are not TAP'
expect 1 "$rehearse" replay "$v" found/latest
harmless out err
grep -q '^passed' out && problem 'a text of the program looks like a line of ours'
expect 1 "$rehearse" corpus "$v" found
harmless out err
expect 0 "$rehearse" coverage show cov --all
harmless out err
expect 0 "$rehearse" list "$v"
harmless out err

# Schedules of strangers.
nasty=$'\x1b[2J\x1b]0;t\x07\x7f\xff'
printf 'rehearse schedule 1\n%s takes x\n' "$nasty" >a.schedule
expect 4 "$rehearse" replay "$v" a.schedule
harmless out err
out_has 'line 2: `\x1b[2J'
expect 4 "$rehearse" test "$v" forever --explorer replay:a.schedule,dfs --max-steps 5
harmless out err
printf 'rehearse schedule 1\nset %s=1\n' "$nasty" >b.schedule
refused 'b.schedule: ' "$rehearse" replay "$v" b.schedule
harmless err
printf 'rehearse schedule 1\ntest %s\n' "$nasty" >c.schedule
refused 'c.schedule: it is for test \x1b[2J' "$rehearse" replay "$v" c.schedule
harmless err
printf 'rehearse %s\n' "$nasty" >d.schedule
refused 'd.schedule: line 1' "$rehearse" replay "$v" d.schedule
harmless err
mkdir corpus && cp ./*.schedule corpus/ && cp a.schedule "corpus/$nasty.schedule"
expect 2 "$rehearse" corpus "$v" corpus
harmless out err

# Words on the command line, names of files.
for words in "test $v $nasty" "test $v --explorer $nasty" "test $v --model $nasty" "test $v --$nasty" \
    "replay $v $nasty" "$nasty" "test $nasty" "coverage show $nasty" "coverage $nasty" "test $v --json $nasty/x"; do
    expect 2 "$rehearse" $words
    harmless out err
done

finish
