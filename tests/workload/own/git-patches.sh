# id: git-patches
# area: git
# title: format-patch and am, apply --3way with a conflict, blame, grep and diff with an external tool
# needs: git
# uses: git
setup() {
    git_project
    git -C "$PROJECT" checkout -q -b topic
    echo topic >"$PROJECT/first.txt"
    git -C "$PROJECT" commit -q -a -m 'topic change'
    git -C "$PROJECT" checkout -q main
    printf '#!/bin/sh\necho "external $1"\n' >"$PROJECT/tool"
    chmod +x "$PROJECT/tool"
}

run() {
    capture patch git format-patch -q -1 topic -o out
    capture am sh -c 'git am -q out/*.patch && git log -1 --format=%s'
    capture conflict sh -c 'echo other >first.txt && git commit -q -a -m other && git apply --3way out/0001-topic-change.patch'
    capture clean sh -c 'git checkout -q --theirs first.txt; git reset -q --hard; git blame -s first.txt | cut -d" " -f3'
    capture grep git grep -c other
    capture external sh -c 'echo x >first.txt; GIT_EXTERNAL_DIFF=./tool git diff'
}

verdict() {
    want_rc patch 0
    want_out am 'topic change'
    want_rc grep 0
    want_match grep 'first.txt:1'
    want_out external 'external first.txt'
}
