# id: git-lfs-pointers
# area: git
# title: git-lfs cleans and smudges through filters given on the command line, without network
# needs: git git-lfs
# uses: git git-lfs
setup() {
    git_project
    printf '*.bin filter=lfs diff=lfs merge=lfs -text\n' >"$PROJECT/.gitattributes"
    git -C "$PROJECT" add .gitattributes && git -C "$PROJECT" commit -q -m attributes
    cat >"$PROJECT/lfs" <<'END'
#!/bin/sh
exec git -c filter.lfs.clean='git-lfs clean -- %f' -c filter.lfs.smudge='git-lfs smudge -- %f' \
    -c filter.lfs.process='git-lfs filter-process' -c filter.lfs.required=true "$@"
END
    chmod +x "$PROJECT/lfs"
}

run() {
    capture add sh -c 'head -c 300000 /dev/zero >big.bin && ./lfs add big.bin && ./lfs commit -q -m big && git cat-file -p HEAD:big.bin'
    capture back sh -c 'rm big.bin && ./lfs checkout -q -- big.bin && wc -c <big.bin'
    capture list git lfs ls-files -s
}

verdict() {
    want_rc add 0
    want_match add '^size 300000$'
    want_match back '^300000$'
    want_match list 'big.bin'
}
