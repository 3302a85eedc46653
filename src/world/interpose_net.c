/* Sockets, pipes and other descriptors that connect to the real world: noted, and done for real.
 *
 * Not only opening is noted but also sends and receives, because a descriptor may have been opened before the run.  If
 * the kernel fills memory of the program, its pages are touched first (rh__touch). poll and select, which may also be
 * plain sleeps, are in interpose_time.c. */
#include "world/interpose_next.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

extern void __chk_fail(void) __attribute__((noreturn));
ssize_t __recv_chk(int fd, void *memory, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict memory, size_t size, size_t room, int flags, __SOCKADDR_ARG address,
                       socklen_t *restrict length);

/* Touches as much of an address as the caller has room for. */
static void touch_address(void *address, socklen_t *length)
{
    if (address && length)
        rh__touch(address, *length);
    if (length)
        rh__touch(length, sizeof *length);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

NOTED(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
NOTED(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length), (fd, address, length))
NOTED(int, bind, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length), (fd, address, length))
NOTED(int, listen, (int fd, int backlog), (fd, backlog))
NOTED(int, shutdown, (int fd, int how), (fd, how))
NOTED(int, eventfd, (unsigned int value, int flags), (value, flags))
NOTED(int, epoll_create, (int size), (size))
NOTED(int, epoll_create1, (int flags), (flags))
NOTED(int, timerfd_create, (clockid_t clock, int flags), (clock, flags))
NOTED(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
NOTED(int, inotify_init, (void), ())
NOTED(int, inotify_init1, (int flags), (flags))

int socketpair(int domain, int type, int protocol, int fds[2])
{
    if (rh__inside()) {
        NOTE("socketpair");
        rh__touch(fds, 2 * sizeof *fds);
    }
    return NEXT(socketpair)(domain, type, protocol, fds);
}

int pipe(int fds[2])
{
    if (rh__inside()) {
        NOTE("pipe");
        rh__touch(fds, 2 * sizeof *fds);
    }
    return NEXT(pipe)(fds);
}

int pipe2(int fds[2], int flags)
{
    if (rh__inside()) {
        NOTE("pipe2");
        rh__touch(fds, 2 * sizeof *fds);
    }
    return NEXT(pipe2)(fds, flags);
}

int accept(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
    if (rh__inside()) {
        NOTE("accept");
        touch_address(address.__sockaddr__, length);
    }
    return NEXT(accept)(fd, address, length);
}

int accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict length, int flags)
{
    if (rh__inside()) {
        NOTE("accept4");
        touch_address(address.__sockaddr__, length);
    }
    return NEXT(accept4)(fd, address, length, flags);
}

/* ---- sending and receiving --------------------------------------------------------------------------------------- */

NOTED(ssize_t, send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags))
NOTED(ssize_t, sendto,
      (int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG address, socklen_t length),
      (fd, bytes, size, flags, address, length))
NOTED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))

ssize_t recv(int fd, void *memory, size_t size, int flags)
{
    if (rh__inside()) {
        NOTE("recv");
        rh__touch(memory, size);
    }
    return NEXT(recv)(fd, memory, size, flags);
}

ssize_t __recv_chk(int fd, void *memory, size_t size, size_t room, int flags)
{
    if (size > room)
        __chk_fail();
    if (rh__inside()) {
        NOTE("recv");
        rh__touch(memory, size);
    }
    return NEXT(recv)(fd, memory, size, flags);
}

ssize_t recvfrom(int fd, void *restrict memory, size_t size, int flags, __SOCKADDR_ARG address,
                 socklen_t *restrict length)
{
    if (rh__inside()) {
        NOTE("recvfrom");
        rh__touch(memory, size);
        touch_address(address.__sockaddr__, length);
    }
    return NEXT(recvfrom)(fd, memory, size, flags, address, length);
}

ssize_t __recvfrom_chk(int fd, void *restrict memory, size_t size, size_t room, int flags, __SOCKADDR_ARG address,
                       socklen_t *restrict length)
{
    if (size > room)
        __chk_fail();
    if (rh__inside()) {
        NOTE("recvfrom");
        rh__touch(memory, size);
        touch_address(address.__sockaddr__, length);
    }
    return NEXT(recvfrom)(fd, memory, size, flags, address, length);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    if (rh__inside()) {
        NOTE("recvmsg");
        rh__touch(message, sizeof *message);
        rh__touch(message->msg_name, message->msg_namelen);
        rh__touch(message->msg_control, message->msg_controllen);
        for (size_t i = 0; i < message->msg_iovlen; i++)
            rh__touch(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
    }
    return NEXT(recvmsg)(fd, message, flags);
}

int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
    if (rh__inside())
        touch_address(address.__sockaddr__, length);
    return NEXT(getsockname)(fd, address, length);
}

int getpeername(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
    if (rh__inside())
        touch_address(address.__sockaddr__, length);
    return NEXT(getpeername)(fd, address, length);
}

int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict length)
{
    if (rh__inside())
        touch_address(value, length);
    return NEXT(getsockopt)(fd, level, option, value, length);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void touch_events(struct epoll_event *events, int count)
{
    if (count > 0)
        rh__touch(events, (size_t)count * sizeof *events);
}

int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
    if (rh__inside()) {
        NOTE("epoll_wait");
        touch_events(events, count);
    }
    return NEXT(epoll_wait)(fd, events, count, timeout_ms);
}

int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
    if (rh__inside()) {
        NOTE("epoll_pwait");
        touch_events(events, count);
    }
    return NEXT(epoll_pwait)(fd, events, count, timeout_ms, mask);
}
