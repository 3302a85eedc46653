# rehearse_embed(TARGET FILE VARIABLE FOLDER NAME...): writes FILE, a C source of the target, with an array VARIABLE of
# { name, bytes, size } for these files of the folder.  It is written again when one of them changes.
function(rehearse_embed target file variable folder)
    set(arrays "")
    set(rows "")
    set(i 0)
    foreach(name ${ARGN})
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name})
        file(READ ${folder}/${name} hex HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
        string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
            "${bytes}")
        string(APPEND arrays "static const unsigned char file_${i}[] = {\n${bytes}\n};\n")
        string(APPEND rows "    { \"${name}\", file_${i}, sizeof file_${i} },\n")
        math(EXPR i "${i} + 1")
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "/* Written by cmake/RehearseEmbed.cmake. */
#include \"base/embedded.h\"

${arrays}
const struct rh__embedded ${variable}[] = {
${rows}    { 0, 0, 0 },
};
" @ONLY)
    target_sources(${target} PRIVATE ${file})
endfunction()
