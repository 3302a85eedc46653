/* See page_files.h.  The assembler reads the files; CMake says where they are, and builds this again when they
 * change. */
#include "report/page_files.h"

#define FILE_AS(symbol, name)                                                                                          \
    __asm__(".pushsection .rodata\n.global " #symbol "\n.global " #symbol "_end\n" #symbol ":\n.incbin \"" RH_PAGE     \
            "/" name "\"\n" #symbol "_end:\n.byte 0\n.popsection\n")

FILE_AS(rh__page_css, "page.css");
/* The script is several files in a row. */
FILE_AS(rh__page_model_js, "model.js");
FILE_AS(rh__page_chart_js, "chart.js");
FILE_AS(rh__page_panels_js, "panels.js");
FILE_AS(rh__page_js, "page.js");
FILE_AS(rh__page_served_js, "served.js");
FILE_AS(rh__page_boot_js, "boot.js");
FILE_AS(rh__page_body, "body.html");
