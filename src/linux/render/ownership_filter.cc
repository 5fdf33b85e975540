#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <vector>

#include "linux/render/seccomp.h"

namespace sbx {

std::string render_ownership_filter(uid_t uid, gid_t gid) {
    struct Call {
        unsigned number;
        unsigned owner_argument;
    };
    std::vector<Call> calls = {{SYS_fchown, 1}, {SYS_fchownat, 2}};
#ifdef SYS_chown
    calls.push_back({SYS_chown, 1});
    calls.push_back({SYS_lchown, 1});
#endif
    const uint32_t answer = SECCOMP_RET_ERRNO | (uid == 0 ? 0U : static_cast<unsigned>(EPERM));
    constexpr uint32_t kUnchanged = ~0U;
    constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
    constexpr uint16_t kEqual = BPF_JMP | BPF_JEQ | BPF_K;
    constexpr uint16_t kReturn = BPF_RET | BPF_K;
    auto argument = [](unsigned index) {
        return static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * size_t{index});
    };
    std::vector<sock_filter> program;
    for (const Call& call : calls) {
        const sock_filter part[] = {
            {kLoad, 0, 0, offsetof(seccomp_data, nr)},
            {kEqual, 0, 8, call.number},
            {kLoad, 0, 0, argument(call.owner_argument)},
            {kEqual, 1, 0, uid},
            {kEqual, 0, 3, kUnchanged},
            {kLoad, 0, 0, argument(call.owner_argument + 1)},
            {kEqual, 2, 0, gid},
            {kEqual, 1, 0, kUnchanged},
            {kReturn, 0, 0, answer},
            {kReturn, 0, 0, SECCOMP_RET_ALLOW},
        };
        program.insert(program.end(), std::begin(part), std::end(part));
    }
    program.push_back({kReturn, 0, 0, SECCOMP_RET_ALLOW});
    return {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)};
}

}  // namespace sbx
