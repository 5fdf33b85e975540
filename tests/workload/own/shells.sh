# id: shells
# area: exec
# title: bash, zsh and fish scripts: pipelines, traps, coprocesses, job control, functions, globs, startup files
# needs: fish zsh
# uses: bash zsh fish
# timeout: 60
setup() {
    touch "$PROJECT/one.txt" "$PROJECT/two.txt"
    cat >"$PROJECT/b.sh" <<'END'
set -euo pipefail
coproc cat
echo through >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
set -m
sleep 1000 & pid=$!
kill -STOP "$pid"; kill -CONT "$pid"; kill "$pid"
wait "$pid" || echo "ended $?"
(exit 3) & wait -n || echo "next $?"
diff <(echo a) <(echo b) >/dev/null || echo differs
exec 9>out; flock 9; echo locked >&9
mapfile -t names < <(printf '%s\n' *.txt)
echo "${#names[@]}"
trap 'echo trapped' EXIT
END
    cat >"$PROJECT/z.zsh" <<'END'
setopt extendedglob nullglob
print -l *.txt(N:t) | sort | tr '\n' ' '
print ${(U)$(echo upper)}
zmodload zsh/datetime && (( EPOCHSECONDS > 0 )) && print clock
END
    printf 'function twice; math "$argv[1] * 2"; end\ntwice 21\nfor f in *.txt; echo $f; end | wc -l | string trim\nset -q HOME; and echo home\n' >"$PROJECT/f.fish"
}

run() {
    capture bash bash b.sh
    capture zsh zsh -f z.zsh
    capture fish fish f.fish
    capture login bash -lc 'echo login'
}

verdict() {
    want_rc bash 0
    want_out bash "through
ended 143
next 3
differs
2
trapped"
    want_rc zsh 0
    want_out zsh "one.txt two.txt UPPER
clock"
    want_rc fish 0
    want_out fish "42
2
home"
    want_out login login
}
