// Starts a bwrap that waits for its options: see linux/run/waiting_bwrap.h.
#pragma once

namespace sbx::start {

/// The descriptor numbers that bwrap finds things at are chosen by whoever asks.
struct Request {
    const char* program = nullptr;
    const char* const* argv = nullptr;
    int stdio[3] = {-1, -1, -1};  ///< for the caller's 0 to 2; -1: closed
    int arguments = -1;           ///< read end of the pipe with the options
    int inner_program = -1;
    int inner_block = -1;
    int socket = -1;
    const int* data = nullptr;  ///< for generated files
    int data_count = 0;
    const int* keep = nullptr;  ///< the caller's descriptors that stay open
    int keep_count = 0;
    int floor = 0;  ///< sbx's own get this number or a higher one: above all others
};

constexpr int kProcessors = 1024;

struct Started {
    int pid = -1;   ///< -1: not started
    int error = 0;  ///< errno then, and what failed
    const char* what = "";
    int options = -1;  ///< the rest are sbx's own descriptors, close-on-exec
    int program = -1;  ///< memory, still empty, sealable
    int block = -1;
    int socket = -1;
    int errors = -1;         ///< memory that bwrap's stderr goes to
    bool elsewhere = false;  ///< bwrap may use all of the caller's processors but the one that sbx is on
    unsigned long allowed[kProcessors / (8 * sizeof(unsigned long))] = {};  ///< the caller's, as the kernel has them
};

/// Fills in `started`, and `data` with the memories for request.data in the same order; on failure too: what is open
/// is the caller's to close.
void start_bwrap(const Request& request, Started& started, int* data);

}  // namespace sbx::start
