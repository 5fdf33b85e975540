# id: tmux-headless
# area: terminal
# title: a tmux server in the background: windows, keys, captured screens, exit statuses
# needs: tmux
# uses: tmux
# timeout: 60
setup() {
    cat >"$PROJECT/steps" <<'END'
t() { tmux -L work -f /dev/null "$@"; }
t new-session -d -x 100 -y 30 'sh'
t send-keys 'echo up-$((6*7)); tmux -L work wait-for -S done' Enter
t wait-for done
until t capture-pane -p | grep -o up-42; do :; done
t new-window -d 'echo second; tmux -L work wait-for -S second; sleep 1000'
t wait-for second
t list-windows | wc -l
t display-message -p '#{window_width}x#{window_height}'
t kill-server
t list-sessions 2>/dev/null || echo ended
END
}

run() { capture tmux sh steps; }

verdict() {
    want_rc tmux 0
    want_match tmux '^up-42$'
    want_match tmux '^2$'
    want_match tmux '^100x'
    want_match tmux '^ended$'
}
