// One message of the inner stage, which the command may have taken over.
#pragma once

#include <sys/types.h>

#include "linux/wire/block.h"

namespace sbx {

struct Received {
    enum class State { Nothing, Message, End };
    State state = State::Nothing;
    wire::Message message{};
    pid_t sender = -1;   ///< on the host, as the kernel says; -1 when it does not
};

/// Does not wait. Anything that is no message of the right size ends the conversation.
Received receive(int socket);

}  // namespace sbx
