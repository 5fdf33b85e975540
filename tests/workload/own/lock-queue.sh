# id: lock-queue
# area: processes
# title: twenty parallel jobs count up one file under flock, across two runs at once
# uses: flock xargs
# timeout: 60
setup() {
    echo 0 >"$PROJECT/count"
    printf '#!/bin/sh\nexec 9>lock; flock 9; n=$(cat count); echo $((n + 1)) >count\n' >"$PROJECT/step"
    chmod +x "$PROJECT/step"
}

run() {
    capture first sh -c 'seq 20 | xargs -P 8 -I{} ./step' &
    capture second sh -c 'seq 20 | xargs -P 8 -I{} ./step'
    wait
}

verdict() {
    want_rc first 0
    want_rc second 0
    want_text count 40
}
