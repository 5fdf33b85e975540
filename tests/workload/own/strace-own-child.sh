# id: strace-own-child
# area: system
# title: strace follows the command's own children, counts and filters
# needs: strace
# uses: strace
setup() { :; }

run() {
    capture follow strace -f -qq -e trace=execve -o trace sh -c 'true; /bin/echo traced; exit 5'
    capture count sh -c 'strace -c -o counts cat /dev/null && grep -c openat counts'
    capture inject strace -qq -o /dev/null -e inject=openat:error=ENOENT:when=1+ cat trace
}

verdict() {
    want_rc follow 5
    want_out follow traced
    check "the child is not in the trace" grep -q '/bin/echo' "$PROJECT/trace"
    want_out count 1
}
