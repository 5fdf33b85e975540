// The command line: argv -> subcommand -> exit status.
#pragma once

namespace sbx::cli {

/// Runs `sbx` with its arguments and returns its exit status. No exception leaves it.
int main(int argc, char** argv);

}  // namespace sbx::cli
