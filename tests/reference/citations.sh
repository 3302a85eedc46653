#!/bin/bash
# Every citation [Name YYYY] or [Name YYYY, section] in the project is a heading of docs/papers.md, and every file that
# docs/papers.md names exists. The checks are then run on a copy with one mistake of each kind, which they must find.
set -u
cd "${SOURCE_DIR:-.}" || exit 2

form='\[[A-Z][A-Za-z]*( and [A-Z][a-z]+)? (19|20)[0-9][0-9](, [^]]*)?\]'

# unresolved PAPERS FILE...: citations without a heading
unresolved() {
    local papers=$1
    shift
    grep -ohE "$form" "$@" | sed 's/,.*\]/]/' | sort -u | while read -r citation; do
        grep -qxF "### $citation" "$papers" || echo "$citation is not in $papers"
    done
}

# missing PAPERS: files in backquotes that do not exist
missing() {
    grep -oE '`(src|include|tests|bench|examples|docs)[a-z_/.0-9]*`' "$1" | tr -d '`' | sort -u | while read -r file; do
        [ -e "$file" ] || echo "$file, which $1 names, does not exist"
    done
}

mapfile -t files < <(find src include tests bench docs examples -type f \( -name '*.[ch]' -o -name '*.py' -o -name '*.md' \))
wrong=$(unresolved docs/papers.md "${files[@]}" ARCHITECTURE.md README.md; missing docs/papers.md)
if [ -n "$wrong" ]; then
    echo "$wrong" >&2
    exit 1
fi

copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT
sed 's|^### \[TruSt 2022\]|### [Trust 2022]|; s|`src/explore/dfs/dfs.c`|`src/explore/dfs/none.c`|' docs/papers.md >"$copy/papers.md"
[ "$(unresolved "$copy/papers.md" "${files[@]}")" = "[TruSt 2022] is not in $copy/papers.md" ] &&
    [ "$(missing "$copy/papers.md")" = "src/explore/dfs/none.c, which $copy/papers.md names, does not exist" ] || {
    echo "the checks did not find the mistakes that were made for them" >&2
    exit 1
}
