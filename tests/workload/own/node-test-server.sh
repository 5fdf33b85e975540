# id: node-test-server
# area: node
# title: node --test with an http server, fetch, streams, timers, a file watcher and a failing test
# needs: nodejs
# uses: node
# timeout: 60
setup() {
    mkdir "$PROJECT/test"
    cat >"$PROJECT/test/good.test.js" <<'END'
const test = require('node:test'), assert = require('node:assert'), http = require('http'), fs = require('fs')
test('serves', async () => {
  const server = http.createServer((q, a) => a.end('path ' + q.url)).listen(0, '127.0.0.1')
  await new Promise(done => server.on('listening', done))
  const text = await new Promise((good, bad) => http.get({ port: server.address().port, host: '127.0.0.1', path: '/x' }, answer => {
    let all = ''; answer.on('data', part => all += part).on('end', () => good(all))
  }).on('error', bad))
  assert.equal(text, 'path /x')
  server.close()
})
test('watches', async () => {
  const seen = new Promise(done => { const w = fs.watch('.', (kind, name) => { if (name === 'new.txt') { w.close(); done() } }) })
  fs.writeFileSync('new.txt', 'x')
  await seen
})
END
    echo "require('node:test')('fails', () => { throw new Error('on purpose') })" >"$PROJECT/test/bad.test.js"
}

run() {
    capture good node --test test/good.test.js
    capture bad node --test test/bad.test.js
}

verdict() {
    want_rc good 0
    want_match good 'pass 2'
    want_rc bad 1
    want_match bad 'on purpose'
}
