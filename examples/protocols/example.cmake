# The transaction manager is linked with the protocols that it joins.
foreach(program example_protocols_tms example_protocols_tms_production)
    if(TARGET ${program})
        target_sources(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/protocols/chain/server.c
            ${CMAKE_CURRENT_SOURCE_DIR}/protocols/chain/master.c
            ${CMAKE_CURRENT_SOURCE_DIR}/protocols/multipaxos/multipaxos.c)
    endif()
endforeach()
