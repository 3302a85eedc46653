#!/usr/bin/env bash
# What README.md and docs/coverage.md show is what the tool does: every `$ command` in blocks marked "console" is run in a folder where
# build/ is the build under test, and its output must be the text that follows, but for times.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$BUILD_DIR" "$work/build"
cd "$work" || exit 1
export PATH=$BUILD_DIR/bin:$PATH

plain() { sed -E 's/[0-9]+\.[0-9]+ s/N s/g; s/[[:space:]]+$//'; }

status=0
for page in README.md docs/coverage.md; do
    awk '/^```console/{on=1;next} /^```/{on=0} on' "$SOURCE_DIR/$page" >shown
    if [ ! -s shown ]; then
        echo "$page shows no runs"
        exit 1
    fi
    while IFS= read -r line; do
        case $line in
        '$ '*)
            printf '%s\n' "$line"
            eval "${line#\$ }" 2>&1
            ;;
        esac
    done <shown >really
    if ! diff -u <(plain <shown) <(plain <really); then
        echo "$page (-) and the tool (+) differ"
        status=1
    fi
done
exit $status
