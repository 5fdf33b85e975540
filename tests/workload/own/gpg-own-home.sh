# id: gpg-own-home
# area: services
# title: gpg with a key ring of the project: its agent starts, a key is made, a file and a tag are signed and verified
# needs: gpg gpg-agent git
# uses: gpg gpg-agent git
# timeout: 90
setup() {
    git_project
    cat >"$PROJECT/steps" <<'END'
set -e
export GNUPGHOME=$PWD/.g
mkdir -m 700 .g
gpg -q --batch --passphrase '' --quick-gen-key 'Bench <bench@example.org>' ed25519 sign never 2>/dev/null
echo text >file
gpg -q --batch --detach-sign -a file
gpg --batch --verify file.asc file 2>&1 | grep -o 'Good signature'
git -c user.signingKey=bench@example.org tag -s v1 -m signed
git tag -v v1 2>&1 | grep -o 'Good signature'
gpgconf --kill gpg-agent
END
}

run() { capture gpg sh steps; }

verdict() {
    want_rc gpg 0
    want_out gpg "Good signature
Good signature"
}
