# What the tests of examples share.  BUILD_DIR and SOURCE_DIR come from ctest.

# Where a bug is too rare to be looked for in a test, these arguments make it less so; schedules/ has one of each as it is.
declare -A smaller=(
    [gatling-engine]="-p users=2 -p requests=1"
    [barber-morning]="-p customers=2 -p questions=1"
    [messenger-rooms]="-p users=2 -p blocks=1"
    [procreg-directory]="-p hosts=4"
    [signal]="-p workers=2 -p length=4"
    [processes-parallel]="-p components=3 -p phases=1"
    [redis/fr1]="replies_belong_to_their_requests -p callers=2 -p rounds=1 -p sentinels=1"
    [redis/fr2]="what_is_published_is_read -p chunk=64"
)
smaller_for() { echo "${smaller[$1/$2]-${smaller[$1]-}}"; } # EXAMPLE BUG

# every_example: the names of all programs with a test.c, NAME or NAME-PART
every_example() {
    local name
    for name in "$SOURCE_DIR"/examples/*/test.c "$SOURCE_DIR"/examples/*/*/test.c; do
        name=${name#"$SOURCE_DIR"/examples/}
        name=${name%/test.c}
        name=${name//\//-}
        [ "$name" = redis ] && [ ! -x "$BUILD_DIR/examples/redis" ] && continue # without hiredis
        echo "$name"
    done
}
