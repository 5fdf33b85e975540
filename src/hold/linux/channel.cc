#include "hold/channel.h"

#include <sys/socket.h>

namespace sbx::hold {

bool make_channel(int (&ends)[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0; }

bool send_all(int end, const void* data, size_t size) {
    return send(end, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

}  // namespace sbx::hold
