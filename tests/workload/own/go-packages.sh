# id: go-packages
# area: native
# title: go generate, test with cover, race-free parallel tests, an http test server, install to GOBIN, workspaces
# needs: golang-go
# uses: go
# timeout: 180
setup() {
    mkdir -p "$PROJECT/a" "$PROJECT/b"
    printf 'go 1.19\n\nuse (\n\t./a\n\t./b\n)\n' >"$PROJECT/go.work"
    printf 'module example.org/a\n\ngo 1.19\n' >"$PROJECT/a/go.mod"
    printf 'module example.org/b\n\ngo 1.19\n' >"$PROJECT/b/go.mod"
    printf 'package a\n\n//go:generate sh -c "echo package a > gen.go; echo const Made = 42 >> gen.go"\n\nfunc Get() int { return Made }\n' >"$PROJECT/a/a.go"
    cat >"$PROJECT/a/a_test.go" <<'END'
package a

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

func TestServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hi") }))
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	if string(text) != "hi" {
		t.Fatal(string(text))
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	if err := os.WriteFile(filepath.Join(t.TempDir(), "f"), nil, 0o600); err != nil || Get() != 42 {
		t.Fatal(err)
	}
}
END
    printf 'package main\n\nimport "example.org/a"\n\nfunc main() { println(a.Get()) }\n' >"$PROJECT/b/main.go"
}

run() {
    capture generate sh -c 'cd a && go generate'
    capture test go test -cover ./a
    capture install sh -c 'GOBIN=$PWD/bin go install ./b && bin/b'
    capture fmt sh -c 'gofmt -l a b; go vet ./a ./b'
}

verdict() {
    want_rc generate 0
    want_rc test 0
    want_match test 'coverage: 100.0%'
    want_rc install 0
    check "it printed $(cat "$SCRATCH/install.err")" grep -q 42 "$SCRATCH/install.err"
    want_rc fmt 0
}
