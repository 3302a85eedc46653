/* See gdb_script.c. */
#ifndef RH_RUNNER_GDB_SCRIPT_H
#define RH_RUNNER_GDB_SCRIPT_H

__attribute__((visibility("hidden"))) extern const char rh__gdb_script[];

#endif
