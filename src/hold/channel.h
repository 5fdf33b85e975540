// The way from sbx to its guardian.
#pragma once

#include <cstddef>

namespace sbx::hold {

/// Connects two stream sockets that a program started later does not get. False and errno on failure.
bool make_channel(int (&ends)[2]);

/// Sends all of `data`; when the other end is gone that is false, not a signal.
bool send_all(int end, const void* data, size_t size);

}  // namespace sbx::hold
