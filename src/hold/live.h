// Where the live runs of one user meet: a directory of small files, each locked by the runs it concerns.
//
// A lock belongs to the open file, so a guardian that was forked shares it, and a killed run leaves
// nothing that blocks the next one.
#pragma once

#include <string>
#include <vector>

#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

/// Makes the directory (HostFacts::live_dir) with mode 0700 when it is missing. Error "io" when it belongs to
/// somebody else or others can write to it.
Result<void> make_live_directory(const std::string& directory);

/// The lock under which runs join and leave, one at a time. Held until the Fd is closed.
Result<Fd> take_turn(const std::string& directory);

/// Opens the file `name` of the directory, made when missing.
Result<Fd> open_live_file(const std::string& directory, const std::string& name);

/// True when another run holds its share of the file; else this one now holds it alone.
bool others_live(const Fd& file);

/// Takes a share: this run lives.
Result<void> take_share(const Fd& file);

/// Gives the share up and closes the file. A guardian that still has it open no longer counts as a live run.
void end_share(Fd& file);

/// Replaces the content of `file`, which is at `path`.
Result<void> write_live_file(const Fd& file, const std::string& bytes, const std::string& path);

/// The live files whose names begin with `prefix`. Under take_turn().
std::vector<std::string> live_files(const std::string& directory, const char* prefix);

/// Removes files of directories that are gone (each file begins with its path, see encode_text()), and the
/// directory itself when only the turn's lock is left in it. Under take_turn().
void tidy(const std::string& directory);

/// Name for what concerns the directory at `path`: its device, inode and time of birth. "" and errno when it
/// is missing.
std::string live_name(const char* prefix, const std::string& path);

/// The same without the device, whose number may be another one after a restart: two directories may share it.
std::string lasting_name(const std::string& path);

}  // namespace sbx::hold
