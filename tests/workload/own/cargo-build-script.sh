# id: cargo-build-script
# area: native
# title: cargo with a build script, integration tests, examples, doc tests, install to a root, a failing build
# needs: cargo
# uses: cargo
# timeout: 180
setup() {
    mkdir -p "$PROJECT/src" "$PROJECT/tests" "$PROJECT/examples"
    printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n' >"$PROJECT/Cargo.toml"
    echo 'fn main() { std::fs::write(std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("gen.rs"), "pub const MADE: u32 = 42;").unwrap(); println!("cargo:rerun-if-changed=build.rs"); }' >"$PROJECT/build.rs"
    printf 'include!(concat!(env!("OUT_DIR"), "/gen.rs"));\npub fn get() -> u32 { MADE }\n' >"$PROJECT/src/lib.rs"
    echo 'fn main() { println!("{}", app::get()) }' >"$PROJECT/src/main.rs"
    printf '%s\n' '#[test] fn runs() { let out = std::process::Command::new(env!("CARGO_BIN_EXE_app")).output().unwrap(); assert_eq!(out.stdout, b"42\n"); }' >"$PROJECT/tests/run.rs"
    echo 'fn main() { println!("example {}", app::get()) }' >"$PROJECT/examples/show.rs"
}

run() {
    capture test cargo test --offline -q --lib --bins --tests
    capture example cargo run --offline -q --example show
    capture install sh -c 'cargo install --offline -q --path . --root out 2>/dev/null && out/bin/app'
    capture again sh -c 'cargo build --offline 2>&1 | grep -c Compiling'
    capture broken sh -c 'echo "fn main() { nonsense }" >src/main.rs; cargo build --offline -q'
}

verdict() {
    want_rc test 0
    want_out example 'example 42'
    want_out install 42
    want_out again 0
    want_rc broken 101
}
