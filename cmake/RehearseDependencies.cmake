# What the libraries link. Included by our own build and by the installed package, so that both find the same.
# docs/dependencies.md says why each is here.

find_package(Threads REQUIRED)

# Boost.Context's C entry points make_fcontext and jump_fcontext. The static library is preferred: its two assembler
# objects need nothing else, so programs get no dependency on libstdc++.
find_library(REHEARSE_BOOST_CONTEXT NAMES libboost_context.a boost_context)
mark_as_advanced(REHEARSE_BOOST_CONTEXT)
if(NOT REHEARSE_BOOST_CONTEXT)
    message(FATAL_ERROR "libboost_context not found (Debian: libboost-context-dev; scripts/setup installs it)")
endif()
if(NOT TARGET rehearse::boost_context)
    add_library(rehearse::boost_context UNKNOWN IMPORTED)
    set_target_properties(rehearse::boost_context PROPERTIES IMPORTED_LOCATION ${REHEARSE_BOOST_CONTEXT})
endif()
