#include "hold/channel.h"

#include <fcntl.h>
#include <sys/socket.h>

namespace sbx::hold {

bool make_channel(int (&ends)[2]) {
    // A Mac has neither the flag for this nor sockets for whole messages between local processes.
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return false;
    }
    for (int end : ends) {
        int on = 1;
        fcntl(end, F_SETFD, FD_CLOEXEC);
        setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    }
    return true;
}

bool send_all(int end, const void* data, size_t size) {
    return send(end, data, size, 0) == static_cast<ssize_t>(size);
}

}  // namespace sbx::hold
