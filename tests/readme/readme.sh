#!/usr/bin/env bash
# Checks that README.md, the pages of docs/ and the READMEs of the examples show what the tool prints.  Each page is followed
# in a folder of its own, in which build/ is the build under test, and an installed copy is in PATH and PKG_CONFIG_PATH:
#
#   ```c NAME         (or text NAME) the text is written to the file NAME
#   ```diff           the text is a patch, which is applied
#   ```console        every `$ command` is run.  The output must be the text that follows the command; only times may differ,
#                     and the size of a set of states, whose slots depend on addresses in the program.
#
# After a change of the output, write the new text into the pages:  BUILD_DIR=$PWD/build SOURCE_DIR=$PWD tests/readme/readme.sh --update
# (and the names of pages behind it, for only these)
set -u
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
update=${1-}
[ $# -gt 0 ] && shift
sanitized=$(sed -n 's/^RH_SANITIZE:[A-Z]*=//p' "$BUILD_DIR/CMakeCache.txt")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cmake --install "$BUILD_DIR" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name rehearse.pc)")
export PATH=$work/prefix/bin:$PATH PKG_CONFIG_PATH

# The page on standard input, with the real output in its console blocks.
render() {
    local line block= file=
    while IFS= read -r line; do
        case $block:$line in
        ':```console') block=console ;;
        ':```c '* | ':```text '* | ':```diff')
            block=file
            file=${line#"\`\`\`"}
            file=${file##* }
            : >"$file"
            ;;
        'file:```')
            block=
            [ "$file" != diff ] || patch -s -p0 <diff || echo "a patch of the page does not apply"
            ;;
        'file:'*) printf '%s\n' "$line" >>"$file" ;;
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
pages=${*:-$(ls README.md docs/*.md docs/guide/*.md examples/*/README.md examples/*/*/README.md)}
for page in $pages; do
    if ! grep -q '^```console$' "$SOURCE_DIR/$page"; then
        case $page in
        README.md | docs/coverage.md | docs/tutorial.md | examples/*)
            echo "$page shows no run"
            status=1
            ;;
        esac
        continue
    fi
    # A page that compiles says nothing of the options that libraries with sanitizers need.
    [ -n "$sanitized" ] && grep -qE '^\$ (cc|cmake|make) ' "$SOURCE_DIR/$page" && continue
    [ "$page" = examples/redis/README.md ] && [ ! -x "$BUILD_DIR/examples/redis" ] && continue # without hiredis
    mkdir "$work/page" && cd "$work/page" || exit 1
    ln -s "$BUILD_DIR" build
    ln -s "$SOURCE_DIR/tests" tests
    render <"$SOURCE_DIR/$page" | plain >../really
    for picture in *.svg; do # docs/pictures has those that pages show
        [ -e "$picture" ] || continue
        kept=$SOURCE_DIR/docs/pictures/$picture
        if [ "$update" = --update ]; then
            mkdir -p "$SOURCE_DIR/docs/pictures" && cp "$picture" "$kept"
        elif ! cmp -s "$picture" "$kept"; then
            echo "$page: docs/pictures/$picture is not what the tool draws"
            status=1
        fi
    done
    cd "$work" && rm -rf page
    if [ "$update" = --update ]; then
        cmp -s <(comparable <"$SOURCE_DIR/$page") <(comparable <really) || cp really "$SOURCE_DIR/$page"
    elif ! diff -u --label "$page" --label "the tool" <(comparable <"$SOURCE_DIR/$page") <(comparable <really); then
        status=1
    fi
done
[ $status = 0 ] || echo "a page and the tool differ; tests/readme/readme.sh --update writes what the tool prints"
exit $status
