#include <string_view>

#include "cli/cli.h"
#include "run/doctor.h"

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == sbx::kProbeWord) {
        return sbx::probe_main(argc, argv);
    }
    return sbx::cli::main(argc, argv);
}
