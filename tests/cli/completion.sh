# shellcheck shell=bash disable=SC2154,SC2034,SC1091
# The build makes manual page and completions from the rows of options: they have the options of --help; bash's works.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

expect 0 "$fixtures/bank" --help
sed -n 's/^    \(--\{0,1\}[a-z][a-z-]*\) .*/\1/p' out | sort -u >help
[ "$(wc -l <help)" -ge 25 ] || problem "only $(wc -l <help) options found in --help"

sed -n '/^ *options="/,/"$/p' "$BUILD_DIR/completion/rehearse.bash" | grep -oE -- '-{1,2}[a-z][a-z-]*' | sort -u >of_bash
diff help of_bash >differ || problem "completion/rehearse.bash and --help: $(tr '\n' ' ' <differ)"
sed -n "s/^ *'\**\(-[a-z-]*\)\[.*/\1/p" "$BUILD_DIR/completion/_rehearse" | sort -u >of_zsh
diff help of_zsh >differ || problem "completion/_rehearse and --help: $(tr '\n' ' ' <differ)"
page=$BUILD_DIR/docs/man/rehearse.1
grep '^\.It Fl' "$page" | grep -oE 'Fl -?[a-z][a-z-]*' | sed 's/^Fl /-/' | sort -u >of_man
diff help of_man >differ || problem "docs/man/rehearse.1 and --help: $(tr '\n' ' ' <differ)"
for command in test estimate list replay show step corpus; do
    grep -q "^\.It Cm $command$" "$page" || problem "the manual page does not tell of $command"
    for shell in rehearse.bash _rehearse; do
        grep -q "\b$command\b" "$BUILD_DIR/completion/$shell" || problem "completion/$shell does not know $command"
    done
done
for word in object free ordered logical mailbox; do
    for file in docs/man/rehearse.1 completion/rehearse.bash completion/_rehearse; do
        grep -q "\b$word\b" "$BUILD_DIR/$file" || problem "$file does not know $word"
    done
done
"$fixtures/bank" list | awk '/^[a-z]/ { on = /^explorers/; next } on && !/^   / { print $1 }' | while read -r name; do
    grep -q "^\.It Cm $name\b" "$page" || echo "$name"
done >differ
[ -s differ ] && problem "explorers that the manual page does not name: $(tr '\n' ' ' <differ)"

# No list is left to fill in, and a template that wants an unknown list is refused.
for file in completion/rehearse.bash completion/_rehearse docs/man/rehearse.1; do
    grep -n '^ *@.*@$' "$BUILD_DIR/$file" && problem "$file has a list that is not filled in"
done
printf 'a\n@no such list@\n' >template
refused 'template: line 2: there is no list @no such list@' "$BUILD_DIR/bin/rehearse-option-docs" template filled
[ -e filled ] && problem "a template that was refused left a file"

# The page is without mistakes.
if command -v groff >/dev/null; then
    groff -ww -mdoc -Tutf8 "$page" >rendered 2>warnings
    [ -s warnings ] && problem "groff: $(head -n 3 warnings)"
    [ "$(wc -l <rendered)" -gt 100 ] || problem "the page is rendered to $(wc -l <rendered) lines"
else
    echo "groff is not there: the manual page is not rendered"
fi

# Bash's completion.
PATH=$BUILD_DIR/bin:$PATH
. "$BUILD_DIR/completion/rehearse.bash" || problem "completion/rehearse.bash cannot be read"
complete_words() { # complete_words WORD...: what is offered for the last one
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _rehearse 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
same commands 'replay ' "$(complete_words rehearse re)"
same options '--max-all-steps --max-runs --max-seconds --max-steps ' "$(complete_words rehearse test "$fixtures/kinds" --max)"
same tests 'several stack stuck ' "$(complete_words rehearse test "$fixtures/kinds" s)"
same explorers 'random replay roundrobin ' "$(complete_words rehearse test "$fixtures/kinds" --explorer r)"
same 'tests to estimate' 'several stack stuck ' "$(complete_words rehearse estimate "$fixtures/kinds" s)"
same 'an estimate' 'estimate ' "$(complete_words rehearse e)"
same reductions 'delay delayed dfs dpor ' "$(complete_words rehearse test "$fixtures/kinds" --explorer d)"
same granularities 'object ' "$(complete_words rehearse test "$fixtures/kinds" --granularity o)"
same models 'mailbox ' "$(complete_words rehearse test "$fixtures/kinds" --model m)"
same parameters 'n= ' "$(complete_words rehearse test "$fixtures/slow" -p n)"
same 'options of replay' '--gdb --granularity ' "$(complete_words rehearse replay "$fixtures/kinds" x --g)"
same 'verdicts' 'bounded ' "$(complete_words rehearse test "$fixtures/kinds" --require b)"
same 'criteria' 'pcr pmr pr ' "$(complete_words rehearse test "$fixtures/kinds" --coverage p)"
same 'numbers' ' ' "$(complete_words rehearse test "$fixtures/kinds" --losses '')"
mkdir folder
same 'folders' 'folder ' "$(complete_words rehearse test "$fixtures/kinds" --save fol)"
touch a.schedule b.txt
same schedules 'a.schedule ' "$(complete_words rehearse replay "$fixtures/kinds" a)"

finish
