# The shipped profiles, carried inside the executable as sbx::embedded::profile_NAME().
file(GLOB SBX_PROFILES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/profiles/*.toml")
foreach(profile ${SBX_PROFILES})
  get_filename_component(name "${profile}" NAME_WE)
  string(REPLACE "-" "_" name "${name}")
  sbx_embed(sbx_core "profile_${name}" "${profile}")
endforeach()
