# id: git-worktree-below
# area: git
# title: a worktree made inside, below the project: commit there, list, move and remove it
# needs: git
# uses: git
setup() {
    git_project
    echo .trees/ >"$PROJECT/.gitignore"
    git -C "$PROJECT" add . && git -C "$PROJECT" commit -q -m ignore
    cat >"$PROJECT/steps" <<'END'
set -e
git worktree add -q .trees/a -b topic
(cd .trees/a && echo x >topic.txt && git add topic.txt && git commit -q -m "in the tree" && git status --porcelain)
git worktree move .trees/a .trees/b
git -C .trees/b log -1 --format=%s
git worktree remove .trees/b
git worktree list | wc -l
git merge -q topic
cat topic.txt
END
}

run() { capture tree sh steps; }

verdict() {
    want_rc tree 0
    want_out tree "in the tree
1
x"
    check "the branch is missing" git -C "$PROJECT" rev-parse -q --verify topic
}
