# shellcheck shell=bash disable=SC2154,SC1091
# The files of docs/guide/cluster.md: systemd takes the unit, and the container file installs what the command needs.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
part() { sed -n "/^\`\`\`text $1\$/,/^\`\`\`\$/p" "$SOURCE_DIR/docs/guide/cluster.md" | sed '1d;$d'; }

part rehearse-agent.service >rehearse-agent.service
grep -q '^ExecStart=/usr/local/bin/rehearse agent ' rehearse-agent.service || problem "the unit starts no agent"
grep -q '^PREFIX ?= /usr/local$' "$SOURCE_DIR/Makefile" || problem "make install puts the command elsewhere than the unit says"
if command -v systemd-analyze >/dev/null; then
    sed -i "s|^ExecStart=/usr/local/bin/rehearse|ExecStart=$rehearse|" rehearse-agent.service
    systemd-analyze verify "$work/rehearse-agent.service" >told 2>&1
    grep rehearse-agent told && problem "systemd does not take the unit"
fi

part Containerfile >Containerfile
if grep -q '^VERSION_ID="12"' /etc/os-release && grep -q '^ID=debian' /etc/os-release && command -v readelf >/dev/null; then
    seen=0
    for library in $(readelf -d "$rehearse" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'); do
        file=$(realpath "$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')")
        package=$({ dpkg -S "$file" || dpkg -S "/usr$file" || dpkg -S "${file#/usr}"; } 2>/dev/null | sed 's/:.*//;q')
        case $package in
        libc6 | libgcc-s1 | lib*san[0-9]*) continue ;; # of each Debian, or of this build
        esac
        grep -qw -- "$package" Containerfile || problem "the container lacks $package ($library)"
        seen=$((seen + 1))
    done
    [ $seen -ge 3 ] || problem "the command needs $seen libraries only?"
fi
finish
