# Compiler flags of everything that is built in this tree.

# Assertions stay on in every build: a checker that skips its own checks cannot be trusted.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REGEX REPLACE "[-/]D *NDEBUG" "" CMAKE_C_FLAGS_${config} "${CMAKE_C_FLAGS_${config}}")
endforeach()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)

# Public headers are held to these as well, under -std=c11 (tests/CMakeLists.txt).
set(RH_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wpointer-arith
    -Wwrite-strings)

if(RH_SANITIZE)
    add_compile_options(-fsanitize=${RH_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${RH_SANITIZE})
    if(RH_SANITIZE MATCHES undefined)
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()

# Lua's ltests: every self-check that is too expensive for users, and memory that punishes misuse.
if(RH_HOSTILE)
    add_compile_definitions(RH__HOSTILE)
endif()

# gcov keeps its counters in writable globals: putting those back between runs would lose them.
if(RH_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
    add_compile_definitions(RH_NO_GLOBALS_TRACKING)
endif()

# rehearse_flags(target): warnings, and the GNU extensions of libc. The empty value lets a source file say
# "#define _GNU_SOURCE" again.
# Places in reports are relative to the project: also with ccache and a base directory, which gives the compiler paths
# that are relative to the build folder.
function(rehearse_flags target)
    file(RELATIVE_PATH to_project ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
    target_compile_options(${target} PRIVATE ${RH_WARNINGS} -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
        -fmacro-prefix-map=${to_project}=)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE=)
endfunction()
