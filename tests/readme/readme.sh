#!/usr/bin/env bash
# What the README shows is what the tool does: every `$ command` in its blocks marked "console" is run in a folder where
# build/ is the build under test, and its output must be the text that follows, but for times.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$BUILD_DIR" "$work/build"
cd "$work" || exit 1
export PATH=$BUILD_DIR/bin:$PATH

plain() { sed -E 's/[0-9]+\.[0-9]+ s/N s/g; s/[[:space:]]+$//'; }

awk '/^```console/{on=1;next} /^```/{on=0} on' "$SOURCE_DIR/README.md" >shown
if [ ! -s shown ]; then
    echo "README.md shows no runs"
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
    echo "README.md (-) and the tool (+) differ"
    exit 1
fi
