# id: dev-server
# area: network
# title: a development server in the background, asked over loopback by name and address, with a range and a POST
# needs: curl
# uses: python3 curl
# timeout: 60
setup() {
    echo '<p>page</p>' >"$PROJECT/index.html"
    cat >"$PROJECT/steps" <<'END'
set -e
python3 - >port <<'PY' &
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200); self.end_headers(); self.wfile.write(body[::-1])
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
until [ -s port ]; do :; done
port=$(cat port)
curl -sf "http://127.0.0.1:$port/index.html"
curl -sf "http://localhost:$port/" | wc -c
curl -sf -d abc "http://127.0.0.1:$port/x"; echo
curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/none"
kill $!
END
}

run() { capture server sh steps; }

verdict() {
    want_rc server 0
    want_out server "<p>page</p>
12
cba
404"
}
