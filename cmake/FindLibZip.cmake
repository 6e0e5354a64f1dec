# Finds libzip by its header and library, because its own package file requires programs of other Debian packages. Defines
# LibZip::LibZip.
find_path(LibZip_INCLUDE_DIR zip.h)
find_library(LibZip_LIBRARY zip)
find_file(LibZip_CONFIG zipconf.h HINTS ${LibZip_INCLUDE_DIR})
if(LibZip_CONFIG)
  file(STRINGS ${LibZip_CONFIG} line REGEX "#define LIBZIP_VERSION \"")
  string(REGEX REPLACE "[^0-9.]" "" LibZip_VERSION "${line}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR VERSION_VAR LibZip_VERSION)
if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip UNKNOWN IMPORTED)
  set_target_properties(LibZip::LibZip PROPERTIES
    IMPORTED_LOCATION ${LibZip_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LibZip_INCLUDE_DIR})
endif()
mark_as_advanced(LibZip_INCLUDE_DIR LibZip_LIBRARY LibZip_CONFIG)
