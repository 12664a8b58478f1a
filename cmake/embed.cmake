# Writes C that holds the texts of files, without their #include lines:
#
#   cmake -DOUTPUT=texts.c "-DTEXTS=NAME=FILE;…" -P embed.cmake
#
# makes `const char ct__text_NAME[]` of each.

set(code "/* Written by cmake/embed.cmake. */\n#include \"exec/jit/texts.h\"\n")
foreach(text ${TEXTS})
    string(REGEX MATCH "^([^=]*)=(.*)$" text "${text}")
    set(name ${CMAKE_MATCH_1})
    file(READ ${CMAKE_MATCH_2} hex HEX)
    # "#include …" in pairs of digits, up to the end of the line
    string(REGEX REPLACE "23696e636c756465([1-9a-f].|0[0-9b-f])*0a" "0a" hex "${hex}")
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
    string(APPEND code "\nconst char ct__text_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${code}")
