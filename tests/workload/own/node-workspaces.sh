# id: node-workspaces
# area: node
# title: npm workspaces: linked packages, scripts of each, programs in node_modules/.bin, exec
# needs: nodejs npm
# uses: node npm
# timeout: 90
setup() {
    mkdir -p "$PROJECT/packages/lib" "$PROJECT/packages/app" "$PROJECT/node_modules/.bin"
    printf '{"name":"root","private":true,"workspaces":["packages/*"],"scripts":{"hello":"app-tool root"}}' >"$PROJECT/package.json"
    printf '{"name":"lib","version":"1.0.0","main":"index.js","scripts":{"build":"node -p 6*7 > built"}}' >"$PROJECT/packages/lib/package.json"
    echo 'module.exports = n => n * 2' >"$PROJECT/packages/lib/index.js"
    printf '{"name":"app","version":"1.0.0","bin":{"app-tool":"tool.js"},"dependencies":{"lib":"1.0.0"},"scripts":{"build":"node tool.js > built","test":"node test.js"}}' >"$PROJECT/packages/app/package.json"
    printf '#!/usr/bin/env node\nconsole.log("tool", process.argv[2] || "", require("lib")(21))\n' >"$PROJECT/packages/app/tool.js"
    echo 'process.exit(require("lib")(2) - 4)' >"$PROJECT/packages/app/test.js"
    chmod +x "$PROJECT/packages/app/tool.js"
}

run() {
    capture install npm install --offline --no-audit --no-fund --loglevel=error
    capture build npm run build --workspaces --silent
    capture test npm test -w app --silent
    capture hello npm run hello --silent
    capture exec npm exec --offline -- app-tool word
}

verdict() {
    want_rc install 0
    want_rc build 0
    want_text packages/lib/built 42
    want_text packages/app/built 'tool  42'
    want_rc test 0
    want_out hello 'tool root 42'
    want_out exec 'tool word 42'
}
