# id: node-store-layout
# area: node
# title: a store of packages with hard and symbolic links, as pnpm and yarn make it, is built and resolved
# needs: nodejs
# uses: node
setup() {
    cat >"$PROJECT/make.js" <<'END'
const fs = require('fs'), path = require('path')
const write = (file, text) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, text) }
for (const [name, code] of [['dep', 'module.exports = 21'], ['main', 'module.exports = require("dep") * 2']]) {
  write(`.store/${name}/index.js`, code)
  const at = `node_modules/.store/${name}@1.0.0/node_modules/${name}`
  write(`${at}/package.json`, JSON.stringify({ name, version: '1.0.0' }))
  fs.linkSync(`.store/${name}/index.js`, `${at}/index.js`)
}
fs.symlinkSync('../../dep@1.0.0/node_modules/dep', 'node_modules/.store/main@1.0.0/node_modules/dep', 'dir')
fs.symlinkSync('.store/main@1.0.0/node_modules/main', 'node_modules/main', 'dir')
fs.copyFileSync('.store/dep/index.js', 'copy.js', fs.constants.COPYFILE_FICLONE)
console.log(require('main'), fs.statSync('.store/dep/index.js').nlink, fs.realpathSync('node_modules/main').endsWith('.store/main@1.0.0/node_modules/main'))
fs.renameSync('node_modules', 'node_modules.old')
fs.rmSync('node_modules.old', { recursive: true })
console.log(fs.existsSync('node_modules'), fs.readFileSync('copy.js', 'utf8'))
END
}

run() { capture store node make.js; }

verdict() {
    want_rc store 0
    want_out store "42 2 true
false module.exports = 21"
}
