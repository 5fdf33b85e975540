// One function for each subcommand, each in a file of its own: arguments in, exit status out.
#pragma once

#include "cli/parse.h"

namespace sbx::cli {

int run(const Arguments& arguments);

}  // namespace sbx::cli
