// Times the walk over a tree, as sbx does it before each run. Usage: scan_bench DIRECTORY [ROUNDS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "hold/names.h"
#include "host/scan.h"

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: scan_bench DIRECTORY [ROUNDS]\n");
        return 2;
    }
    sbx::ScanRequest request;
    request.roots.push_back({argv[1], true});
    request.is_dependency_folder = sbx::hold::is_dependency_folder;
    request.is_handover = [](std::string_view name, std::string_view parent, bool, bool in_dependencies) {
        return !in_dependencies && sbx::hold::role_of(parent, name) != sbx::hold::Role::None;
    };
    for (int rounds = argc > 2 ? std::atoi(argv[2]) : 5; rounds > 0; --rounds) {
        auto start = std::chrono::steady_clock::now();
        auto facts = sbx::scan_roots(request);
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (!facts.ok()) {
            fmt::print(stderr, "{}\n", facts.error().message);
            return 1;
        }
        fmt::print("{:9.3f} ms  {} entries, {} secrets\n", took.count(), facts->entries, facts->masks.size());
    }
}
