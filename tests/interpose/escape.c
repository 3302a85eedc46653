/* What cannot be controlled is noted with its place, and done for real. */
#include "interpose/fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static char folder[] = "/tmp/rehearse-interpose-XXXXXX";
static char path[128], other[128];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(other, sizeof other, "%s/b", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

static void *set_to_one(void *argument)
{
    *(int *)argument = 1 + rh__inside();
    return malloc(1);
}

static int set_to_two(void *argument)
{
    *(int *)argument = 2;
    return 0;
}

static void writing_files_is_noted_and_reading_is_not(void **state)
{
    char text[8] = "";

    (void)state;
    enter();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    leave();
    assert_noted("open", NULL);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "hello\n", 6), 6);
    close(fd);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);

    enter();
    fd = open(path, O_RDONLY);
    int null = open("/dev/null", O_WRONLY);
    ssize_t n = read(fd, text, 5);
    close(fd);
    close(null);
    FILE *stream = fopen(path, "r");
    leave();
    assert_noted(NULL, NULL);
    assert_int_equal(n, 5);
    assert_string_equal(text, "hello");
    assert_outside(stream);
    fclose(stream);

    enter();
    stream = fopen(path, "a");
    int renamed = rename(path, other);
    leave();
    assert_noted("fopen", "rename");
    assert_int_equal(renamed, 0);
    fclose(stream);

    enter();
    int made = mkdir(path, 0700), gone = rmdir(path);
    leave();
    assert_noted("mkdir", "rmdir");
    assert_int_equal(made, 0);
    assert_int_equal(gone, 0);
}

static void streams_and_their_buffers_are_outside_of_regions(void **state)
{
    static char mine[4096];
    char line[16] = "", *grown = NULL, *memory = NULL;
    size_t capacity = 0, size = 0;

    (void)state;
    enter();
    size_t used = fake.used;
    FILE *stream = fopen(other, "w+");
    setvbuf(stream, mine, _IOFBF, sizeof mine);
    fprintf(stream, "one %s\ntwo\n", "line");
    rewind(stream);
    fgets(line, sizeof line, stream);
    bool nothing_used = fake.used == used;
    ssize_t length = getline(&grown, &capacity, stream);
    fclose(stream);
    FILE *to_memory = open_memstream(&memory, &size);
    fprintf(to_memory, "%04000d", 7);
    fclose(to_memory);
    FILE *from_memory = fmemopen(mine, sizeof mine, "r");
    int c = fgetc(from_memory);
    fclose(from_memory);
    leave();
    assert_true(nothing_used);
    assert_string_equal(line, "one line\n");
    assert_int_equal(length, 4);
    assert_in_region(grown); /* the program's own */
    assert_outside(memory);
    assert_int_equal(size, 4000);
    assert_int_equal(c, 0);
    free(grown);
    free(memory);
}

static void threads_run_uncontrolled(void **state)
{
    pthread_t thread;
    thrd_t second;
    int one = 0, two = 0;
    void *block;

    (void)state;
    enter();
    size_t used = fake.used;
    int error = pthread_create(&thread, NULL, set_to_one, &one);
    int error2 = thrd_create(&second, set_to_two, &two);
    bool nothing_used = fake.used == used;
    leave();
    assert_int_equal(error, 0);
    assert_int_equal(error2, thrd_success);
    pthread_join(thread, &block);
    thrd_join(second, NULL);
    assert_true(nothing_used);
    assert_noted("pthread_create", "thrd_create");
    assert_int_equal(one, 1);
    assert_int_equal(two, 2);
    assert_outside(block);
    free(block);
}

static void a_forked_child_is_not_controlled(void **state)
{
    (void)state;
    for (volatile int i = 0; i < 2; i++) {
        enter();
        pid_t child = i == 0 ? fork() : vfork();
        if (child == 0) {
            int *p = malloc(sizeof *p); /* libc's now */
            _exit(rh__in_region(p) ? 1 : 7);
        }
        leave();
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 7);
        assert_noted(i == 0 ? "fork" : "vfork", NULL);
        assert_int_equal(pushed, 0);
    }
}

static void processes_are_noted_and_started(void **state)
{
    char sh[] = "sh", dash_c[] = "-c", command[] = "exit 3";
    char *arguments[] = { sh, dash_c, command, NULL };
    pid_t child = 0;
    int status = 0;
    char text[16] = "";

    (void)state;
    enter();
    int result = system("exit 5");
    int error = posix_spawnp(&child, "sh", NULL, NULL, arguments, environ);
    leave();
    assert_noted("system", "posix_spawnp");
    assert_int_equal(WEXITSTATUS(result), 5);
    assert_int_equal(error, 0);
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 3);

    enter();
    FILE *stream = popen("echo from a pipe", "r");
    char *got = fgets(text, sizeof text, stream);
    int closed = pclose(stream);
    leave();
    assert_noted("popen", NULL);
    assert_ptr_equal(got, text);
    assert_string_equal(text, "from a pipe\n");
    assert_int_equal(closed, 0);
}

static void the_network_is_noted(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int pair[2];
    char text[4] = "";

    (void)state;
    enter();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int bound = bind(fd, (struct sockaddr *)&address, length);
    leave();
    assert_noted("socket", "bind");
    assert_int_equal(bound, 0);
    enter();
    int heard = listen(fd, 1);
    int named = getsockname(fd, (struct sockaddr *)&address, &length);
    leave();
    assert_noted("listen", NULL);
    assert_int_equal(heard, 0);
    assert_int_equal(named, 0);
    assert_int_not_equal(address.sin_port, 0);
    close(fd);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    enter();
    ssize_t sent = send(pair[0], "abc", 3, 0);
    ssize_t got = read(pair[1], text, 3); /* from something that is not a file */
    leave();
    assert_noted("send", "read");
    assert_int_equal(sent, 3);
    assert_int_equal(got, 3);
    assert_string_equal(text, "abc");
    close(pair[0]);
    close(pair[1]);
}

static void the_end_of_the_program_is_the_end_of_the_run(void **state)
{
    static const char *const names[] = { "exit", "_exit", "_Exit", "quick_exit", "abort", "execl", "execvp" };
    char *none[] = { NULL };
#ifdef RH_NO_GLOBALS_TRACKING
    skip(); /* gcov has an exit of its own */
#endif

    (void)state;
    for (volatile size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fake.exit_call = NULL;
        if (setjmp(fake.out) == 0) {
            enter();
            switch (i) {
            case 0:
                exit(3);
            case 1:
                _exit(3);
            case 2:
                _Exit(3);
            case 3:
                quick_exit(3);
            case 4:
                abort();
            case 5:
                execl("/bin/false", "false", "now", (char *)NULL);
                break;
            default:
                execvp("false", none);
            }
        }
        leave();
        assert_non_null(fake.exit_call);
        assert_string_equal(fake.exit_call, names[i]);
        assert_int_equal(fake.exit_status, i < 4 ? 3 : i == 4 ? 128 + SIGABRT : 0);
    }
}

/* What assert of <assert.h>, which cmocka replaces, expands to. */
extern void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));

static void a_failed_assert_is_a_failed_assertion(void **state)
{
    (void)state;
    if (setjmp(fake.out) == 0) {
        enter();
        __assert_fail("1 == 2", "client.c", 12, "main");
    }
    leave();
    assert_string_equal(fake.failed, "client.c:12: 1 == 2");
}

static void outside_exec_works(void **state)
{
    int status = 0;

    (void)state;
    pid_t child = fork();
    if (child == 0) {
        execle("/bin/sh", "sh", "-c", "exit $code", (char *)NULL, (char *[]){ (char *)(intptr_t) "code=9", NULL });
        _exit(1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 9);
    child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "exit 8", (char *)NULL);
        exit(1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 8);
}

static void what_libc_keeps_is_not_in_a_region(void **state)
{
    time_t now = 0;
    struct tm parts;
    char text[64];

    (void)state;
    enter();
    size_t used = fake.used;
    setenv("REHEARSE_TEST", "a value that is long enough to be allocated", 1);
    unsetenv("REHEARSE_TEST");
    leave();
    assert_noted("setenv", "unsetenv");
    enter();
    (void)!strerror(123456);
    localtime_r(&now, &parts);
    strftime(text, sizeof text, "%c %Z", &parts);
    mktime(&parts);
    printf("%s", "");
    leave();
    assert_int_equal(fake.used, used);
    assert_noted(NULL, NULL);
}

static void other_escapes_are_noted(void **state)
{
    (void)state;
    enter();
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGUSR1, SIG_DFL);
    leave();
    assert_noted("mmap", "signal");
    munmap(p, 4096);
    enter();
    char *locale = setlocale(LC_ALL, NULL); /* a question */
    struct sigaction before;
    sigaction(SIGUSR1, NULL, &before);
    leave();
    assert_noted(NULL, NULL);
    assert_non_null(locale);
}

static void nothing_is_noted_outside(void **state)
{
    (void)state;
    fake.escape_count = 0;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    close(fds[1]);
    FILE *stream = fopen(other, "w");
    assert_non_null(stream);
    fclose(stream);
    assert_int_equal(unlink(other), 0);
    assert_noted(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_files_is_noted_and_reading_is_not),
        cmocka_unit_test(streams_and_their_buffers_are_outside_of_regions),
        cmocka_unit_test(threads_run_uncontrolled),
        cmocka_unit_test(a_forked_child_is_not_controlled),
        cmocka_unit_test(processes_are_noted_and_started),
        cmocka_unit_test(the_network_is_noted),
        cmocka_unit_test(the_end_of_the_program_is_the_end_of_the_run),
        cmocka_unit_test(a_failed_assert_is_a_failed_assertion),
        cmocka_unit_test(outside_exec_works),
        cmocka_unit_test(what_libc_keeps_is_not_in_a_region),
        cmocka_unit_test(other_escapes_are_noted),
        cmocka_unit_test(nothing_is_noted_outside),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
