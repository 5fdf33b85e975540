#include "linux/run/receive.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace sbx {
namespace {

pid_t sender_of(msghdr& header) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS) {
            ucred credentials{};
            std::memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
            return credentials.pid;
        }
    }
    return -1;
}

}  // namespace

Received receive(int socket) {
    Received received;
    iovec data{&received.message, sizeof received.message};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    ssize_t length = 0;
    do {
        length = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        // Once: the inner stage ended without reading all that it was sent; its last words follow.
    } while (length < 0 && errno == ECONNRESET);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return received;
    }
    if (length != sizeof received.message) {
        received.state = Received::State::End;
        return received;
    }
    received.message.text[sizeof received.message.text - 1] = '\0';
    received.state = Received::State::Message;
    received.sender = sender_of(header);
    return received;
}

}  // namespace sbx
