/* Four programs that do something wrong for ever: see the other files. */
#include <rehearse/test.h>

RH_MAIN()
