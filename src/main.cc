#include <string_view>

#include "cli/cli.h"
#include "run/doctor.h"
#include "run/early_start.h"

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == sbx::kProbeWord) {
        return sbx::probe_main(argc, argv);
    }
    int status = sbx::cli::main(argc, argv);
    sbx::end_early_start();
    return status;
}
