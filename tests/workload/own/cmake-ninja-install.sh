# id: cmake-ninja-install
# area: native
# title: cmake with Ninja: a shared library, compile commands, install with rpath, a package, rebuild of what changed
# needs: cmake ninja-build gcc libc6-dev
# uses: cmake ninja cc
# timeout: 90
setup() {
    cat >"$PROJECT/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(app VERSION 1.2.3 LANGUAGES C)
include(GNUInstallDirs)
add_library(part SHARED part.c)
set_target_properties(part PROPERTIES VERSION 1.2.3 SOVERSION 1)
add_executable(app main.c)
target_link_libraries(app part)
set_target_properties(app PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS app part)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME app)
include(CPack)
END
    echo 'int part(void) { return 42; }' >"$PROJECT/part.c"
    printf '#include <stdio.h>\nint part(void);\nint main(void) { printf("%%d\\n", part()); return 0; }\n' >"$PROJECT/main.c"
}

run() {
    capture configure cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
    capture build cmake --build build
    capture install sh -c 'cmake --install build --prefix "$PWD/out" >/dev/null && out/bin/app && ls -l out/lib*/libpart.so out/lib/*/libpart.so 2>/dev/null | grep -c -e "->"'
    capture package sh -c 'cd build && cpack >/dev/null && tar tzf app.tar.gz | grep -c bin/app'
    capture again sh -c 'touch -d "1 minute" part.c && ninja -C build -n | grep -c part.c'
}

verdict() {
    want_rc configure 0
    want_rc build 0
    want_out install "42
1"
    want_out package 1
    want_match again '^1$'
    check "no compile commands" test -s "$PROJECT/build/compile_commands.json"
}
