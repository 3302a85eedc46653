/* System calls that fill write-protected memory of the program: the world's signal handler opens the page, as it does
 * for the program's own writes. */
#include "interpose/fake.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PAGES = 8, PAGE = 4096 };

static _Alignas(PAGE) unsigned char tracked[PAGES * PAGE];
static volatile int faults;

static void open_page(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;

    (void)number;
    (void)context;
    if (at - (uintptr_t)tracked >= sizeof tracked)
        __builtin_trap();
    faults = faults + 1;
    mprotect((void *)(at & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
}

/* cmocka has a handler of its own in each test: so the handler is set here. */
static void protect(void)
{
    struct sigaction action = { .sa_sigaction = open_page, .sa_flags = SA_SIGINFO | SA_NODEFER };

    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(mprotect(tracked, sizeof tracked, PROT_READ | PROT_WRITE), 0);
    memset(tracked, 5, sizeof tracked);
    faults = 0;
    assert_int_equal(mprotect(tracked, sizeof tracked, PROT_READ), 0);
    enter();
}

static void reads_fill_protected_pages(void **state)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    (void)state;
    protect();
    ssize_t n = read(fd, tracked + 10, 3 * PAGE);
    leave();
    assert_int_equal(n, 3 * PAGE);
    assert_int_equal(faults, 4);
    assert_memory_equal(tracked + 10, "\177ELF", 4);
    assert_int_equal(tracked[9], 5);
    assert_int_equal(tracked[10 + 3 * PAGE], 5);

    protect();
    n = pread(fd, tracked, PAGE, 0);
    leave();
    assert_int_equal(n, PAGE);
    assert_int_equal(faults, 1);

    struct iovec parts[] = { { tracked + PAGE, 100 }, { tracked + 5 * PAGE, 100 } };
    lseek(fd, 0, SEEK_SET);
    protect();
    n = readv(fd, parts, 2);
    leave();
    assert_int_equal(n, 200);
    assert_int_equal(faults, 2);
    close(fd);
}

static void a_large_fread_fills_protected_pages(void **state)
{
    (void)state;
    FILE *stream = fopen("/proc/self/exe", "r");
    protect();
    size_t n = fread(tracked, 1, sizeof tracked, stream);
    leave();
    assert_int_equal(n, sizeof tracked);
    assert_int_equal(faults, PAGES);
    assert_memory_equal(tracked, "\177ELF", 4);
    fclose(stream);
}

static void facts_and_names_fill_protected_pages(void **state)
{
    struct stat *facts = (struct stat *)(void *)tracked;
    char *folder = (char *)tracked + PAGE, *link = (char *)tracked + 2 * PAGE;
    int *fds = (int *)(void *)(tracked + 3 * PAGE);
    struct utsname *machine = (struct utsname *)(void *)(tracked + 4 * PAGE);

    (void)state;
    protect();
    int found = stat("/", facts);
    char *got = getcwd(folder, PAGE);
    ssize_t n = readlink("/proc/self/exe", link, PAGE);
    int piped = pipe(fds);
    int asked = uname(machine);
    leave();
    assert_int_equal(found, 0);
    assert_true(S_ISDIR(facts->st_mode));
    assert_ptr_equal(got, folder);
    assert_true(n > 0);
    assert_int_equal(piped, 0);
    assert_int_equal(asked, 0);
    assert_int_equal(faults, 5);
    close(fds[0]);
    close(fds[1]);
}

static void messages_fill_protected_pages(void **state)
{
    int pair[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(send(pair[0], "hello", 5, 0), 5);
    struct iovec part = { tracked + 3 * PAGE, 100 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    protect();
    ssize_t a = recv(pair[1], tracked, 100, 0);
    ssize_t b = recvfrom(pair[1], tracked + PAGE, 100, 0, NULL, NULL);
    ssize_t c = recvmsg(pair[1], &message, 0);
    leave();
    assert_int_equal(a + b + c, 15);
    assert_int_equal(faults, 3);
    assert_memory_equal(tracked + 3 * PAGE, "hello", 5);
    close(pair[0]);
    close(pair[1]);
}

static void nothing_is_touched_outside(void **state)
{
    int fd = open("/proc/self/exe", O_RDONLY);

    (void)state;
    protect();
    leave();
    errno = 0;
    assert_int_equal(read(fd, tracked, 10), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(faults, 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fill_protected_pages),           cmocka_unit_test(a_large_fread_fills_protected_pages),
        cmocka_unit_test(facts_and_names_fill_protected_pages), cmocka_unit_test(messages_fill_protected_pages),
        cmocka_unit_test(nothing_is_touched_outside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
