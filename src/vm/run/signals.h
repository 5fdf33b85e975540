// Signals as readable events, on Linux and macOS alike.
#pragma once

#include <optional>
#include <vector>

#include "util/fd.h"
#include "util/result.h"

namespace sbx::vm {

/// While one exists, the signals that a run passes on, and SIGCHLD, become events. One at a time.
/// A signal that the caller ignores (nohup) stays ignored.
class SignalEvents {
  public:
    struct Event {
        int number = 0;
        bool from_terminal = false;  ///< the terminal sent it to the whole group, the tool included
    };

    /// Error: "io".
    static Result<SignalEvents> start();
    SignalEvents(SignalEvents&&) noexcept = default;
    SignalEvents& operator=(SignalEvents&&) noexcept = default;
    ~SignalEvents();

    /// Becomes readable when there is an event.
    int fd() const { return reading_.get(); }
    std::optional<Event> next();

  private:
    SignalEvents(Fd reading, Fd writing) : reading_(std::move(reading)), writing_(std::move(writing)) {}

    Fd reading_;
    Fd writing_;
};

}  // namespace sbx::vm
