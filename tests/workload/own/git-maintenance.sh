# id: git-maintenance
# area: git
# title: gc, repack, bundle, archive, notes, tags and packed refs
# needs: git
# uses: git tar
setup() {
    git_project
    for n in $(seq 30); do
        echo "$n" >"$PROJECT/first.txt"
        git -C "$PROJECT" commit -q -a -m "change $n"
    done
}

run() {
    capture gc git gc -q --prune=now
    capture pack git repack -q -a -d -f
    capture tag git tag -a v1 -m 'first version'
    capture refs git pack-refs --all
    capture bundle git bundle create -q all.bundle --all
    capture archive sh -c 'git archive --prefix=app/ v1 | tar tf -'
    capture notes sh -c 'git notes add -m noted && git notes show'
    capture again sh -c 'git clone -q all.bundle copy && git -C copy log --oneline | wc -l'
}

verdict() {
    for name in gc pack tag refs bundle; do want_rc $name 0; done
    want_out archive "app/
app/first.txt"
    want_out notes noted
    want_match again '^31$'
    check "the repository is damaged" git -C "$PROJECT" fsck --no-progress --strict
}
