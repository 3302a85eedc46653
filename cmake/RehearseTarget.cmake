# `rehearse graph` and `rehearse target`: a part of its own, which the libraries and the command do not need.
#
#   rehearse-bitcode    the compiler launcher that gives a program its bitcode    bin/rehearse-bitcode
#   rehearse-blocks     block coverage of such a program                           lib/librehearse-blocks.a
#   rehearse-target     the analysis; `rehearse` executes it                       bin/rehearse-target
#
# RH_TARGET is on when LLVM 14 and clang 14 are found (Debian: llvm-14-dev, clang-14).

find_path(RH_LLVM_INCLUDE llvm-c/Core.h PATHS /usr/lib/llvm-14/include NO_DEFAULT_PATH)
find_library(RH_LLVM_LIBRARY NAMES LLVM-14 PATHS /usr/lib/llvm-14/lib)
find_program(RH_CLANG NAMES clang-14)
mark_as_advanced(RH_LLVM_INCLUDE RH_LLVM_LIBRARY RH_CLANG)
set(target_possible OFF)
if(RH_LLVM_INCLUDE AND RH_LLVM_LIBRARY AND RH_CLANG AND TARGET rehearse AND NOT CMAKE_CROSSCOMPILING)
    set(target_possible ON)
endif()
option(RH_TARGET "Build `rehearse target` and `rehearse graph`" ${target_possible})
if(NOT RH_TARGET)
    message(STATUS "rehearse target is left out (it needs the Debian packages llvm-14-dev and clang-14)")
    return()
endif()
if(NOT target_possible)
    message(FATAL_ERROR "RH_TARGET: LLVM 14 or clang 14 not found (Debian: llvm-14-dev, clang-14; scripts/setup installs them)")
endif()

add_executable(rehearse-bitcode src/target/cc/bitcode_cc.c)
rehearse_flags(rehearse-bitcode)
target_include_directories(rehearse-bitcode PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(rehearse-bitcode PRIVATE RH_CLANG="${RH_CLANG}" RH_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
target_link_libraries(rehearse-bitcode PRIVATE rehearse-core)
set_target_properties(rehearse-bitcode PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(rehearse-blocks STATIC src/target/blocks/blocks.c)
rehearse_library_settings(rehearse-blocks)
target_compile_options(rehearse-blocks PRIVATE -fno-sanitize=all -O2)
target_link_libraries(rehearse-blocks PUBLIC rehearse-core)

rehearse_sources(target_sources target)
list(FILTER target_sources EXCLUDE REGEX "/src/target/(cc|blocks)/")
# Z3 is optional: without it `rehearse target` draws values, and does not solve for them (Debian: libz3-dev).
find_path(RH_Z3_INCLUDE z3.h)
find_library(RH_Z3_LIBRARY NAMES z3)
mark_as_advanced(RH_Z3_INCLUDE RH_Z3_LIBRARY)
set(solver_possible OFF)
if(RH_Z3_INCLUDE AND RH_Z3_LIBRARY)
    set(solver_possible ON)
endif()
option(RH_SOLVER "Build `rehearse target` with Z3" ${solver_possible})
if(RH_SOLVER)
    list(FILTER target_sources EXCLUDE REGEX "/src/target/solve_none.c")
else()
    list(FILTER target_sources EXCLUDE REGEX "/src/target/(solve|symbolic[a-z_]*|summary[a-z_]*|plan[a-z_]*).c")
    message(STATUS "rehearse target has no solver (it needs the Debian package libz3-dev)")
endif()
add_executable(rehearse-target ${target_sources})
if(RH_SOLVER)
    target_link_libraries(rehearse-target PRIVATE ${RH_Z3_LIBRARY} m)
endif()
rehearse_flags(rehearse-target)
target_include_directories(rehearse-target PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(rehearse-target SYSTEM PRIVATE ${RH_LLVM_INCLUDE})
target_link_libraries(rehearse-target PRIVATE rehearse-core ${RH_LLVM_LIBRARY})
set_target_properties(rehearse-target PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

foreach(target rehearse-bitcode rehearse-blocks rehearse-target)
    add_dependencies(product ${target})
endforeach()

set(REHEARSE_BITCODE $<TARGET_FILE:rehearse-bitcode>)
include(${PROJECT_SOURCE_DIR}/cmake/RehearseBitcode.cmake)
