# What the tests of examples share.  SOURCE_DIR comes from ctest.

# Where a bug is too rare to be looked for in a test, EXAMPLE -p ... makes it less so; schedules/ has one of each as it is.
# shellcheck disable=SC2034
declare -A smaller=(
    [gatling-engine]="-p users=2 -p requests=1"
    [barber-morning]="-p customers=2 -p questions=1"
    [messenger-rooms]="-p users=2 -p blocks=1"
    [procreg-directory]="-p hosts=4"
)

# every_example: the names of all programs with a test.c, NAME or NAME-PART
every_example() {
    local name
    for name in "$SOURCE_DIR"/examples/*/test.c "$SOURCE_DIR"/examples/*/*/test.c; do
        name=${name#"$SOURCE_DIR"/examples/}
        name=${name%/test.c}
        echo "${name//\//-}"
    done
}
