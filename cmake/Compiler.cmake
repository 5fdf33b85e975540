# Compiler settings that every target shares, as the interface library sbx_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")

find_program(SBX_CCACHE ccache)
if(SBX_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SBX_CCACHE})
endif()

add_library(sbx_options INTERFACE)
target_include_directories(sbx_options INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
target_compile_options(sbx_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Wimplicit-fallthrough
  -fstack-protector-strong -ffunction-sections -fdata-sections)
target_compile_definitions(sbx_options INTERFACE
  TOML_ENABLE_FORMATTERS=0 "SBX_VERSION=\"${PROJECT_VERSION}\"")
if(SBX_WARNINGS_AS_ERRORS)
  target_compile_options(sbx_options INTERFACE -Werror)
endif()
if(NOT APPLE)
  target_link_options(sbx_options INTERFACE -Wl,--gc-sections)
endif()
if(SBX_FUZZ)
  target_compile_options(sbx_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SBX_SANITIZE)
  target_compile_options(sbx_options INTERFACE
    -fsanitize=${SBX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sbx_options INTERFACE -fsanitize=${SBX_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(sbx_options INTERFACE _FORTIFY_SOURCE=2)
endif()

# For builds that are made to be checked and thrown away (sanitizers, Macs): half the time. Not for the release, which
# so proves that every file includes what it uses.
if(SBX_ZIG)
  # zig's driver does not know the language c++-header.
  string(REPLACE "c++-header" "c++" CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH "${CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH}")
endif()
function(sbx_precompile target)
  if(SBX_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <functional> <map> <memory> <optional> <set> <string> <string_view> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
