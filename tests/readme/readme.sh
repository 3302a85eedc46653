#!/usr/bin/env bash
# Checks that README.md, the pages of docs/ and the READMEs of the examples show what the tool prints.  Every `$ command` in a
# block marked "console" is run in a folder in which build/ is the build under test.  The output must be the text that follows
# the command; only times may differ, and the size of a set of states, whose slots depend on addresses in the program.
#
# After a change of the output, write the new text into the pages:  BUILD_DIR=$PWD/build SOURCE_DIR=$PWD tests/readme/readme.sh --update
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
update=${1-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$BUILD_DIR" "$work/build"
ln -s "$SOURCE_DIR/tests" "$work/tests"
cd "$work" || exit 1
export PATH=$BUILD_DIR/bin:$PATH

# The page on standard input, with the real output in its console blocks.
render() {
    local line block=
    while IFS= read -r line; do
        case $block:$line in
        ':```console') block=console ;;
        'console:```') block= ;;
        'console:$ '*)
            printf '%s\n' "$line"
            eval "${line#\$ }" 2>&1 </dev/null
            continue
            ;;
        'console:'*) continue ;;
        esac
        printf '%s\n' "$line"
    done
}

plain() { sed -E 's/[0-9]+\.[0-9]+ s/0.00 s/g; s/[[:space:]]+$//'; }
comparable() { plain | sed -E 's/[0-9.]+ bytes a state/N bytes a state/; s/(states of single actors, about:).*/\1 .../'; }

status=0
cd "$SOURCE_DIR" || exit 1
pages=$(ls README.md docs/*.md examples/*/README.md examples/*/*/README.md)
cd "$work" || exit 1
for page in $pages; do
    if ! grep -q '^```console$' "$SOURCE_DIR/$page"; then
        case $page in
        README.md | docs/coverage.md | examples/*)
            echo "$page shows no run"
            status=1
            ;;
        esac
        continue
    fi
    [ "$page" = examples/redis/README.md ] && [ ! -x "$BUILD_DIR/examples/redis" ] && continue # without hiredis
    rm -rf rehearse-findings
    render <"$SOURCE_DIR/$page" | plain >really
    if [ "$update" = --update ]; then
        cp really "$SOURCE_DIR/$page"
    elif ! diff -u --label "$page" --label "the tool" <(comparable <"$SOURCE_DIR/$page") <(comparable <really); then
        status=1
    fi
done
[ $status = 0 ] || echo "a page and the tool differ; tests/readme/readme.sh --update writes what the tool prints"
exit $status
