#include "cli/cli.h"

int main(int argc, char** argv) { return sbx::cli::main(argc, argv); }
