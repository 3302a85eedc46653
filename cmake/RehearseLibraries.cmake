# The libraries and the command.
#
# Interposition. src/world/interpose*.c define malloc, clock_gettime and so on. A linker takes an object out of an
# archive only when something asks for it, and by then libc may have answered; so these objects are an archive of their
# own, librehearse-interpose.a, that is linked whole. The target `rehearse` says so to whoever links it.

rehearse_sources(common_sources base actor history)
rehearse_sources(runtime_sources runtime)
rehearse_sources(world_sources world run trace check coverage results explore findings report cluster runner)
rehearse_sources(tool_sources cli)
list(FILTER tool_sources EXCLUDE REGEX "/src/cli/option_docs[.]c$") # a program of its own, below

set(interpose_sources ${world_sources})
list(FILTER interpose_sources INCLUDE REGEX "/src/world/interpose[^/]*$")
list(FILTER world_sources EXCLUDE REGEX "/src/world/interpose[^/]*$")

# The commands for gdb are bytes of the library (src/runner/gdb_script.c).
set(gdb_script ${PROJECT_SOURCE_DIR}/src/runner/gdb/rehearse-gdb.py)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/runner/gdb_script.c PROPERTIES
    COMPILE_DEFINITIONS "RH_GDB_SCRIPT=\"${gdb_script}\"" OBJECT_DEPENDS ${gdb_script})

# They look at the world's tables and at the step that is made, also in a library that is installed: these two files have
# debug information in every build.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/world/world.c ${PROJECT_SOURCE_DIR}/src/world/step.c PROPERTIES
    COMPILE_OPTIONS -g)

# rehearse_library_settings(target): what every library of ours has in common
function(rehearse_library_settings target)
    rehearse_flags(${target})
    target_include_directories(${target}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${target} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

find_path(RH_XXHASH_INCLUDE xxhash.h) # used header-only
mark_as_advanced(RH_XXHASH_INCLUDE)
if(NOT RH_XXHASH_INCLUDE)
    message(FATAL_ERROR "xxhash.h not found (Debian: libxxhash-dev; scripts/setup installs it)")
endif()

# src/base, src/actor and src/history are in both libraries and compiled once.
if(common_sources)
    add_library(rehearse-common OBJECT ${common_sources})
    rehearse_library_settings(rehearse-common)
    set(common_objects $<TARGET_OBJECTS:rehearse-common>)
endif()

if(runtime_sources)
    add_library(rehearse-rt STATIC ${runtime_sources} ${common_objects})
    rehearse_library_settings(rehearse-rt)
    target_link_libraries(rehearse-rt PUBLIC rehearse::boost_context Threads::Threads m)
    add_library(rehearse::rehearse-rt ALIAS rehearse-rt)
else()
    message(STATUS "src/runtime has no sources: librehearse-rt is left out")
endif()

if(world_sources)
    add_library(rehearse-core STATIC ${world_sources} ${common_objects})
    rehearse_library_settings(rehearse-core)
    # The page of a report is in the library.
    rehearse_embed(rehearse-core ${PROJECT_BINARY_DIR}/src/report/page_files.c rh__page_files
        ${PROJECT_SOURCE_DIR}/src/report/page
        page.css body.html model.js chart.js panels.js page.js served.js lines.js boot.js)
    set_target_properties(rehearse-core PROPERTIES OUTPUT_NAME rehearse)
    target_link_libraries(rehearse-core PUBLIC rehearse::boost_context Threads::Threads ${CMAKE_DL_LIBS} m)

    # What programs under test link: the interposers whole, then the rest.
    add_library(rehearse INTERFACE)
    if(interpose_sources)
        add_library(rehearse-interpose STATIC ${interpose_sources})
        rehearse_library_settings(rehearse-interpose)
        # libc and other shared libraries must see these definitions, and the compiler must not turn
        # "malloc, then memset" inside our calloc into a call of calloc.
        # Not instrumented: they run before a sanitizer has set itself up; with frame pointers, so that its
        # backtraces pass through them.
        target_compile_options(rehearse-interpose PRIVATE -fvisibility=default -fno-sanitize=all
            -fno-omit-frame-pointer -O2 -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free)
        target_link_libraries(rehearse INTERFACE
            $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,rehearse-interpose>>
            $<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,rehearse::rehearse-interpose>>)
    endif()
    target_link_libraries(rehearse INTERFACE rehearse-core)
    add_library(rehearse::rehearse ALIAS rehearse)
else()
    message(STATUS "src/world and the folders below it have no sources: librehearse is left out")
endif()

# `rehearse serve` needs libmicrohttpd (Debian: libmicrohttpd-dev).
find_path(RH_HTTP_INCLUDE microhttpd.h)
find_library(RH_HTTP_LIBRARY NAMES microhttpd)
mark_as_advanced(RH_HTTP_INCLUDE RH_HTTP_LIBRARY)
set(http_possible OFF)
if(RH_HTTP_INCLUDE AND RH_HTTP_LIBRARY)
    set(http_possible ON)
endif()
option(RH_SERVE "Build `rehearse serve`" ${http_possible})
if(RH_SERVE)
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_serve_none[.]c$")
else()
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_(serve|http)[.]c$")
    message(STATUS "rehearse serve is left out (it needs the Debian package libmicrohttpd-dev)")
endif()

# Work that is shared over a server (src/link) needs hiredis and OpenSSL (Debian: libhiredis-dev, libssl-dev).  Only the
# command links them, never a test program.
find_path(RH_HIREDIS_INCLUDE hiredis/hiredis.h)
find_library(RH_HIREDIS_LIBRARY NAMES hiredis)
find_package(OpenSSL QUIET)
mark_as_advanced(RH_HIREDIS_INCLUDE RH_HIREDIS_LIBRARY)
set(cluster_possible OFF)
if(RH_HIREDIS_INCLUDE AND RH_HIREDIS_LIBRARY AND OPENSSL_FOUND)
    set(cluster_possible ON)
endif()
option(RH_CLUSTER "Share work over a Redis server" ${cluster_possible})
if(RH_CLUSTER)
    rehearse_sources(link_sources link)
    add_library(rehearse-link STATIC ${link_sources})
    rehearse_flags(rehearse-link)
    target_include_directories(rehearse-link PRIVATE ${PROJECT_SOURCE_DIR}/src ${RH_HIREDIS_INCLUDE})
    target_link_libraries(rehearse-link PUBLIC rehearse-core ${RH_HIREDIS_LIBRARY} OpenSSL::SSL OpenSSL::Crypto)
    set(work_script ${PROJECT_SOURCE_DIR}/src/link/work.lua)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/link/script.c PROPERTIES
        COMPILE_DEFINITIONS "RH_WORK_SCRIPT=\"${work_script}\"" OBJECT_DEPENDS ${work_script})
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_cluster_none[.]c$")
else()
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_(cluster|jobs|jobs_read)[.]c$")
    message(STATUS "rehearse test --cluster is left out (it needs the Debian packages libhiredis-dev and libssl-dev)")
endif()

if(RH_SERVE AND RH_CLUSTER)
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_serve_jobs_none[.]c$")
else()
    list(FILTER tool_sources EXCLUDE REGEX "/src/cli/cli_serve_jobs[.]c$")
endif()

# The command drives other programs and need not interpose anything in itself.
if(tool_sources AND TARGET rehearse-core)
    add_executable(rehearse-tool ${tool_sources})
    rehearse_flags(rehearse-tool)
    target_include_directories(rehearse-tool PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(rehearse-tool PRIVATE RH_VERSION="${PROJECT_VERSION}")
    target_link_libraries(rehearse-tool PRIVATE rehearse-core) # what reads and prints coverage
    if(RH_SERVE)
        target_link_libraries(rehearse-tool PRIVATE ${RH_HTTP_LIBRARY})
    endif()
    if(RH_CLUSTER)
        target_link_libraries(rehearse-tool PRIVATE rehearse-link)
    endif()
    rehearse_embed(rehearse-tool ${PROJECT_BINARY_DIR}/src/cli/init_files.c rh__init_files
        ${PROJECT_SOURCE_DIR}/templates/project
        CMakeLists.txt tickets.h tickets.c test.c main.c schedules/first-come.schedule README.md .gitignore
        .github/workflows/rehearse.yml)
    if(RH_SERVE AND RH_CLUSTER)
        rehearse_embed(rehearse-tool ${PROJECT_BINARY_DIR}/src/cli/jobs_page.c rh__jobs_page_files
            ${PROJECT_SOURCE_DIR}/src/cli/page jobs.html)
    endif()
    set_target_properties(rehearse-tool PROPERTIES OUTPUT_NAME rehearse
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
else()
    message(STATUS "src/cli has no sources: the command is left out")
endif()

# Completions of shells and the manual: templates, with lists made from the rows of options (src/runner/option_print.h).
if(TARGET rehearse AND EXISTS ${PROJECT_SOURCE_DIR}/src/cli/option_docs.c)
    add_executable(rehearse-option-docs src/cli/option_docs.c)
    rehearse_flags(rehearse-option-docs)
    target_include_directories(rehearse-option-docs PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(rehearse-option-docs PRIVATE rehearse)
    set_target_properties(rehearse-option-docs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    set(filled "")
    foreach(file completion/rehearse.bash completion/_rehearse docs/man/rehearse.1 src/cli/option_help.c)
        get_filename_component(folder ${PROJECT_BINARY_DIR}/${file} DIRECTORY)
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${file}
            COMMAND rehearse-option-docs ${PROJECT_SOURCE_DIR}/${file}.in ${PROJECT_BINARY_DIR}/${file}
            DEPENDS rehearse-option-docs ${PROJECT_SOURCE_DIR}/${file}.in VERBATIM)
        list(APPEND filled ${PROJECT_BINARY_DIR}/${file})
    endforeach()
    add_custom_target(option-lists ALL DEPENDS ${filled})
    target_sources(rehearse-tool PRIVATE ${PROJECT_BINARY_DIR}/src/cli/option_help.c) # `rehearse test --help`
endif()

add_custom_target(product)
foreach(target rehearse-rt rehearse-core rehearse-interpose rehearse-tool option-lists)
    if(TARGET ${target})
        add_dependencies(product ${target})
    endif()
endforeach()

# rehearse_program(target world|rt output-folder name source...): a program of this tree that may use internals
function(rehearse_program target side folder name)
    add_executable(${target} ${ARGN})
    rehearse_flags(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(side STREQUAL rt)
        target_link_libraries(${target} PRIVATE rehearse-rt)
    else()
        target_link_libraries(${target} PRIVATE rehearse)
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${folder})
endfunction()
