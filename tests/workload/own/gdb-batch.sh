# id: gdb-batch
# area: system
# title: gdb runs a program to a breakpoint, shows its variables and the place of a crash
# needs: gdb gcc libc6-dev
# uses: gdb cc
# timeout: 60
setup() {
    cat >"$PROJECT/crash.c" <<'END'
#include <stdlib.h>
static int twice(int n) { return n * 2; }
int main(int argc, char** argv) {
    (void)argv;
    int answer = twice(20 + argc);
    if (answer > 1) { volatile int* nowhere = 0; *nowhere = answer; }
    return 0;
}
END
}

run() {
    capture build cc -g -O0 crash.c -o crash
    capture break gdb -q -batch -ex 'break twice' -ex run -ex 'print n' -ex bt ./crash
    capture crash gdb -q -batch -ex run -ex 'print answer' ./crash
}

verdict() {
    want_rc build 0
    want_match break '^\$1 = 21$'
    want_match break 'main \(argc=1'
    want_match crash 'SIGSEGV'
    want_match crash '^\$1 = 42$'
}
