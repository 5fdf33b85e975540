// One function for each subcommand, each in a file of its own: arguments in, exit status out.
#pragma once

#include "cli/parse.h"

namespace sbx::cli {

int run(const Arguments& arguments);
int check(const Arguments& arguments);
int explain(const Arguments& arguments);
int path(const Arguments& arguments);
int init(const Arguments& arguments);
int trust(const Arguments& arguments);
int profiles(const Arguments& arguments);
int schema(const Arguments& arguments);
int held(const Arguments& arguments);
int accept(const Arguments& arguments);
int discard(const Arguments& arguments);
int vm(const Arguments& arguments);
int doctor(const Arguments& arguments);
int selftest(const Arguments& arguments);

}  // namespace sbx::cli
