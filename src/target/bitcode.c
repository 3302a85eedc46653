/* See bitcode.h.  The section is found by reading the ELF file; each module is parsed by LLVM, and all are linked. */
#include "target/bitcode.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/section.h"

/* Between the name of an internal function and the index of its file. */
#define SUFFIX '\x01'

static void *must(void *p)
{
    if (!p) {
        fputs("rehearse: no memory\n", stderr);
        exit(3);
    }
    return p;
}

/* ---- the section ------------------------------------------------------------------------------------------------- */

struct bytes {
    const unsigned char *at;
    size_t size;
};

static bool is_inside(struct bytes b, uint64_t offset, uint64_t size)
{
    return offset <= b.size && size <= b.size - offset;
}

/* Finds the section in a 64-bit ELF file of this byte order. */
static bool find_section(struct bytes file, struct bytes *found, const char **why)
{
    Elf64_Ehdr head;
    *why = "it is no 64-bit ELF program";
    if (file.size < sizeof head)
        return false;
    memcpy(&head, file.at, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    *why = "its table of sections is damaged";
    if (head.e_shentsize != sizeof(Elf64_Shdr) ||
        !is_inside(file, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr)) || head.e_shstrndx >= head.e_shnum)
        return false;
    Elf64_Shdr names;
    memcpy(&names, file.at + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    if (!is_inside(file, names.sh_offset, names.sh_size))
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr s;
        static const char wanted[] = RH__SECTION_NAME; /* with its end */
        memcpy(&s, file.at + head.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < sizeof wanted ||
            memcmp(file.at + names.sh_offset + s.sh_name, wanted, sizeof wanted) != 0)
            continue;
        if (!is_inside(file, s.sh_offset, s.sh_size))
            return false;
        *found = (struct bytes){ file.at + s.sh_offset, s.sh_size };
        return true;
    }
    *why = NULL;
    return false;
}

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static char *problem; /* the last message of LLVM about a module */

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    (void)arg;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    free(problem);
    problem = strdup(text);
    LLVMDisposeMessage(text);
}

/* Whether block coverage counts the block: clang leaves out those that consist of `unreachable`. */
static bool is_counted(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i && (LLVMGetInstructionOpcode(i) == LLVMPHI ||
                 (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
                  (strncmp(LLVMGetValueName(LLVMGetCalledValue(i)), "llvm.dbg.", 9) == 0 ||
                   strncmp(LLVMGetValueName(LLVMGetCalledValue(i)), "llvm.lifetime.", 14) == 0))))
        i = LLVMGetNextInstruction(i);
    return i && LLVMGetInstructionOpcode(i) != LLVMUnreachable;
}

/* Whether block coverage counts the blocks of the function; the rules of clang 14 (SanitizerCoverage.cpp). */
static bool is_covered(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    if (!LLVMGetFirstBasicBlock(f) || strncmp(name, "__sanitizer_", 12) == 0 ||
        LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
        return false;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f));
    return end && LLVMGetInstructionOpcode(end) != LLVMUnreachable;
}

static void add_function(struct rh__bitcode *b, LLVMValueRef f)
{
    struct rh__bitcode_function *x;
    char name[512];
    if (LLVMGetLinkage(f) == LLVMInternalLinkage) {
        snprintf(name, sizeof name, "%s%c%u", LLVMGetValueName(f), SUFFIX, b->file_count);
        LLVMSetValueName2(f, name, strlen(name));
    }
    b->functions = must(realloc(b->functions, (b->function_count + 1) * sizeof *b->functions));
    x = &b->functions[b->function_count++];
    *x = (struct rh__bitcode_function){ .file = b->file_count,
                                        .name = must(strdup(LLVMGetValueName(f))),
                                        .first_block = b->block_count,
                                        .all_blocks = LLVMCountBasicBlocks(f) };
    x->counted = must(calloc(x->all_blocks, sizeof(bool)));
    uint32_t i = 0;
    for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k && is_covered(f); k = LLVMGetNextBasicBlock(k), i++)
        x->block_count += x->counted[i] = is_counted(k);
    b->block_count += x->block_count;
}

static bool add_module(struct rh__bitcode *b, const char *source, struct bytes bitcode, char *error, size_t error_size)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)bitcode.at, bitcode.size, source);
    LLVMModuleRef m;
    free(problem);
    problem = NULL;
    if (LLVMParseBitcodeInContext2(b->context, buffer, &m)) {
        LLVMDisposeMemoryBuffer(buffer);
        const char *why = problem ? problem : "it is damaged";
        snprintf(error, error_size,
                 "the bitcode of %s cannot be read: %s.  This tool reads bitcode of LLVM 14 and older: build the "
                 "program with rehearse-bitcode and clang 14",
                 source, why);
        return false;
    }
    LLVMDisposeMemoryBuffer(buffer);
    char *wrong = NULL;
    bool valid = !LLVMVerifyModule(m, LLVMReturnStatusAction, &wrong);
    LLVMDisposeMessage(wrong);
    if (!valid) {
        snprintf(error, error_size, "the bitcode of %s is no valid module of LLVM 14", source);
        LLVMDisposeModule(m);
        return false;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFirstBasicBlock(f))
            add_function(b, f);
    if (!b->module) {
        b->module = m;
    } else if (LLVMLinkModules2(b->module, m)) {
        snprintf(error, error_size, "the bitcode of %s does not fit that of the other files: %s", source,
                 problem ? problem : "no reason given");
        return false;
    }
    return true;
}

static bool read_blobs(struct rh__bitcode *b, struct bytes section, char *error, size_t error_size)
{
    while (section.size) {
        struct rh__section_head head;
        if (section.size < sizeof head || (memcpy(&head, section.at, sizeof head), false) ||
            memcmp(head.magic, RH__SECTION_MAGIC, sizeof head.magic) != 0 ||
            head.name_size > section.size - sizeof head || head.size > section.size - sizeof head - head.name_size ||
            rh__section_hash(RH__SECTION_HASH, section.at + sizeof head + head.name_size, head.size) != head.hash) {
            snprintf(error, error_size, "the bitcode in it is damaged, or of another version of rehearse-bitcode");
            return false;
        }
        const char *name = (const char *)section.at + sizeof head;
        struct bytes bitcode = { section.at + sizeof head + head.name_size, head.size };
        b->files = must(realloc(b->files, (b->file_count + 1) * sizeof *b->files));
        b->newer = must(realloc(b->newer, (b->file_count + 1) * sizeof *b->newer));
        b->files[b->file_count] = must(strndup(name, head.name_size));
        b->newer[b->file_count] = false;
        bool added = add_module(b, b->files[b->file_count], bitcode, error, error_size);
        b->file_count++;
        if (!added)
            return false;
        section.at += sizeof head + head.name_size + head.size;
        section.size -= sizeof head + head.name_size + head.size;
    }
    return true;
}

/* After linking: the values of functions, and the passes that make loads and stores of locals into values.  They keep
 * every block. */
static bool finish(struct rh__bitcode *b, char *error, size_t error_size)
{
    for (uint32_t i = 0; i < b->function_count; i++) {
        struct rh__bitcode_function *f = &b->functions[i];
        LLVMValueRef v = LLVMGetNamedFunction(b->module, f->name);
        if (v && LLVMCountBasicBlocks(v) == f->all_blocks)
            f->value = v; /* otherwise another file's definition of a weak function was taken */
        ((char *)f->name)[rh__bitcode_name_length(f->name)] = '\0';
    }
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(b->module, "function(sroa,early-cse)", NULL, o);
    LLVMDisposePassBuilderOptions(o);
    if (failed) {
        char *text = LLVMGetErrorMessage(failed);
        snprintf(error, error_size, "LLVM cannot simplify the bitcode: %s", text);
        LLVMDisposeErrorMessage(text);
        return false;
    }
    for (uint32_t i = 0; i < b->function_count; i++)
        if (b->functions[i].value && LLVMCountBasicBlocks(b->functions[i].value) != b->functions[i].all_blocks) {
            snprintf(error, error_size, "the blocks of %s changed while it was read", b->functions[i].name);
            return false;
        }
    b->layout = LLVMGetModuleDataLayout(b->module);
    return true;
}

bool rh__bitcode_open(struct rh__bitcode *b, const char *program, char *error, size_t error_size)
{
    struct stat s;
    struct bytes section = { 0 };
    const char *why = NULL;
    char text[4096];
    *b = (struct rh__bitcode){ 0 };
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
        snprintf(error, error_size, "%s: %s", program, fd < 0 ? strerror(errno) : "is no file");
        if (fd >= 0)
            close(fd);
        return false;
    }
    void *map = s.st_size ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    struct bytes file = { map == MAP_FAILED ? NULL : map, map == MAP_FAILED ? 0 : (size_t)s.st_size };
    b->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(b->context, on_diagnostic, NULL);
    bool done = find_section(file, &section, &why);
    if (!done && why)
        snprintf(error, error_size, "%s cannot be analysed: %s", program, why);
    else if (!done || !section.size)
        snprintf(error, error_size,
                 "%s has no bitcode: build it with rehearse_bitcode() of CMake, or with CC=\"rehearse-bitcode cc\" "
                 "(docs/target.md)",
                 program);
    done = done && section.size && read_blobs(b, section, text, sizeof text) && finish(b, text, sizeof text);
    if (!done && section.size)
        snprintf(error, error_size, "%s: %s", program, text);
    for (uint32_t i = 0; i < b->file_count; i++) {
        struct stat source;
        b->newer[i] = stat(b->files[i], &source) == 0 && (source.st_mtim.tv_sec > s.st_mtim.tv_sec);
    }
    if (map != MAP_FAILED)
        munmap(map, (size_t)s.st_size);
    if (!done)
        rh__bitcode_close(b);
    return done;
}

void rh__bitcode_close(struct rh__bitcode *b)
{
    for (uint32_t i = 0; i < b->function_count; i++) {
        free((char *)b->functions[i].name);
        free(b->functions[i].counted);
    }
    for (uint32_t i = 0; i < b->file_count; i++)
        free(b->files[i]);
    free(b->functions);
    free(b->files);
    free(b->newer);
    if (b->module)
        LLVMDisposeModule(b->module);
    if (b->context)
        LLVMContextDispose(b->context);
    *b = (struct rh__bitcode){ 0 };
}

const struct rh__bitcode_function *rh__bitcode_function(const struct rh__bitcode *b, LLVMValueRef value)
{
    for (uint32_t i = 0; i < b->function_count; i++)
        if (b->functions[i].value == value)
            return &b->functions[i];
    return NULL;
}

size_t rh__bitcode_name_length(const char *name)
{
    return strcspn(name, (const char[]){ SUFFIX, '\0' });
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

uint32_t rh__bitcode_line(LLVMValueRef instruction, char *file, size_t size)
{
    unsigned length = 0, line = LLVMGetDebugLocLine(instruction);
    const char *name = line ? LLVMGetDebugLocFilename(instruction, &length) : NULL;
    if (!name || !line)
        return 0;
    snprintf(file, size, "%.*s", (int)length, name);
    return line;
}

uint32_t rh__bitcode_block_line(LLVMBasicBlockRef block, char *file, size_t size)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        bool about = LLVMGetInstructionOpcode(i) == LLVMPHI ||
                     (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
                      strncmp(LLVMGetValueName(LLVMGetCalledValue(i)), "llvm.dbg.", 9) == 0);
        uint32_t line = about ? 0 : rh__bitcode_line(i, file, size);
        if (line)
            return line;
    }
    return 0;
}

bool rh__bitcode_is_file(const char *file, const char *named)
{
    size_t n = strlen(file), k = strlen(named);
    return n >= k && strcmp(file + n - k, named) == 0 && (n == k || file[n - k - 1] == '/' || named[0] == '/');
}
