# id: git-history
# area: git
# title: rebase with a sequence editor, cherry-pick, stash, reset, bisect and reflog
# needs: git
# uses: git
setup() {
    git_project
    for n in 1 2 3 4; do
        echo "$n" >"$PROJECT/file$n"
        git -C "$PROJECT" add .
        git -C "$PROJECT" commit -q -m "change $n"
    done
    cat >"$PROJECT/steps" <<'END'
set -e
git checkout -q -b topic HEAD~2
echo side >side; git add side; git commit -q -m side
GIT_SEQUENCE_EDITOR='sed -i "1s/^pick/reword/"' GIT_EDITOR='sed -i 1s/side/reworded/' git rebase -q -i main
git log -1 --format=%s
git checkout -q main
git cherry-pick topic >/dev/null
echo dirty >>first.txt; echo new >untracked
git stash push -q -u; git status --porcelain
git stash pop -q; git status --porcelain
git checkout -q first.txt; rm untracked
git bisect start HEAD HEAD~4 >/dev/null 2>&1
git bisect run sh -c '! test -e file3' | grep -o 'is the first bad commit'
git bisect reset >/dev/null 2>&1
git reset -q --hard HEAD~1
git reflog | grep -c .
END
}

run() { capture all sh steps; }

verdict() {
    want_rc all 0
    want_match all '^reworded$'
    want_match all '^ M first.txt$'
    want_match all 'is the first bad commit'
    check "the repository is damaged" git -C "$PROJECT" fsck --no-progress
    check "main is not where it belongs" test "$(git -C "$PROJECT" log -1 --format=%s main)" = "change 4"
}
