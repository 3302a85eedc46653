# shellcheck shell=bash disable=SC2154,SC2034,SC1091
# `rehearse init` writes a project and never touches what is there.  scripts/check-install builds the project.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

expect 0 "$rehearse" init 'my project'
err_empty
out_has 'wrote CMakeLists.txt, tickets.h, ' '    cd my project' 'rehearse test build/tickets_test -p bug=forgets'
for file in CMakeLists.txt tickets.h tickets.c test.c main.c README.md .gitignore schedules/first-come.schedule \
    .github/workflows/rehearse.yml; do
    sed 's/@NAME@/my_project/g' "$SOURCE_DIR/templates/project/$file" | cmp -s - "my project/$file" ||
        problem "$file is not what the template has"
done
same 'files of the project' 9 "$(find 'my project' -type f | wc -l)"
same 'files of the template' 9 "$(find "$SOURCE_DIR/templates/project" -type f | wc -l)"

# What is there stays.
find 'my project' -type f -exec md5sum {} + >before
refused 'my project/CMakeLists.txt is there already; nothing was written: name a new folder' "$rehearse" init 'my project'
find 'my project' -type f -exec md5sum {} + >after
cmp -s before after || problem "a file of an existing project was changed"
mkdir mine
echo mine >mine/test.c
refused 'mine/test.c is there already; nothing was written' "$rehearse" init mine
same 'files beside one that is there' test.c "$(ls -A mine)"
same 'its text' mine "$(cat mine/test.c)"
ln -s nowhere mine/main.c && rm mine/test.c
refused 'mine/main.c is there already' "$rehearse" init mine
# An existing folder with other files, folders in between, the folder itself.
mkdir other && echo hello >other/hello.txt
expect 0 "$rehearse" init other
same 'a file beside the project' hello "$(cat other/hello.txt)"
expect 0 "$rehearse" init a/b/c
[ -f a/b/c/test.c ] || problem "no folders in between"
mkdir here && cd here && expect 0 "$rehearse" init . && cd ..
grep -q 'project(here C)' here/CMakeLists.txt || problem "the name of the folder itself"

refused 'init wants one folder: rehearse init DIR' "$rehearse" init
refused 'init wants one folder' "$rehearse" init a b
refused 'init wants one folder' "$rehearse" init --force
refused 'before is no folder' "$rehearse" init before
expect 3 "$rehearse" init before/x
err_has 'before/x: Not a directory'
expect 0 "$rehearse" init --help
out_has 'rehearse init DIR'

finish
