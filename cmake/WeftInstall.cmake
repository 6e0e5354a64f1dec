# cmake --install: installs the library, the command, the headers, and the files for find_package(weft).
include(CMakePackageConfigHelpers)
set(WEFT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

install(TARGETS weft weft_precompiled EXPORT weftTargets)
if(TARGET weft_command)
  install(TARGETS weft_command)
endif()
if(TARGET weft_pjrt)
  install(TARGETS weft_pjrt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(module weft_openmpi weft_mpich weft_s3)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN pjrt EXCLUDE PATTERN mpi EXCLUDE PATTERN compiler EXCLUDE PATTERN interpreter EXCLUDE)
foreach(header artifacts.h compiler.h options/ahead.h options/division.h options/link.h options/options.h options/report.h options/target.h passes/pipeline.h plan/sized_program.h)
  get_filename_component(folder compiler/${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/weft/compiler/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/${folder})
endforeach()
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION ${WEFT_CMAKE_DIR})
if(NOT BUILD_SHARED_LIBS)
  set(WEFT_STATIC ON)  # the user links the libraries that a shared library would have linked itself
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindOneDNN.cmake ${PROJECT_SOURCE_DIR}/cmake/FindXxHash.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindLibZip.cmake
          DESTINATION ${WEFT_CMAKE_DIR})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in ${PROJECT_BINARY_DIR}/weftConfig.cmake
                              INSTALL_DESTINATION ${WEFT_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake DESTINATION ${WEFT_CMAKE_DIR})
