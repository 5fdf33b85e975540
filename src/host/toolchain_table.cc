#include "host/toolchain_table.h"

#include <iterator>

namespace sbx {

const ToolchainRule kToolchainRules[] = {
    {"nvm", ".nvm/versions/node/*", "", ""},
    {"nvm", ".nvm/versions/io.js/*", "", ""},
    {"nvm", ".config/nvm/versions/node/*", "", ""},
    {"fnm", ".local/share/fnm/node-versions/*", "", ""},
    {"fnm", ".fnm/node-versions/*", "", ""},
    {"volta", ".volta", "", ""},
    {"nodenv", ".nodenv", "", ""},
    {"n", "n", "", ""},
    {"n", ".n", "", ""},
    {"npm", ".npm-global", "", ""},
    {"npm", ".npm-packages", "", ""},
    {"pnpm", ".local/share/pnpm", "", ""},
    {"yarn", ".yarn/bin", ".yarn/lib", ""},
    {"yarn", ".config/yarn/global", "", ""},
    {"bun", ".bun/bin", ".bun/install/global", ""},
    {"deno", ".deno/bin", "", ""},
    {"pyenv", ".pyenv", "", ""},
    {"poetry", ".poetry", "", ""},
    {"poetry", ".local/share/pypoetry/venv", "", ""},
    {"pipx", ".local/pipx", "", ""},
    {"uv", ".local/share/uv", "", ""},
    {"rye", ".rye", "", ""},
    {"pixi", ".pixi", "", ""},
    {"conda", "miniconda3", "", ""},
    {"conda", "miniconda", "", ""},
    {"conda", "anaconda3", "", ""},
    {"conda", "anaconda", "", ""},
    {"conda", "miniforge3", "", ""},
    {"conda", "mambaforge", "", ""},
    {"conda", "micromamba", "", ""},
    {"conda", "opt/miniconda3", "", ""},
    {"conda", ".conda/envs/*", "", ""},
    {"rbenv", ".rbenv", "", ""},
    {"rvm", ".rvm", "", ""},
    {"gem", ".gem/ruby", "", ""},
    {"gem", ".local/share/gem/ruby", "", ""},
    {"composer", ".composer/vendor", "", ""},
    {"composer", ".config/composer/vendor", "", ""},
    {"phpenv", ".phpenv", "", ""},
    {"plenv", ".plenv", "", ""},
    {"rustup", ".cargo/bin", ".rustup", ".cargo/registry"},
    {"rustup", ".rustup", "", ""},
    {"go", "go/bin", "sdk/go*", "go/pkg/mod"},
    {"go", "sdk/go*", "", "go/pkg/mod"},
    {"go", ".goenv", "", "go/pkg/mod"},
    {"go", ".local/go", "", "go/pkg/mod"},
    {"sdkman", ".sdkman/candidates", "", ""},
    {"jenv", ".jenv", "", ""},
    {"jbang", ".jbang/bin", "", ""},
    {"coursier", ".local/share/coursier", "", ""},
    {"asdf", ".asdf", ".tool-versions", ""},
    {"mise", ".local/share/mise", ".local/bin/mise .tool-versions", ""},
    {"proto", ".proto", "", ""},
    {"ghcup", ".ghcup", "", ""},
    {"cabal", ".cabal/bin", ".cabal/store", ""},
    {"opam", ".opam/*", "", ""},
    {"elan", ".elan", "", ""},
    {"juliaup", ".juliaup", ".julia/juliaup", ""},
    {"nimble", ".nimble/bin", ".nimble/pkgs2 .choosenim/toolchains", ""},
    {"dotnet", ".dotnet", "", ""},
    {"luarocks", ".luarocks", "", ""},
    {"tfenv", ".tfenv", "", ""},
    {"krew", ".krew/bin", ".krew/store", ""},
    {"linuxbrew", ".linuxbrew", "", ""},
    {"flutter", "flutter", "", ".pub-cache/hosted"},
    {"flutter", "*/flutter", "", ".pub-cache/hosted"},
    {"flutter", "fvm/versions/*", "", ".pub-cache/hosted"},
    {"dart", ".pub-cache/bin", ".pub-cache/global_packages .pub-cache/hosted", ""},
    {"android", "Android/Sdk", "", ""},
    {"local-bin", ".local/bin", ".local/lib", ""},
};
const size_t kToolchainRuleCount = std::size(kToolchainRules);

const char* const kPrivatePlaces[] = {
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".oci", ".netrc", ".git-credentials", ".pki",
    ".password-store", ".terraform.d", ".vault-token", ".mozilla", ".thunderbird", ".config/gcloud",
    ".config/gh", ".config/hub", ".config/op", ".config/sops", ".config/rclone", ".config/google-chrome",
    ".config/chromium", ".config/BraveSoftware", ".config/sbx", ".local/state/sbx", ".local/share/keyrings",
    ".local/share/kwalletd"};
const size_t kPrivatePlaceCount = std::size(kPrivatePlaces);

const char* const kPrivateData[] = {
    "keyrings", "kwalletd", "seahorse", "gnupg", "password-store", "gopass", "keepassxc", "rbw", "mkcert",
    "fish", "atuin", "mcfly", "zoxide", "nushell", "xonsh", "zsh", "bash", "direnv", "Trash", "sbx", "sops",
    "containers", "docker", "flatpak", "gvfs-metadata", "evolution", "telepathy", "akonadi", "kdeconnect",
    "TelegramDesktop", "Steam", "tracker", "Bitwarden", "chezmoi", "desktop-directories", "ssh", "gh",
    "recently-used.xbel"};
const size_t kPrivateDataCount = std::size(kPrivateData);

const char* const kHiddenNames[] = {
    "etc/npmrc", ".npmrc", ".yarnrc.yml", ".condarc", ".netrc", ".pypirc", ".env", ".git-credentials",
    "credentials", "credentials.toml", "credentials.json", "auth.json", "token", "secrets.json"};
const size_t kHiddenNameCount = std::size(kHiddenNames);

const char* const kHiddenPlaces[] = {
    ".dotnet/corefx", ".local/share/jupyter/runtime", ".local/share/code-server", ".rvm/user", ".goenv/.netrc"};
const size_t kHiddenPlaceCount = std::size(kHiddenPlaces);

}  // namespace sbx
