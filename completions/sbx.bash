# bash completion for sbx

_sbx() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} sub=${COMP_WORDS[1]} flags="" i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "run check explain path init trust profiles schema doctor held accept discard vm selftest --help --version" -- "$cur")
        return
    fi
    if [[ $sub == run ]]; then
        # Behind the first word that is no flag the wrapped command is completed as if it stood alone.
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
                --) _command_offset $((i + 1)) 2>/dev/null; return ;;
                --policy|--profile|--preset|--backend|--image|--read|--write|--network|--env|--set-env|--home|--nested|--mode|--timeout|--memory|--processes|--cpus|--file-size|--open-files|--folder|--id|--keep-fd|--json-status-fd) ((i++)) ;;
                -*) ;;
                *) _command_offset "$i" 2>/dev/null; return ;;
            esac
        done
    fi
    case $sub:$prev in
        *:--backend) mapfile -t COMPREPLY < <(compgen -W "auto native bubblewrap sandbox-exec container" -- "$cur"); return ;;
        *:--network) mapfile -t COMPREPLY < <(compgen -W "off on" -- "$cur"); return ;;
        *:--home) mapfile -t COMPREPLY < <(compgen -W "private persistent host" -- "$cur"); return ;;
        *:--nested) mapfile -t COMPREPLY < <(compgen -W "off on weaker" -- "$cur"); return ;;
        *:--mode) mapfile -t COMPREPLY < <(compgen -W "manual auto bypass" -- "$cur"); return ;;
        *:--preset) mapfile -t COMPREPLY < <(compgen -W "fusion-worktree" -- "$cur"); return ;;
        *:--profile|profiles:*) mapfile -t COMPREPLY < <(compgen -W "$(sbx profiles 2>/dev/null | cut -d" " -f1)" -- "$cur"); return ;;
        path:--read|path:--write) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        *:--policy|*:--read|*:--write|*:--folder) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
        *:--env) mapfile -t COMPREPLY < <(compgen -v -- "$cur"); return ;;
        *:--image|*:--set-env|*:--timeout|*:--memory|*:--processes|*:--cpus|*:--file-size|*:--open-files|*:--id|*:--keep-fd|*:--json-status-fd|*:--port) return ;;
    esac
    case $sub in
        run) flags="--policy --profile --preset --backend --image --read --write --network --env --set-env --home --nested --mode --tainted --untrusted --bypass-anyway --allow-tainted-network --timeout --memory --processes --cpus --file-size --open-files --folder --id --allow-git-config --strict --dry-run --quiet --verbose --log-denials --keep-fd --json-status-fd --help" ;;
        check) flags="--strict --json --policy --profile --help" ;;
        explain) flags="--policy --profile --preset --backend --image --read --write --network --env --set-env --home --nested --mode --tainted --untrusted --bypass-anyway --allow-tainted-network --timeout --memory --processes --cpus --file-size --open-files --folder --id --allow-git-config --port --json --help" ;;
        path) flags="--read --write --policy --profile --help" ;;
        init) flags="--profile --help" ;;
        trust) flags="--list --revoke --help" ;;
        profiles) flags="--help" ;;
        schema) flags="--help" ;;
        doctor) flags="--json --help" ;;
        held) flags="--diff --all --json --help" ;;
        accept) flags="--all --replace --help" ;;
        discard) flags="--all --help" ;;
        vm) flags="--image --policy --profile --help" ;;
        selftest) flags="--policy --profile --preset --backend --image --read --write --network --env --set-env --home --nested --mode --tainted --untrusted --bypass-anyway --allow-tainted-network --timeout --memory --processes --cpus --file-size --open-files --folder --id --allow-git-config --json --help" ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
    elif [[ $sub == run ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -o filenames -F _sbx sbx
