# What runs before the C library has set itself up: see src/linux/start/kernel.h. Elsewhere the same code runs later.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND SBX_STATIC AND NOT SBX_SANITIZE)
  file(GLOB SBX_START CONFIGURE_DEPENDS src/linux/start/*.cc src/linux/start/x86_64/*.cc)
  set(SBX_ENTRY -Wl,-e,sbx_entry)
else()
  file(GLOB SBX_START CONFIGURE_DEPENDS src/linux/start/*.cc src/linux/start/portable/*.cc)
  set(SBX_ENTRY)
endif()
set(SBX_FREESTANDING -fno-stack-protector -fno-builtin -U_FORTIFY_SOURCE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND SBX_FREESTANDING -fno-tree-loop-distribute-patterns)  # would make a loop a call of memset
endif()
set_source_files_properties(${SBX_START} PROPERTIES COMPILE_OPTIONS "${SBX_FREESTANDING}" SKIP_PRECOMPILE_HEADERS ON)
# An object library: the entry point is in an object that nothing else asks for.
add_library(sbx_start OBJECT ${SBX_START})
target_link_libraries(sbx_start PUBLIC sbx_options)
