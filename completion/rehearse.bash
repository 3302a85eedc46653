# bash completion for rehearse(1). The options stand here as they do in `rehearse test BINARY --help`
# (tests/cli/completion.sh compares them); tests, parameters and explorers come from `rehearse list BINARY`.

_rehearse_list() { # _rehearse_list BINARY SECTION: the names of one section of `rehearse list`
    rehearse list "$1" 2>/dev/null | awk -v want="$2" '/^[a-z]/ { on = index($0, want) == 1; next } on { print $1 }'
}

_rehearse() {
    local cur prev binary options
    COMPREPLY=()
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    options="--explorer --model --granularity --time --seed -p --max-runs --max-seconds --max-steps --max-all-steps
        --keep-going --no-determinism-check -j --checkpoint --resume --losses --duplicates --crashes --restarts --kept-restarts --partitions --failed-opens --damaged-stores --failed-puts --set --save --coverage --coverage-file --suite --require --json --junit --tap
        --step --gdb --quiet --verbose --help"

    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "test estimate list replay corpus coverage help --help --version" -- "$cur")
        return
    fi
    if [ "${COMP_WORDS[1]}" = coverage ]; then
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "show merge" -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur" && compgen -W "-o --json --all" -- "$cur")
            compopt -o filenames 2>/dev/null
        fi
        return
    fi
    if [ "$COMP_CWORD" -eq 2 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
        return
    fi
    binary=${COMP_WORDS[2]}
    case $prev in
    --explorer) mapfile -t COMPREPLY < <(compgen -W "$(_rehearse_list "$binary" explorers)" -- "$cur") ;;
    --model) mapfile -t COMPREPLY < <(compgen -W "fifo bag causal mailbox all" -- "$cur") ;;
    --granularity) mapfile -t COMPREPLY < <(compgen -W "handler send operation object" -- "$cur") ;;
    --time) mapfile -t COMPREPLY < <(compgen -W "free ordered logical" -- "$cur") ;;
    -p)
        mapfile -t COMPREPLY < <(compgen -S = -W "$(_rehearse_list "$binary" parameters) bug" -- "$cur")
        compopt -o nospace 2>/dev/null
        ;;
    --require) mapfile -t COMPREPLY < <(compgen -W "exhaustive bounded" -- "$cur") ;;
    --coverage) mapfile -t COMPREPLY < <(compgen -W "pr pcr pmr all" -- "$cur") ;;
    --save | --suite)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        compopt -o filenames 2>/dev/null
        ;;
    --json | --junit | --checkpoint | --coverage-file)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
        ;;
    -j | --seed | --max-* | --losses | --duplicates | --crashes | --restarts | --kept-restarts | --partitions | --failed-opens | --damaged-stores | --failed-puts | --step | --set) ;;
    *)
        case $cur in
        -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur") ;;
        *)
            case ${COMP_WORDS[1]} in
            test | estimate) mapfile -t COMPREPLY < <(compgen -W "$(_rehearse_list "$binary" tests)" -- "$cur") ;;
            replay)
                mapfile -t COMPREPLY < <(compgen -f -X '!*.schedule' -- "$cur" && compgen -d -- "$cur")
                compopt -o filenames 2>/dev/null
                ;;
            corpus)
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                compopt -o filenames 2>/dev/null
                ;;
            esac
            ;;
        esac
        ;;
    esac
}
complete -F _rehearse rehearse
