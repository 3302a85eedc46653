/* rehearse-bitcode COMPILER ARGUMENTS...: compiles as COMPILER would, for `rehearse target` and `rehearse graph`.
 *
 *     make CC="rehearse-bitcode cc"            every program that uses $(CC)
 *     rehearse_bitcode(NAME)                   CMake: a second program NAME-bitcode (cmake/RehearseBitcode.cmake)
 *     $(pkg-config --variable=bitcode rehearse) cc -c file.c
 *
 * A call that compiles a C file to an object (-c) is replaced by three steps:
 *   1. clang compiles the file to bitcode, at -O0: blocks of the source stay blocks.
 *   2. clang compiles the bitcode to the object, with a call at the beginning of each block (block coverage).
 *   3. objcopy puts the bitcode into the section .rehearse.bitcode of the object.
 * The linker joins these sections.  So the bitcode is in the program itself: it cannot be lost, and it is never older
 * than the code.  Block i of a function in the bitcode is block i of the coverage, by construction (blocks.h).
 *
 * A call that links gets librehearse-blocks.a, which counts the blocks; C files among its arguments are compiled as
 * above first.  Any other call goes to COMPILER as it is.
 *
 * `rehearse-bitcode --null COMPILER ARGUMENTS...` adds checks, each a block of its own, which `rehearse target --null`
 * looks for: of null pointers and of array bounds (clang's), and of sends to nobody (rehearse/null.h).
 *
 * COMPILER may be gcc: clang gets its arguments without those that change only warnings, optimisation or code
 * generation.  REHEARSE_CLANG names the clang to use; it must be of the version that rehearse-target reads. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/visible.h"
#include "target/section.h"

enum { EXIT_USAGE = 2, EXIT_TOOL = 3, MOST_WORDS = 4096 };

struct words {
    const char *at[MOST_WORDS];
    size_t count;
};

static void add(struct words *w, const char *word)
{
    if (w->count + 1 >= MOST_WORDS) {
        rh__complain("rehearse-bitcode: too many arguments");
        exit(EXIT_USAGE);
    }
    w->at[w->count++] = word;
    w->at[w->count] = NULL;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), k = strlen(with);
    return n >= k && strcmp(text + n - k, with) == 0;
}

/* ---- what the call does ------------------------------------------------------------------------------------------ */

struct call {
    bool compiles, links;
    const char *source; /* the C file being compiled */
    const char *object;
    struct words sources;
    struct words flags; /* for clang */
    struct words code;  /* of these, what generating code from bitcode takes */
};

/* Options whose argument is the next word. */
static bool takes_word(const char *arg)
{
    static const char *const list[] = { "-I",  "-D",        "-U",      "-include", "-isystem",      "-iquote",
                                        "-MF", "-MT",       "-MQ",     "-x",       "-idirafter",    "-imacros",
                                        "-L",  "-isysroot", "-l",      "-Xlinker", "-Xassembler",   "-T",
                                        "-u",  "-arch",     "-target", "--param",  "-Xpreprocessor" };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(arg, list[i]) == 0)
            return true;
    return false;
}

/* Whether an option of code generation changes what the program means, or how its objects can be linked. */
static bool is_kept_f(const char *arg)
{
    static const char *const list[] = { "-fshort-enums",
                                        "-fno-short-enums",
                                        "-fsigned-char",
                                        "-funsigned-char",
                                        "-fno-signed-char",
                                        "-fno-unsigned-char",
                                        "-fPIC",
                                        "-fpic",
                                        "-fPIE",
                                        "-fpie",
                                        "-fno-pie",
                                        "-fno-PIE",
                                        "-fno-pic",
                                        "-fno-PIC",
                                        "-fwrapv",
                                        "-fpack-struct",
                                        "-ffreestanding",
                                        "-fno-builtin",
                                        "-fgnu89-inline",
                                        "-fcommon",
                                        "-fno-common",
                                        "-fms-extensions",
                                        "-fplan9-extensions",
                                        "-fno-strict-overflow" };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(arg, list[i]) == 0)
            return true;
    return starts(arg, "-fmacro-prefix-map=") || starts(arg, "-ffile-prefix-map=") ||
           starts(arg, "-fdebug-prefix-map=") || starts(arg, "-fvisibility=") || starts(arg, "-fno-builtin-");
}

static bool is_dropped(const char *arg)
{
    return starts(arg, "-O") || starts(arg, "-W") || starts(arg, "-g") || strcmp(arg, "-w") == 0 ||
           strcmp(arg, "-pedantic") == 0 || strcmp(arg, "-pedantic-errors") == 0 || strcmp(arg, "--coverage") == 0 ||
           strcmp(arg, "-pipe") == 0 || strcmp(arg, "-c") == 0 || strcmp(arg, "-pg") == 0 || strcmp(arg, "-p") == 0 ||
           (starts(arg, "-f") && !is_kept_f(arg)) || strcmp(arg, "-save-temps") == 0;
}

static bool read_option(struct call *c, const char *arg, const char *next)
{
    if (strcmp(arg, "-o") == 0) {
        c->object = next;
        return true;
    }
    if (starts(arg, "-o") && arg[2]) {
        c->object = arg + 2;
        return false;
    }
    if (takes_word(arg)) {
        add(&c->flags, arg);
        if (next)
            add(&c->flags, next);
        return true;
    }
    if (strcmp(arg, "-c") == 0)
        c->compiles = true;
    if (strcmp(arg, "-E") == 0 || strcmp(arg, "-S") == 0 || strcmp(arg, "-M") == 0 || strcmp(arg, "-MM") == 0 ||
        starts(arg, "--version") || strcmp(arg, "-fsyntax-only") == 0 || strcmp(arg, "-v") == 0 ||
        starts(arg, "-print") || starts(arg, "-dump") || strcmp(arg, "-r") == 0 || strcmp(arg, "-shared") == 0)
        c->links = false;
    if (!is_dropped(arg))
        add(&c->flags, arg);
    if (starts(arg, "-m") || (starts(arg, "-f") && (strstr(arg, "pi") || strstr(arg, "PI")) && is_kept_f(arg)))
        add(&c->code, arg);
    return false;
}

static struct call *read_call(int argc, char **argv)
{
    struct call *c = calloc(1, sizeof *c);
    if (!c)
        exit(EXIT_TOOL);
    c->links = argc > 1;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            i += read_option(c, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
        } else if (ends(argv[i], ".c")) {
            add(&c->sources, argv[i]);
        } else {
            add(&c->flags, argv[i]);
        }
    }
    if (c->compiles)
        c->links = false;
    if (c->compiles && c->object && c->sources.count > 1) {
        rh__complain("rehearse-bitcode: -c and -o with several files: there is one object only");
        exit(EXIT_USAGE);
    }
    return c;
}

/* ---- doing it ---------------------------------------------------------------------------------------------------- */

/* Runs the command; returns its exit status. */
static int run(const struct words *w)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(w->at[0], (char *const *)w->at);
        rh__complain("rehearse-bitcode: %s cannot be run: %s", w->at[0], strerror(errno));
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        rh__complain("rehearse-bitcode: %s cannot be run: %s", w->at[0], strerror(errno));
        return EXIT_TOOL;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_TOOL;
}

static const char *clang(void)
{
    const char *named = getenv("REHEARSE_CLANG");
    return named && *named ? named : RH_CLANG;
}

/* Puts the header of section.h before the bitcode. */
static bool wrap(const char *source, const char *bitcode, const char *out, char *error, size_t error_size)
{
    char path[RH__PATH_BYTES];
    FILE *in = fopen(bitcode, "rb");
    struct rh__output o;
    if (!in || !rh__output_open(&o, out, false, error, error_size)) {
        if (!in)
            snprintf(error, error_size, "%s: %s", bitcode, strerror(errno));
        else
            fclose(in);
        return false;
    }
    const char *full = realpath(source, path) ? path : source;
    struct rh__section_head head = { .name_size = strlen(full) };
    memcpy(head.magic, RH__SECTION_MAGIC, sizeof head.magic);
    static char block[1 << 16];
    head.hash = RH__SECTION_HASH;
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;) {
        head.hash = rh__section_hash(head.hash, block, n);
        head.size += n;
    }
    rewind(in);
    fwrite(&head, sizeof head, 1, o.file);
    fwrite(full, 1, head.name_size, o.file);
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, n, o.file);
    fclose(in);
    return rh__output_close(&o, error, error_size);
}

static bool with_checks; /* --null */

static void add_checks(struct words *w)
{
    static const char *const checks[] = { "-fsanitize=null,array-bounds",
                                          "-fno-sanitize-recover=all",
                                          "-fsanitize-minimal-runtime",
                                          "-D_GNU_SOURCE",
                                          "-include",
                                          "rehearse/null.h" };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        add(w, checks[i]);
}

static int compile(struct call *c)
{
    char bitcode[RH__PATH_BYTES], blob[RH__PATH_BYTES], section[RH__PATH_BYTES + 64], object[RH__PATH_BYTES - 64],
        error[RH__PATH_BYTES + 256];
    if (!c->object) { /* the compiler's default: the source's name in this folder */
        const char *slash = strrchr(c->source, '/');
        snprintf(object, sizeof object, "%s", slash ? slash + 1 : c->source);
        object[strlen(object) - 1] = 'o';
        c->object = object;
    }
    snprintf(bitcode, sizeof bitcode, "%s.rehearse.bc", c->object);
    snprintf(blob, sizeof blob, "%s.rehearse.blob", c->object);
    struct words *w = calloc(1, sizeof *w);
    if (!w)
        return EXIT_TOOL;
    add(w, clang());
    for (size_t i = 0; i < c->flags.count; i++)
        add(w, c->flags.at[i]);
    static const char *const to_bitcode[] = { "-w",        "-Qunused-arguments",  "-O0",
                                              "-Xclang",   "-disable-O0-optnone", "-g",
                                              "-gdwarf-4", "-emit-llvm",          "-c" };
    for (size_t i = 0; i < sizeof to_bitcode / sizeof *to_bitcode; i++)
        add(w, to_bitcode[i]);
    if (with_checks)
        add_checks(w);
    add(w, c->source);
    add(w, "-o");
    add(w, bitcode);
    int code = run(w);
    if (code) {
        rh__complain("rehearse-bitcode: %s makes no bitcode of %s", clang(), c->source);
        free(w);
        return code;
    }
    w->count = 0;
    add(w, clang());
    for (size_t i = 0; i < c->code.count; i++)
        add(w, c->code.at[i]);
    static const char *const to_object[] = { "-w", "-Qunused-arguments", "-O0",
                                             "-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table", "-c" };
    for (size_t i = 0; i < sizeof to_object / sizeof *to_object; i++)
        add(w, to_object[i]);
    add(w, bitcode);
    add(w, "-o");
    add(w, c->object);
    code = run(w);
    if (!code && !wrap(c->source, bitcode, blob, error, sizeof error)) {
        rh__complain("rehearse-bitcode: %s", error);
        code = EXIT_TOOL;
    }
    if (!code) {
        snprintf(section, sizeof section, "%s=%s", RH__SECTION_NAME, blob);
        w->count = 0;
        add(w, "objcopy");
        add(w, "--add-section");
        add(w, section);
        add(w, c->object);
        code = run(w);
    }
    if (code)
        unlink(c->object); /* an object without bitcode would be linked unnoticed */
    unlink(bitcode);
    unlink(blob);
    free(w);
    return code;
}

/* The library that counts blocks is beside this program: in ../lib of the build folder and of an installation. */
static bool find_blocks(char *path, size_t size)
{
    static const char *const places[] = { "../lib", ("../" RH_LIBDIR), "." };
    char self[RH__PATH_BYTES];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, size, "%s/%s/librehearse-blocks.a", self, places[i]);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Compiles the C files of a call that links, each to an object in a temporary folder, and links those instead. */
static int compile_and_link(struct call *c, char **argv, int argc, const char *blocks)
{
    char folder[] = "/tmp/rehearse-bitcode.XXXXXX", *objects[MOST_WORDS] = { NULL };
    struct words *w = calloc(1, sizeof *w);
    size_t made = 0;
    int code = 0;
    if (!w || !mkdtemp(folder)) {
        rh__complain("rehearse-bitcode: no temporary folder: %s", strerror(errno));
        return EXIT_TOOL;
    }
    for (; made < c->sources.count && !code; made++) {
        if (asprintf(&objects[made], "%s/%zu.o", folder, made) < 0)
            exit(EXIT_TOOL);
        c->source = c->sources.at[made];
        c->object = objects[made];
        code = compile(c);
    }
    for (int i = 0, k = 0; i < argc; i++) {
        bool source = (size_t)k < c->sources.count && argv[i] == c->sources.at[k];
        add(w, source ? objects[k++] : argv[i]);
    }
    if (*blocks)
        add(w, blocks);
    if (!code)
        code = run(w);
    for (size_t i = 0; i < made; i++) {
        unlink(objects[i]);
        free(objects[i]);
    }
    rmdir(folder);
    free(w);
    return code;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--null") == 0) {
        with_checks = true;
        argv++;
        argc--;
    }
    if (argc < 2 || argv[1][0] == '-') {
        fputs("usage: rehearse-bitcode [--null] COMPILER ARGUMENTS...\n"
              "compiles with bitcode and block coverage, for `rehearse target` and `rehearse graph` (docs/target.md)\n"
              "--null: with checks that `rehearse target --null` looks for\n",
              stderr);
        return EXIT_USAGE;
    }
    static struct words w;
    static char blocks[RH__PATH_BYTES + 64];
    struct call *c = read_call(argc - 1, argv + 1);
    int code = 0;
    if (c->compiles && c->sources.count) {
        for (size_t i = 0; i < c->sources.count && !code; i++) {
            c->source = c->sources.at[i];
            code = compile(c);
            c->object = NULL;
        }
        free(c);
        return code;
    }
    if (!c->links || !(c->flags.count + c->sources.count) || !find_blocks(blocks, sizeof blocks))
        *blocks = '\0';
    if (c->links && c->sources.count) {
        code = compile_and_link(c, argv + 1, argc - 1, blocks);
        free(c);
        return code;
    }
    for (int i = 1; i < argc; i++)
        add(&w, argv[i]);
    if (*blocks)
        add(&w, blocks);
    free(c);
    execvp(w.at[0], (char *const *)w.at);
    rh__complain("rehearse-bitcode: %s cannot be run: %s", w.at[0], strerror(errno));
    return 127;
}
