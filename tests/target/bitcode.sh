# shellcheck shell=bash disable=SC2154,SC1091,SC2016
# rehearse-bitcode gives a program its bitcode, whoever builds it; and clear words where the bitcode is wrong.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$BUILD_DIR/examples/bank-bitcode" ] || exit 77
launcher=$BUILD_DIR/bin/rehearse-bitcode
bank=$SOURCE_DIR/examples/bank
libraries=("-Wl,--push-state,--whole-archive,$BUILD_DIR/lib/librehearse-interpose.a,--pop-state" "$BUILD_DIR/lib/librehearse.a"
    -l:libboost_context.a -ldl -lm -pthread)
include=(-I"$SOURCE_DIR/include")

# ---- one call that compiles and links, and one for each file -------------------------------------------------------------
expect 0 "$launcher" gcc -std=c11 -O2 -Wall -fanalyzer -g3 "${include[@]}" "$bank/test.c" "$bank/bank.c" -o both "${libraries[@]}"
expect 0 "$rehearse" graph ./both
out_has 'client sends to server: deposit, withdraw'
expect 0 "$rehearse" test ./both --max-runs 50
expect 0 "$launcher" gcc "${include[@]}" -MD -MF bank.d -MT bank.o -c "$bank/bank.c" -o bank.o
grep -q 'bank.h' bank.d || problem "no dependencies"
expect 0 "$launcher" gcc "${include[@]}" -c "$bank/test.c"
[ -s test.o ] || problem "the default name of the object"
expect 0 "$launcher" gcc test.o bank.o -o apart "${libraries[@]}"
expect 0 "$rehearse" graph ./apart
out_has 'server sends to client: confirmed'
ls ./*.rehearse.* 2>/dev/null && problem "files are left over"
expect 0 "$launcher" gcc --version
expect 1 "$launcher" gcc "${include[@]}" -DFIRST_BALANCE=1+ -c "$bank/bank.c" -o broken.o
err_has 'rehearse-bitcode: ' 'makes no bitcode'
[ -e broken.o ] && problem "an object after a failure"
expect 2 "$launcher"

# ---- what is wrong with bitcode -------------------------------------------------------------------------------------------
# A file without bitcode: the note says which actors are missing, or that there is no test.
gcc "${include[@]}" -c "$bank/bank.c" -o plain.o
expect 0 "$launcher" gcc test.o plain.o -o part "${libraries[@]}"
expect 0 "$rehearse" graph ./part
out_has 'client has no behaviour in the bitcode'
gcc "${include[@]}" -c "$bank/test.c" -o plain-test.o
expect 0 "$launcher" gcc plain-test.o bank.o -o testless "${libraries[@]}"
refused 'has no test' "$rehearse" graph ./testless

# A source that changed after the build.
mkdir changed
cp "$bank"/*.[ch] changed
expect 0 "$launcher" gcc "${include[@]}" changed/test.c changed/bank.c -o stale "${libraries[@]}"
touch -d '+10 seconds' changed/bank.c
expect 0 "$rehearse" graph ./stale
err_has 'changed/bank.c has changed since'

damage() { # NAME BYTES: writes them over the bitcode of the first file in a copy of the program
    cp apart "$1"
    offset=$(readelf -SW "$1" | awk '/rehearse.bitcode/{ for (i = 1; i < NF; i++) if ($i == "PROGBITS") print $(i + 2) }')
    printf "$2" | dd of="$1" bs=1 seek=$((16#$offset + $3)) conv=notrunc status=none
}
damage magic 'XXXX' 0
refused 'damaged, or of another version' "$rehearse" graph ./magic
damage huge '\377\377\377\377\377\377\377\177' 8
refused 'damaged, or of another version' "$rehearse" graph ./huge
damage body 'XXXXXXXX' $((32 + $(readlink -f "$bank/test.c" | tr -d '\n' | wc -c)))
refused 'damaged, or of another version' "$rehearse" graph ./body

# Bitcode of strangers is input: whatever the bytes are, there is an exit code and a sentence.
if have_python; then
    python3 - <<'END' || problem "damaged bitcode"
import os, random, struct, subprocess, sys
whole = open("apart", "rb").read()
start = whole.find(b"RHBC0002")
size, name = struct.unpack_from("<QQ", whole, start + 8)
first = start + 32 + name

def fnv(b):
    h = 1469598103934665603
    for x in b:
        h = (h ^ x) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return h

assert struct.unpack_from("<Q", whole, start + 24)[0] == fnv(whole[first:first + size])
random.seed(7)
bad = 0

def graph(b):
    open("fuzzed", "wb").write(b)
    r = subprocess.run([os.environ["BUILD_DIR"] + "/bin/rehearse", "graph", "./fuzzed"], capture_output=True, timeout=60)
    clear = r.returncode == 0 or (r.returncode in (2, 3) and b"rehearse: " in r.stderr)
    if not clear:
        print("exit", r.returncode, r.stderr[-300:])
    return not clear, r.stderr

for i in range(30):
    b = bytearray(whole)
    for _ in range(random.choice([1, 3, 20])):
        b[first + random.randrange(size)] = random.randrange(256)
    struct.pack_into("<Q", b, start + 24, fnv(b[first:first + size])) # so that LLVM reads it
    bad += graph(b)[0]

# A later LLVM: its version stands in the first block of the bitcode.
b = bytearray(whole)
b[first:first + 4] = b"BC\xc0\xff"
struct.pack_into("<Q", b, start + 24, fnv(b[first:first + size]))
unclear, text = graph(b)
bad += unclear or b"clang 14" not in text
sys.exit(bad > 0)
END
fi
finish
