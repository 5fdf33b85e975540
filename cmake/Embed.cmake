# sbx_embed(TARGET NAME FILE): makes the bytes of FILE available as sbx::embedded::NAME(), declared in
# the generated header embedded/NAME.h.
function(sbx_embed target name file)
  set(directory "${PROJECT_BINARY_DIR}/generated/embedded")
  file(MAKE_DIRECTORY "${directory}")
  file(WRITE "${directory}/${name}.h.in"
    "#pragma once\n#include <string_view>\nnamespace sbx::embedded {\nstd::string_view ${name}();\n}\n")
  configure_file("${directory}/${name}.h.in" "${directory}/${name}.h" COPYONLY)
  add_custom_command(OUTPUT "${directory}/${name}.cc"
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DINPUT=${file} -DOUTPUT=${directory}/${name}.cc
      -P "${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake"
    DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${directory}/${name}.cc")
endfunction()
