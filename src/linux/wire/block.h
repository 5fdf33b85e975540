// The block of bytes that sbx hands to its inner stage, and the messages between them.
//
// Shared by the C++ side (render/inner_block.cc writes it) and the inner stage, which is built without
// a C++ library: plain structs of fixed-width integers only. Both come from one build, so there is no
// compatibility between versions to keep, only kBlockMagic as a guard against mix-ups.
//
// Layout: BlockHeader, then the arrays in the order of the header's counts, then the strings, each
// terminated by NUL: cwd, Landlock paths, argv, environment.
#pragma once

#include <stdint.h>

namespace sbx::wire {

constexpr uint32_t kBlockMagic = 0x53425831;

enum BlockFlag : uint32_t {
    kLandlock = 2,         ///< put the Landlock rules on; failing to is an error
    kScopeSignals = 8,     ///< Landlock scope: no signals, no abstract sockets to the outside
};

/// The soft and hard value of one resource limit.
struct BlockLimit {
    uint32_t resource;
    uint32_t unused;
    uint64_t value;
};

struct BlockFilter {       ///< one instruction of classic BPF, as in linux/filter.h
    uint16_t code;
    uint8_t jump_true;
    uint8_t jump_false;
    uint32_t operand;
};

/// One Landlock rule; its path is the string at the same index.
struct BlockRule {
    uint64_t access;
    uint32_t optional;     ///< the path may be missing
    uint32_t unused;
};

struct BlockHeader {
    uint32_t magic;
    uint32_t flags;
    int32_t stdio[3];          ///< descriptors that become 0, 1 and 2; -1: stays closed
    uint32_t limit_count;
    uint32_t filter_counts[2]; ///< instructions of each of the two seccomp programs
    uint32_t keep_count;       ///< descriptors above 2 that the command keeps (array of int32_t)
    uint32_t rule_count;
    uint32_t argument_count;
    uint32_t environment_count;
    uint32_t umask;
    uint32_t group_window_ms;  ///< how long a forwarded signal waits for the same one from the group
    uint64_t signal_mask;      ///< bit n-1: signal n is blocked in the command
    uint64_t ignored_signals;  ///< bit n-1: signal n is ignored in the command
    uint64_t landlock_handled; ///< file access rights that the ruleset handles
};

enum class Kind : uint32_t {
    // inner stage -> sbx
    Ready = 1,      ///< set up, the command is not running yet
    Started,        ///< value: the command's process id inside
    Exited,         ///< value: raw wait status
    Stopped,        ///< value: the signal that stopped the command
    Continued,
    ExecFailed,     ///< value: errno; text: the missing interpreter, or empty
    SetupFailed,    ///< value: errno; text: what failed
    Frozen,         ///< value: number of processes that could not be stopped
    // sbx -> inner stage
    Release = 32,
    Signal,         ///< value: the signal to deliver to the command
    Freeze,         ///< stop everything inside, then answer Frozen
    Thaw,           ///< continue it
};

struct Message {
    Kind kind;
    int32_t value;
    uint32_t stops;        ///< with Signal: how many Stopped messages sbx had seen when it sent this
    char text[244];
};

}  // namespace sbx::wire
