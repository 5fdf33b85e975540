#!/bin/sh
# For the owner of a Mac: builds sbx there, runs its tests, and answers what could not be asked without
# one. Prints one line for each question; nothing is installed and nothing outside a temporary directory
# is changed. Needs the Xcode Command Line Tools and, from Homebrew: cmake ninja fmt tomlplusplus cli11
# googletest guile.
#
#   tests/on-a-mac.sh          everything
#   tests/on-a-mac.sh ask      only the questions
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
[ "$(uname -s)" = Darwin ] || {
    echo "on-a-mac: this is no Mac; tests/cross-mac is for Linux" >&2
    exit 1
}
exec_tool=/usr/bin/sandbox-exec
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
failed=0

line() { printf '  %-5s %s\n' "$1" "$2"; }
# expect NAME WANTED GOT
expect() {
    if [ "$2" = "$3" ]; then
        line ok "$1"
    else
        line FAIL "$1: expected $2, got $3"
        failed=$((failed + 1))
    fi
}
# profile TEXT: writes a profile that lets programs start, with TEXT at its end.
profile() {
    printf '%s\n' '(version 1)(allow default)' "$1" >"$work/p.sb"
}
# status COMMAND...: under the profile, without its output.
status() {
    "$exec_tool" -f "$work/p.sb" "$@" >/dev/null 2>&1 </dev/null
    echo $?
}
# compiles TEXT: yes or no.
compiles() {
    profile "$1"
    if [ "$(status /usr/bin/true)" = 0 ]; then echo yes; else echo no; fi
}

questions() {
    echo "sandbox-exec on macOS $(sw_vers -productVersion), $(uname -m)"
    profile ''
    expect 'the command status passes through' 7 "$(status /bin/sh -c 'exit 7')"
    expect 'killed by a signal: the same process' 137 "$(status /bin/sh -c 'kill -9 $$')"
    profile '(no-such-operation)'
    expect 'a profile that does not compile' 65 "$(status /usr/bin/true)"
    profile ''
    expect 'a missing command' 71 "$(status "$work/missing")"
    rm -f "$work/p.sb"
    line note "a profile file that is missing: $(status /usr/bin/true)"
    profile '(deny file-read* (subpath "/nowhere"))'
    expect 'a sandbox inside one that denies something' 71 "$(status "$exec_tool" -p '(version 1)(allow default)' /usr/bin/true)"

    echo x >"$work/file"
    profile "(deny file-read-data (subpath \"$work/file\"))"
    line note "subpath on a plain file matches it: $([ "$(status /bin/cat "$work/file")" = 0 ] && echo no || echo yes)"
    profile "(deny file-read-data (subpath \"$(echo "$work" | tr '[:lower:]' '[:upper:]')\"))"
    line note "subpath folds letter case: $([ "$(status /bin/cat "$work/file")" = 0 ] && echo no || echo yes)"
    profile "(deny file-write-unlink (literal \"$work/file\"))"
    expect 'a literal keeps a name from being moved' 1 "$(status /bin/mv "$work/file" "$work/moved")"
    profile "(deny file-write* (literal \"$work/file\"))(allow file-write-data (literal \"$work/file\"))"
    expect 'a specific operation beats its parent' 0 "$(status /bin/sh -c "echo y >>'$work/file'")"
    profile "(deny file-write* (subpath \"$work\"))(allow file-write*)"
    expect 'an unfiltered allow does not undo a filtered deny' 1 "$(status /usr/bin/touch "$work/new")"
    mkdir -p "$work/filled/inner" "$work/there"
    profile "(deny file-write-create (literal \"$work/link\") (literal \"$work/there\"))"
    expect 'no link can be made above a guarded name' 1 "$(status /bin/ln -s /tmp "$work/link")"
    expect 'nor a directory' 1 "$(status /bin/mkdir "$work/link")"
    expect 'nor a filled one moved there' 1 "$(status /bin/mv "$work/filled" "$work/link")"
    expect 'nor one be cloned there' 1 "$(status /bin/cp -c -R "$work/filled" "$work/link")"
    expect 'mkdir -p on one that is there is fine' 0 "$(status /bin/mkdir -p "$work/there")"
    ln "$work/file" "$work/second" 2>/dev/null
    profile "(deny file-write* (literal \"$work/file\"))(deny file-link (literal \"$work/file\"))"
    expect 'file-link stops a second name' 1 "$(status /bin/ln "$work/file" "$work/third")"

    for operation in process-info\* iokit-get-properties file-map-executable file-write-setugid job-creation \
        system-privilege file-test-existence file-link file-clone; do
        line note "operation $operation exists: $(compiles "(when (not (defined? '$operation)) (no-such-name))")"
    done
    for filter in '(deny sysctl-read (sysctl-name-prefix "zz."))' '(deny ipc-posix-shm* (ipc-posix-name-prefix "/zz"))' \
        '(deny network-outbound (subpath "/"))' '(allow signal (target same-sandbox))' \
        '(deny file-ioctl (ioctl-command (_IO "t" 114)))' '(deny default (with message "x"))' \
        '(deny file-read* (literal (string-append "/z" "z")))' '(deny file-read* (literal "/\x7a\xc3\xa9"))'; do
        line note "compiles: $filter: $(compiles "$filter")"
    done
    long=$(printf '%0900d' 0)
    line note "a literal of 900 bytes compiles: $(compiles "(deny file-read* (literal \"/$long\"))")"
    profile '(deny network-bind (local ip "*:4040"))'
    expect 'port 4040 cannot be bound' 1 "$(status /usr/bin/perl -MSocket -e \
        'socket(S, PF_INET, SOCK_STREAM, 0); exit !bind(S, sockaddr_in(4040, INADDR_LOOPBACK))')"
    expect 'port 4041 can' 0 "$(status /usr/bin/perl -MSocket -e \
        'socket(S, PF_INET, SOCK_STREAM, 0); exit !bind(S, sockaddr_in(4041, INADDR_LOOPBACK))')"
    profile '(deny process-info*)'
    line note "ps under (deny process-info*): $(status /bin/ps)"
}

with_sbx() {
    sbx=$1
    echo "sbx itself"
    "$sbx" doctor
    mkdir -p "$work/project" && cd "$work/project" || exit 1
    git init -q . 2>/dev/null
    "$sbx" selftest || failed=$((failed + 1))
    for command in 'git status' 'make --version' 'clang --version' 'python3 -c pass' 'node -e 0' 'go version' \
        'cargo --version' 'java -version' 'perl -e 0' 'ruby -e 0' 'swift --version'; do
        program=${command%% *}
        if ! command -v "$program" >/dev/null; then
            line note "$program is not installed"
            continue
        fi
        # shellcheck disable=SC2086  # a command line
        "$sbx" run -- $command >"$work/out" 2>&1
        expect "$command" 0 $?
    done
    "$sbx" run -- /bin/sh -c 'exit 9'
    expect 'status 9' 9 $?
    "$sbx" run -- no-such-command 2>/dev/null
    expect 'not found' 127 $?
    "$sbx" run -- /bin/sh -c '(trap "" HUP TERM; exec sleep 600) & echo $! >pid'
    left=$(cat pid)
    expect 'nothing outlives the run' gone "$(kill -0 "$left" 2>/dev/null && echo there || echo gone)"
    "$sbx" run -- /bin/sh -c '(trap "" HUP TERM; exec sleep 600) & echo $! >pid; echo x >.envrc; echo up >ready; wait' &
    while ! [ -s ready ]; do sleep 1; done
    kill -9 $!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -e .envrc ] || break
        sleep 1
    done
    expect 'nothing outlives sbx when that is killed' gone "$(kill -0 "$(cat pid)" 2>/dev/null && echo there || echo gone)"
    expect 'hand-over files are held then, too' gone "$([ -e .envrc ] && echo there || echo gone)"
    printf '[guards]\nhandover = "protect"\n' >"$work/protect.toml"
    "$sbx" run --policy "$work/protect.toml" -- /bin/sh -c 'echo x >.envrc || mkdir .cargo || mkdir .vscode' 2>/dev/null
    expect 'guarded names that are free stay free' 1 $?
    left=$(getconf DARWIN_USER_CACHE_DIR)sbx
    expect 'no run directory is left' '' "$(ls "$left" 2>/dev/null)"
    "$sbx" run --log-denials -- /bin/cat "$HOME/.zshrc" >/dev/null 2>"$work/out"
    line note "--log-denials said: $(grep -c 'denied: ' "$work/out") line(s)"
}

questions
if [ "${1:-}" != ask ]; then
    cmake -S "$here" -B "$here/build/mac" -G Ninja && ninja -C "$here/build/mac" || exit 1
    (cd "$here/build/mac" && ctest --output-on-failure) || failed=$((failed + 1))
    with_sbx "$here/build/mac/sbx"
fi
if [ "$failed" -eq 0 ]; then
    echo "all checks passed"
else
    echo "$failed check(s) failed"
    exit 1
fi
