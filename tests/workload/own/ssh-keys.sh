# id: ssh-keys
# area: services
# title: ssh-keygen makes, signs and verifies with keys of the project; an agent of the run's own holds them
# needs: openssh-client
# uses: ssh-keygen ssh-agent
setup() {
    cat >"$PROJECT/steps" <<'END'
set -e
ssh-keygen -q -t ed25519 -N '' -C bench -f key
echo text >file
ssh-keygen -q -Y sign -f key -n file file 2>/dev/null
printf 'bench %s\n' "$(cut -d' ' -f1,2 key.pub)" >allowed
ssh-keygen -Y verify -f allowed -I bench -n file -s file.sig <file | cut -d' ' -f1
ssh-agent sh -c 'ssh-add -q key && ssh-add -l | wc -l'
stat -c %a key
END
}

run() { capture keys sh steps; }

verdict() {
    want_rc keys 0
    want_out keys "Good
1
600"
}
