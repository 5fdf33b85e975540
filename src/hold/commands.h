// sbx held, sbx accept, sbx discard: what runs left for the user to decide about.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "util/result.h"

namespace sbx::hold {

/// Which of the held changes a command is about.
struct Selection {
    std::string state_directory;
    std::string live_directory;      ///< HostFacts::live_dir
    std::string cwd;                 ///< absolute, physical
    std::vector<std::string> paths;  ///< as typed: these and what lies below; empty: all around or below cwd
    bool everywhere = false;         ///< in every folder; `paths` is empty then
};

/// One line for the user, without "sbx: ".
using Say = std::function<void(const std::string& line)>;

/// The held changes as text for a terminal, with `diff` the changes themselves. Empty: nothing is held.
/// Errors: "io"; "not_held" when one of the typed paths is not held.
Result<std::string> list_held(const Selection& selection, bool diff);

/// The same as one JSON array of objects with root, time, path, change.
Result<std::string> list_held_json(const Selection& selection);

/// Puts the newest held version of each selected path in its place and forgets it. Where the host has
/// changed the file since, both are kept and a line says so; with `replace` they change places. No link
/// is followed. True when everything selected is in place now.
/// Errors: "io"; "not_held"; "live_run": a command is running there, whose end would undo it.
Result<bool> accept_held(const Selection& selection, bool replace, const Say& say);

/// Forgets the selected changes, all versions. Errors: "io", "not_held".
Result<void> discard_held(const Selection& selection, const Say& say);

}  // namespace sbx::hold
