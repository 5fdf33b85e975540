# Cross-compiling for macOS with zig (a tool of CI only, see tests/cross-mac). Needs
#   -DSBX_ZIG=FILE        the zig executable
#   -DSBX_MAC_CPU=aarch64|x86_64
#   -DSBX_MAC_INCLUDE=DIR only fmt/, toml++/ and CLI/: the host's own headers must not be seen
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${SBX_MAC_CPU})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SBX_ZIG SBX_MAC_CPU SBX_MAC_INCLUDE)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# CMake wants one program for each tool; zig is all of them by its first argument.
set(tools "${CMAKE_BINARY_DIR}/zig-tools")
foreach(tool cc c++ ar ranlib)
  set(target "")
  if(tool MATCHES "c")
    set(target "-target ${SBX_MAC_CPU}-macos.11.0")
  endif()
  if(tool STREQUAL "ar" OR tool STREQUAL "ranlib")
    set(target "")
  endif()
  if(NOT EXISTS "${tools}/${tool}")
    file(WRITE "${tools}/${tool}" "#!/bin/sh\nexec \"${SBX_ZIG}\" ${tool} ${target} \"$@\"\n")
    file(CHMOD "${tools}/${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER "${tools}/cc")
set(CMAKE_CXX_COMPILER "${tools}/c++")
set(CMAKE_AR "${tools}/ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${tools}/ranlib" CACHE FILEPATH "")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${SBX_MAC_INCLUDE}")
set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
