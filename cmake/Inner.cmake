# The inner stage: a tiny static program (musl, no C++ library) that is carried inside sbx and becomes
# PID 1 of the sandbox. Every page it does not have is start-up time that it does not cost.
find_program(SBX_MUSL_GCC musl-gcc REQUIRED)
file(GLOB SBX_INNER_SOURCES CONFIGURE_DEPENDS src/linux/inner/*.cc)
file(GLOB SBX_INNER_HEADERS CONFIGURE_DEPENDS src/linux/inner/*.h src/linux/wire/*.h)
set(SBX_INNER "${PROJECT_BINARY_DIR}/sbx-inner")
add_custom_command(OUTPUT "${SBX_INNER}"
  COMMAND "${SBX_MUSL_GCC}" -std=c++20 -Os -static -s -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables
    -fno-threadsafe-statics -ffunction-sections -fdata-sections -fno-pie -no-pie -Wl,--gc-sections
    -Wl,-z,noseparate-code -Wl,--build-id=none -Wall -Wextra -Wshadow -Werror -I "${PROJECT_SOURCE_DIR}/src"
    ${SBX_INNER_SOURCES} -o "${SBX_INNER}"
  DEPENDS ${SBX_INNER_SOURCES} ${SBX_INNER_HEADERS}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
sbx_embed(sbx_core inner_program "${SBX_INNER}")
