# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# Messages from outside (rh_open): found, replayed with their values, values of one's own, budgets, verdicts, refusals.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
program=$fixtures/outside

# ---- every explorer but optimal makes such a choice ----------------------------------------------------------------
for explorer in random delayed dfs dpor cover symmetry:dfs bound:6,dfs portfolio:random+dfs; do
    rm -rf found
    expect 1 "$rehearse" test "$program" account_is_open --explorer $explorer --quiet --save found
    file=$(ls found/*.schedule)
    grep -q '^outside 1 sends .* to account#1$' "$file" || problem "$explorer: no line for the outside in $file"
    expect 1 "$rehearse" replay "$program" "$file"
    out_has 'assertion: account#1: the balance is'
done
refused 'messages from outside (rh_open) may come at any moment, which optimal does not explore' \
    "$rehearse" test "$program" account_is_open --explorer optimal

# With -j the same.
expect 1 "$rehearse" test "$program" account_is_open --explorer dfs -j 2 --quiet --save jobs
expect 1 "$rehearse" replay "$program" jobs/*.schedule

# ---- the verdict says that values are drawn ------------------------------------------------------------------------
expect 0 "$rehearse" test "$program" account_takes_deposits --explorer dfs
out_has 'bounded: every sequence of choices, ' 'with the drawn' 'outside 2'
expect 5 "$rehearse" test "$program" account_takes_deposits --explorer dfs --require exhaustive
# One message with k values: 1 + k sequences.
expect 0 "$rehearse" test "$program" account_takes_deposits --explorer dfs --outside 1 --outside-values 5
out_has '6 runs'
# Two actors with the same state and the same messages are not alike if one of them is open.
for explorer in dfs symmetry:dfs; do
    expect 0 "$rehearse" test "$program" one_of_two_is_open --explorer $explorer
    out_has "$(sed -n 's/^ *\([0-9]* runs\),.*/\1/p' out | tee -a counts | head -n 1)"
done
same 'runs with and without symmetry' "$(sed -n 1p counts)" "$(sed -n 2p counts)"
# Without a budget the test is closed, and optimal takes it.
expect 5 "$rehearse" test "$program" account_takes_deposits --explorer optimal --outside 0 --require exhaustive
out_has 'empty:'

# ---- a schedule may have any values --------------------------------------------------------------------------------
cat >own.schedule <<'END'
rehearse schedule 1
test account_is_open
outside 1 sends deposit { .amount = 67 } to account#1
account#1 takes deposit from outside 1
outside 2 sends withdraw { .amount = 78, .to = account#1 } to account#1
...
account#1 takes withdraw from outside 2
END
expect 1 "$rehearse" replay "$program" own.schedule
out_has 'a lucky number' 'the balance is -1'
# Fields that are left out are zero; a value may be its bytes.
for value in 'withdraw { .amount = 78 }' 'withdraw bytes 4e000000000000000000000000000000'; do
    sed "s/withdraw { .amount = 78, .to = account#1 }/$value/" own.schedule >part.schedule
    expect 1 "$rehearse" replay "$program" part.schedule
    out_has 'the balance is -1'
done
# A value that the test does not allow, one of another shape, an actor that the outside does not know.
for value in 'deposit { .amount = -1 }' 'deposit { .amount = 5000 }' 'deposit { .sum = 5 }' 'deposit' 'never { .amount = 1 }' \
    'withdraw { .amount = 1, .to = account#2 }'; do
    sed "s/deposit { .amount = 67 }/$value/" own.schedule >wrong.schedule
    expect 4 "$rehearse" replay "$program" wrong.schedule
    out_has 'is not possible here' 'outside 1 sends'
done

# ---- reaches -------------------------------------------------------------------------------------------------------
sed '$a reaches outside.c:15' own.schedule >reaches.schedule
refused '`reaches outside.c:15` needs a program that counts its blocks: compile it with rehearse-bitcode' \
    "$rehearse" replay "$program" reaches.schedule
finish
