// The real directories that stand for private mounts on a Mac: home, temp, the profile's file.
#pragma once

#include <string>
#include <utility>

#include "host/facts.h"
#include "plan/plan.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

/// Makes them on construction and removes them on destruction. What is in them was written by the
/// command, so removal follows no link and survives any depth and any mode.
class PrivatePlaces {
  public:
    /// Makes the run directory, what the plan puts in it, and a persistent home that is missing. Removes what runs that were killed left beside it. Error: "io".
    static Result<PrivatePlaces> make(const Plan& plan, const HostFacts& facts);

    PrivatePlaces(PrivatePlaces&& other) noexcept : directory_(std::exchange(other.directory_, {})) {}
    PrivatePlaces& operator=(PrivatePlaces&&) = delete;
    ~PrivatePlaces();

    /// Writes `profile` to a file that only this user reads; returns its path. Error: "io".
    Result<std::string> write_profile(const std::string& profile) const;

  private:
    explicit PrivatePlaces(std::string directory) : directory_(std::move(directory)) {}

    std::string directory_;
};

/// Removes the directory `path` and everything in it, as far as the caller may.
void remove_tree(const std::string& path);

}  // namespace sbx
