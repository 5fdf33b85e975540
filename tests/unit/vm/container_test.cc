#include "vm/render/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "util/text.h"
#include "vm/render/settings.h"

namespace sbx {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kImage = "registry.test/sbx@sha256:" + std::string(64, 'a');

Plan plan() {
    Plan plan;
    plan.backend = Backend::Container;
    plan.argv = {"git", "status"};
    plan.worktree = plan.cwd = "/Users/me/project";
    plan.vm.image.value = kImage;
    Mount worktree;
    worktree.purpose = Purpose::Worktree;
    worktree.source = worktree.destination = plan.worktree;
    worktree.access = Access::Write;
    plan.mounts.push_back(worktree);
    return plan;
}

Plan web() {
    Plan web = plan();
    web.vm.profile.value = VmProfile::Web;
    web.network.mode = NetworkMode::On;
    return web;
}

Plan files() {
    Plan files = plan();
    files.vm.profile.value = VmProfile::Files;
    VmFolder folder;
    folder.path.text = "/Users/me/notes";
    files.vm.folders.push_back(folder);
    return files;
}

HostFacts facts() {
    HostFacts facts;
    facts.platform = Platform::Mac;
    facts.uid = 501;
    facts.gid = 20;
    facts.vm.container = "/usr/local/bin/container";
    facts.vm.host_addresses = {"192.168.64.1", "2606::7"};
    facts.paths["/Users/me/notes"] = {"/Users/me/notes", FileKind::Directory, false, true};
    return facts;
}

std::string text(const Plan& plan) {
    auto launch = render_container(plan, facts());
    return launch.ok() ? describe(*launch) : "error " + launch.error().code + ": " + launch.error().message;
}

Mount mount(const std::string& path, Purpose purpose, Access access, bool directory = true) {
    Mount mount;
    mount.purpose = purpose;
    mount.kind = purpose == Purpose::Mask ? Mount::Kind::Mask : Mount::Kind::Bind;
    mount.source = mount.destination = path;
    mount.access = access;
    mount.is_directory = directory;
    return mount;
}

TEST(Container, TheWholeCommand) {  // T1, C36, C42
    EXPECT_EQ(
        text(plan()),
        "/usr/local/bin/container run --rm --name sbx-RUN --progress none --init --cidfile /tmp/sbx-RUN/id "
        "--cap-drop ALL --read-only --tmpfs /tmp --user 501:20 --network none --no-dns --mount "
        "type=bind,source=/Users/me/project,target=/Users/me/project --workdir /Users/me/project "
        "--env HOME=/tmp --entrypoint=git " +
            kImage + " status");
}

TEST(Container, WebHasNoFolderAndRootOnlyForInit) {  // T9, T12
    std::string words = text(web());
    EXPECT_THAT(
        words,
        HasSubstr("--user 0:0 --cap-add NET_ADMIN --cap-add SETUID --cap-add SETGID --cap-add SETPCAP"));
    EXPECT_THAT(words,
                HasSubstr("--env SANDBOX_PROFILE=web --env SANDBOX_BLOCKED_ADDRESSES=192.168.64.1,2606::7"));
    EXPECT_THAT(words, HasSubstr("--workdir /tmp"));
    EXPECT_THAT(words, HasSubstr("--entrypoint=/sbx/init " + kImage + " git status"));
    EXPECT_THAT(words, Not(HasSubstr("--mount")));
    EXPECT_THAT(words, Not(HasSubstr("--network none")));
    EXPECT_THAT(words, Not(HasSubstr("--publish")));
}

TEST(Container, FilesHasNoNetworkAndReadsOnly) {  // T5, T15, T58 to T62
    Plan with_id = files();
    with_id.vm.folders[0].id.value = "0b2c8f64-1c1e-4d5a-9a77-0123456789ab";
    with_id.vm.blocked_addresses.push_back({"ignored", {}});
    std::string words = text(with_id);
    EXPECT_THAT(words, HasSubstr("--env SANDBOX_PROFILE=files --no-dns --network none --mount "
                                 "type=bind,source=/Users/me/notes,target=/files/"
                                 "0b2c8f64-1c1e-4d5a-9a77-0123456789ab,readonly"));
    EXPECT_THAT(words, Not(HasSubstr("SANDBOX_BLOCKED_ADDRESSES")));
    EXPECT_THAT(words, Not(HasSubstr("/Users/me/project")));
}

TEST(Container, AnIdIsMadeFromThePathAndSaid) {  // T61
    auto first = render_container(files(), facts());
    auto second = render_container(files(), facts());
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(describe(*first), describe(*second));
    ASSERT_EQ(first->notes.size(), 1U);
    EXPECT_THAT(first->notes[0], HasSubstr("/Users/me/notes is at /files/"));
    EXPECT_EQ(first->folders, std::vector<std::string>{"/Users/me/notes"});
}

TEST(Container, FolderErrors) {  // T61, T72, T73, T92, C38
    auto code = [](const std::string& path, const std::string& id, HostFacts facts) {
        VmFolder folder;
        folder.path.text = path;
        folder.id.value = id;
        auto planned = vm::plan_folders({folder}, facts);
        return planned.ok() ? "" : planned.error().code;
    };
    HostFacts known = facts();
    known.paths["/l"] = {"/Users/me/notes", FileKind::Directory, true, true};
    known.paths["/f"] = {"/f", FileKind::File, false, true};
    known.paths["/"] = {"/", FileKind::Directory, false, true};
    EXPECT_EQ(code("/Users/me/notes", "", known), "");
    EXPECT_EQ(code("/missing", "", known), "not_found");
    EXPECT_EQ(code("/l", "", known), "not_a_file");
    EXPECT_EQ(code("/f", "", known), "invalid_folder");
    EXPECT_EQ(code("/", "", known), "invalid_folder");
    for (const char* id : {"x", "0B2C8F64-1C1E-4D5A-9A77-0123456789AB", "0b2c8f64-1c1e-4d5a-9a77-0123456789a",
                           "0b2c8f641c1e4d5a9a770123456789ab", "../../../../../../../../../../../../"}) {
        EXPECT_EQ(code("/Users/me/notes", id, known), "invalid_folder") << id;
    }
    Plan twice = files();
    twice.vm.folders.push_back(twice.vm.folders[0]);
    EXPECT_THAT(text(twice), HasSubstr("invalid_folder"));
}

TEST(Container, ImageMustBePinned) {  // T6
    for (const std::string& image :
         {std::string("debian"), std::string("debian:12"), "debian@sha256:" + std::string(63, 'a'),
          "debian@sha256:" + std::string(64, 'A'), "-x@sha256:" + std::string(64, 'a'),
          "a b@sha256:" + std::string(64, 'a'), "@sha256:" + std::string(64, 'a'),
          "debian@sha512:" + std::string(64, 'a'), "debian@sha256:" + std::string(64, 'a') + "@x"}) {
        Plan unpinned = plan();
        unpinned.vm.image.value = image;
        EXPECT_THAT(text(unpinned), HasSubstr("image must be pinned by digest")) << image;
    }
    Plan none = plan();
    none.vm.image.value = "";
    EXPECT_THAT(text(none), HasSubstr("image_missing"));
}

TEST(Container, Publish) {  // T14, T16, C14, C29, P153
    Plan published = web();
    published.vm.publish.value = "127.0.0.1:8000:9000";
    EXPECT_THAT(text(published), HasSubstr("--publish 127.0.0.1:8000:9000 --env SANDBOX_INBOUND_PORT=9000"));
    for (const char* value : {"8000:9000", "0.0.0.0:8000:9000", "192.168.1.2:8000:9000", "127.0.0.1:9000",
                              "127.0.0.1:0:9000", "127.0.0.1:65536:1", "127.0.0.1:8000:9000,127.0.0.1:1:1",
                              "127.0.0.1:8000:9000/udp", "127.0.0.1:+8000:9000", "localhost:8000:9000"}) {
        published.vm.publish.value = value;
        EXPECT_THAT(text(published), HasSubstr("invalid_publish")) << value;
    }
    published.vm.publish.value = "127.0.0.1:4040:9000";
    EXPECT_THAT(text(published), HasSubstr("Port 4040 is reserved"));
    Plan shared = files();
    shared.vm.publish.value = "[::1]:8000:9000";
    EXPECT_THAT(text(shared), HasSubstr("--publish '[::1]:8000:9000'"));
    EXPECT_THAT(text(shared), Not(HasSubstr("--network none")));
    EXPECT_THAT(text(shared), HasSubstr("--no-dns"));
}

TEST(Container, KeysOfTheOtherProfileAreUnknown) {  // T68
    Plan wrong = web();
    wrong.vm.folders.emplace_back();
    EXPECT_THAT(text(wrong), HasSubstr("vm.folders needs"));
    wrong = files();
    wrong.vm.allow_hosts.push_back({"example.org", {}});
    EXPECT_THAT(text(wrong), HasSubstr("vm.allowHosts needs"));
    wrong = files();
    wrong.vm.dns.push_back({"9.9.9.9", {}});
    EXPECT_THAT(text(wrong), HasSubstr("vm.dns needs"));
    wrong = plan();
    wrong.vm.publish.value = "127.0.0.1:8000:9000";
    EXPECT_THAT(text(wrong), HasSubstr("vm.publish needs"));
}

TEST(Container, TheNetworkIsWhatTheProfileHas) {
    Plan wrong = plan();
    wrong.network.mode = NetworkMode::On;
    EXPECT_THAT(text(wrong), HasSubstr("vm_profile"));
    wrong = web();
    wrong.network.mode = NetworkMode::Off;
    EXPECT_THAT(text(wrong), HasSubstr("vm_profile"));
    wrong = files();
    wrong.network.mode = NetworkMode::On;
    EXPECT_THAT(text(wrong), HasSubstr("vm_profile"));
}

TEST(Container, AllowedHosts) {  // T46, P97
    Plan hosts = web();
    hosts.vm.allow_hosts = {{"example.org", {}}, {"api.example.com:443", {}}, {"93.184.216.34", {}}};
    EXPECT_THAT(text(hosts), HasSubstr("SANDBOX_ALLOW_HOSTS=example.org,api.example.com,93.184.216.34"));
    for (const char* host :
         {"*.example.org", "example.org:80", "10.0.0.1", "::1", "a b", "", "-x", "a..b", "x;y"}) {
        hosts.vm.allow_hosts = {{host, {}}};
        EXPECT_THAT(text(hosts), HasSubstr("invalid_host")) << host;
    }
}

TEST(Container, Addresses) {  // T53, T97
    Plan addresses = web();
    addresses.vm.dns = {{"9.9.9.9", {}}, {"2620:fe::fe", {}}};
    addresses.vm.blocked_addresses = {{"1.2.3.4", {}}};
    EXPECT_THAT(text(addresses), HasSubstr("--dns 9.9.9.9 --dns 2620:fe::fe"));
    EXPECT_THAT(text(addresses), HasSubstr("=192.168.64.1,2606::7,1.2.3.4"));
    addresses.vm.blocked_addresses = {{"10.0.0.0/8", {}}};
    EXPECT_THAT(text(addresses), HasSubstr("invalid_address"));
}

TEST(Container, MountsThatTheToolCannotExpress) {
    for (const char* path :
         {"/Users/me/a,b", "/Users/me/a=b", "/etc/x", "/usr/local/lib/x", "/proc/x", "/", "/sbx"}) {
        Plan wrong = plan();
        wrong.mounts.push_back(mount(path, Purpose::ReadGrant, Access::Read));
        EXPECT_THAT(text(wrong), HasSubstr("invalid_path")) << path;
    }
    Plan wrong = plan();
    wrong.mounts.push_back(mount("/Users/me/a:b", Purpose::ReadGrant, Access::Read, false));
    EXPECT_THAT(text(wrong), HasSubstr("invalid_path"));
    wrong = plan();
    wrong.mounts.push_back(mount("/Users/me/file", Purpose::WriteGrant, Access::Write, false));
    EXPECT_THAT(text(wrong), HasSubstr("read-only only"));
    wrong = plan();
    Mount link = mount("/Users/me/project/link", Purpose::Guard, Access::Read);
    link.kind = Mount::Kind::Pinned;
    wrong.mounts.push_back(link);
    EXPECT_THAT(text(wrong), HasSubstr("vm_mount"));
}

TEST(Container, GuardsAndMasksOfTheWorktree) {
    Plan guarded = plan();
    guarded.mounts.push_back(mount("/usr", Purpose::System, Access::Read));
    guarded.mounts.push_back(mount("/Users/me/.cargo", Purpose::Toolchain, Access::Read));
    guarded.mounts.push_back(mount("/Users/me/project/.git", Purpose::Pin, Access::Write));
    guarded.mounts.push_back(mount("/Users/me/project/.git/hooks", Purpose::Guard, Access::Read));
    guarded.mounts.push_back(mount("/Users/me/project/.git/config", Purpose::Guard, Access::Read, false));
    guarded.mounts.push_back(mount("/Users/me/project/.env", Purpose::Mask, Access::Read, false));
    guarded.mounts.push_back(mount("/Users/me/project/keys", Purpose::Mask, Access::Read));
    guarded.mounts.push_back(mount("/etc/shadow", Purpose::Mask, Access::Read, false));
    auto launch = render_container(guarded, facts());
    ASSERT_TRUE(launch.ok());
    std::string words = describe(*launch);
    EXPECT_THAT(words, HasSubstr("source=/Users/me/project/.git,target=/Users/me/project/.git --mount"));
    EXPECT_THAT(words, HasSubstr("target=/Users/me/project/.git/hooks,readonly"));
    EXPECT_THAT(words, HasSubstr("--volume /tmp/sbx-RUN/0:/Users/me/project/.git/config:ro"));
    EXPECT_THAT(words, HasSubstr("--volume /tmp/sbx-RUN/1:/Users/me/project/.env:ro"));
    EXPECT_THAT(words, HasSubstr("type=tmpfs,target=/Users/me/project/keys,mode=0000"));
    EXPECT_THAT(words, Not(HasSubstr("source=/usr")));
    EXPECT_THAT(words, Not(HasSubstr("cargo")));
    EXPECT_THAT(words, Not(HasSubstr("shadow")));
    ASSERT_EQ(launch->files.size(), 2U);
    EXPECT_EQ(launch->files[0].source, "/Users/me/project/.git/config");
    EXPECT_EQ(launch->files[1].source, "");
}

TEST(Container, Environment) {  // C37, T41
    Plan plan_with = plan();
    Origin file{Origin::Kind::File, "sbx.toml", 3, 1};
    Origin profile{Origin::Kind::Profile, "node", 3, 1};
    plan_with.environment = {{"PATH", "/opt/homebrew/bin", {}},
                             {"LANG", "de_DE.UTF-8", {}},
                             {"LC_ALL", "C", {}},
                             {"CI", "1", {}},
                             {"TERM", "xterm", {}},
                             {"npm_x", "1", {}},
                             {"NODE_X", "1", profile},
                             {"API_TOKEN", "hunter2", file},
                             {"DYLD_X", "1", file},
                             {"HOME", "/work", file}};
    auto launch = render_container(plan_with, facts());
    ASSERT_TRUE(launch.ok());
    std::string words = describe(*launch);
    EXPECT_THAT(
        words,
        HasSubstr(
            "--env LANG --env LC_ALL --env CI --env TERM --env API_TOKEN --env DYLD_X=1 --env HOME=/work"));
    EXPECT_THAT(words, Not(HasSubstr("hunter2")));
    for (const char* name : {"PATH", "npm_x", "NODE_X", "HOME=/tmp"}) {
        EXPECT_THAT(words, Not(HasSubstr(name))) << name;
    }
    // The tool itself must not be changed by what the guest gets.
    for (const auto& [name, value] : launch->environment) {
        EXPECT_NE(name, "DYLD_X");
        EXPECT_NE(name, "HOME");
    }
    for (const char* name : {"SANDBOX_PROFILE", "SANDBOX_X", "a b", "", "-x", "A=B"}) {
        plan_with.environment = {{name, "x", file}};
        EXPECT_THAT(text(plan_with), HasSubstr("vm_environment")) << name;
    }
}

TEST(Container, Limits) {  // T82, T103
    Plan limited = web();
    limited.limits.memory = int64_t{512} << 20;
    limited.vm.memory.value = int64_t{1} << 30;
    limited.vm.cpus.value = 2.0;
    limited.limits.processes = 512;
    limited.limits.open_files = 256;
    limited.limits.file_size = 1 << 20;
    EXPECT_THAT(text(limited), HasSubstr("--cpus 2 --memory 512M --ulimit nproc=512 --ulimit nofile=256 "
                                         "--ulimit fsize=1048576"));
    limited.limits.cpus = 0.5;
    EXPECT_THAT(text(limited), HasSubstr("vm_limit"));
}

TEST(Container, ACommandThatLooksLikeAnOption) {
    Plan odd = plan();
    odd.argv = {"--rm", "--", "-x"};
    EXPECT_THAT(text(odd), HasSubstr("--entrypoint=--rm " + kImage + " -- -x"));
}

}  // namespace
}  // namespace sbx
