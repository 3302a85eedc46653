# Headers, libraries, the command, pkg-config files, a CMake package and documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rehearse)
set(installed "")
foreach(target rehearse-rt rehearse-core rehearse-interpose rehearse)
    if(TARGET ${target})
        list(APPEND installed ${target})
    endif()
endforeach()

install(DIRECTORY include/ TYPE INCLUDE OPTIONAL FILES_MATCHING PATTERN "*.h")
if(TARGET rehearse-tool)
    install(TARGETS rehearse-tool RUNTIME)
endif()

# rehearse graph and what gives programs their bitcode.
set(REHEARSE_HAS_BITCODE OFF)
if(RH_TARGET)
    list(APPEND installed rehearse-blocks)
    install(TARGETS rehearse-target rehearse-bitcode RUNTIME)
    install(FILES cmake/RehearseBitcode.cmake DESTINATION ${package_dir})
    set(REHEARSE_HAS_BITCODE ON)
    file(RELATIVE_PATH PC_BITCODE ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_BINDIR}/rehearse-bitcode)
    set(PC_BITCODE "\nbitcode=\${pcfiledir}/${PC_BITCODE}")
endif()

if(installed)
    install(TARGETS ${installed} EXPORT rehearse ARCHIVE)
    install(EXPORT rehearse NAMESPACE rehearse:: FILE rehearse-targets.cmake DESTINATION ${package_dir})
    configure_package_config_file(cmake/rehearse-config.cmake.in ${PROJECT_BINARY_DIR}/rehearse-config.cmake
        INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/rehearse-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/rehearse-config.cmake ${PROJECT_BINARY_DIR}/rehearse-config-version.cmake
        cmake/RehearseDependencies.cmake DESTINATION ${package_dir})
endif()

# pkg-config has no way to say "whole archive" but a linker flag; one flag, so that nothing can reorder its parts.
set(PC_INTERPOSE "")
if(TARGET rehearse-interpose)
    set(PC_INTERPOSE "-Wl,--push-state,--whole-archive,-lrehearse-interpose,--pop-state ")
endif()
# The same choice of Boost library as in this build, and paths relative to the .pc file: the tree may be moved.
set(PC_BOOST -lboost_context)
if(REHEARSE_BOOST_CONTEXT MATCHES "[.]a$")
    set(PC_BOOST -l:libboost_context.a)
endif()
file(RELATIVE_PATH PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(library rehearse rehearse-rt)
    if(TARGET ${library})
        configure_file(cmake/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    endif()
endforeach()

install(FILES src/runner/gdb/rehearse-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/rehearse)

# The manual, completion for shells, and the documents.
install(FILES ${PROJECT_BINARY_DIR}/docs/man/rehearse.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md"
    PATTERN man EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/completion/rehearse.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rehearse)
install(FILES ${PROJECT_BINARY_DIR}/completion/_rehearse DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
