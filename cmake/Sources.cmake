# The targets. Rendering is compiled on every platform; running only where it runs.
file(GLOB SBX_COMMON CONFIGURE_DEPENDS
  src/util/*.cc src/policy/*.cc src/host/*.cc src/plan/*.cc src/run/*.cc src/cli/*.cc src/hold/*.cc
  src/linux/render/*.cc src/macos/render/*.cc src/vm/render/*.cc)
if(APPLE)
  file(GLOB SBX_PLATFORM CONFIGURE_DEPENDS
    src/host/mac/*.cc src/run/mac/*.cc src/hold/mac/*.cc src/macos/run/*.cc src/macos/system/*.cc src/vm/run/*.cc)
  # Made with Linux's headers and libseccomp; macos/system/linux_filters.cc stands in for them.
  list(FILTER SBX_COMMON EXCLUDE REGEX "src/linux/render/(seccomp|ownership_filter)\\.cc$")
else()
  file(GLOB SBX_PLATFORM CONFIGURE_DEPENDS src/host/linux/*.cc src/run/linux/*.cc src/hold/linux/*.cc src/linux/run/*.cc src/vm/run/*.cc)
endif()

add_library(sbx_core STATIC ${SBX_COMMON} ${SBX_PLATFORM})
target_link_libraries(sbx_core PUBLIC sbx_options)
sbx_precompile(sbx_core)
# It defines what fmt's header would only declare.
set_source_files_properties(src/util/fmt_library.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
include(Embed)
include(Profiles)

if(NOT APPLE)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LIBCAP REQUIRED IMPORTED_TARGET libcap)
  if(SBX_STATIC)
    find_library(LIBCAP_ARCHIVE libcap.a REQUIRED)
    target_link_libraries(sbx_core PUBLIC ${LIBCAP_ARCHIVE})
  else()
    target_link_libraries(sbx_core PUBLIC PkgConfig::LIBCAP)
  endif()
  include(Inner)
  include(Seccomp)
  include(Start)
  target_sources(sbx_core PRIVATE $<TARGET_OBJECTS:sbx_start>)
endif()

add_executable(sbx src/main.cc)
target_link_libraries(sbx PRIVATE sbx_core)
if(SBX_STATIC AND NOT APPLE)
  target_link_options(sbx PRIVATE -static ${SBX_ENTRY})
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SBX_SANITIZE)
  target_link_options(sbx PRIVATE -s)
endif()
