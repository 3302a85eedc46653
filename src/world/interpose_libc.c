/* What libc allocates for itself and keeps: such memory must not come from the region of the actor that happens to run,
 * or libc would hold pointers into a region whose past has been put back.
 *
 * Most of these only read and are not noted.  What changes the state of the whole process (environment, locale) or asks
 * the network is noted: the world does not put it back. */
#include "world/interpose_next.h"

#include <dirent.h>
#include <dlfcn.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#undef gettext
#undef dgettext
#undef dcgettext

void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list list);

/* ---- of the whole process ---------------------------------------------------------------------------------------- */

NOTED_KEPT(int, setenv, (const char *name, const char *value, int replace), (name, value, replace))
NOTED_KEPT(int, putenv, (char *pair), (pair))
NOTED_KEPT(int, unsetenv, (const char *name), (name))
NOTED_KEPT(int, clearenv, (void), ())
/* Without a name it is only a query. */
KEPT_AND(locale ? NOTE("setlocale") : (void)0, char *, setlocale, (int category, const char *locale),
         (category, locale))
KEPT(locale_t, newlocale, (int categories, const char *locale, locale_t base), (categories, locale, base))
KEPT(locale_t, duplocale, (locale_t locale), (locale))
KEPT(char *, bindtextdomain, (const char *domain, const char *folder), (domain, folder))
KEPT(char *, textdomain, (const char *domain), (domain))
KEPT(char *, gettext, (const char *text), (text))
KEPT(char *, dgettext, (const char *domain, const char *text), (domain, text))
KEPT(char *, dcgettext, (const char *domain, const char *text, int category), (domain, text, category))
KEPT(iconv_t, iconv_open, (const char *to, const char *from), (to, from))

/* The world does not know the globals of a library that is loaded in the middle of a run. */
NOTED_KEPT(void *, dlopen, (const char *file, int mode), (file, mode))

/* ---- data bases -------------------------------------------------------------------------------------------------- */

KEPT(DIR *, opendir, (const char *path), (path))
KEPT(DIR *, fdopendir, (int fd), (fd))
KEPT(struct passwd *, getpwnam, (const char *name), (name))
KEPT(struct passwd *, getpwuid, (uid_t user), (user))
KEPT(struct group *, getgrnam, (const char *name), (name))
KEPT(struct group *, getgrgid, (gid_t group), (group))
NOTED_KEPT(int, getaddrinfo,
           (const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
            struct addrinfo **restrict found),
           (host, service, hints, found))
NOTED_KEPT(struct hostent *, gethostbyname, (const char *name), (name))

/* ---- time zone --------------------------------------------------------------------------------------------------- */

void tzset(void)
{
    bool inside = rh__inside();

    if (inside)
        rh__outside_push();
    NEXT(tzset)();
    if (inside)
        rh__outside_pop();
}

KEPT(struct tm *, localtime, (const time_t *t), (t))
KEPT(struct tm *, localtime_r, (const time_t *restrict t, struct tm *restrict parts), (t, parts))
KEPT(time_t, mktime, (struct tm * parts), (parts))
KEPT(char *, ctime, (const time_t *t), (t))
KEPT(char *, ctime_r, (const time_t *restrict t, char *restrict text), (t, text))
KEPT(size_t, strftime, (char *restrict text, size_t room, const char *restrict format, const struct tm *restrict parts),
     (text, room, format, parts))

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* The text for an unknown number is allocated, and kept until the next one. */
KEPT(char *, strerror, (int number), (number))
KEPT(char *, strsignal, (int number), (number))

void perror(const char *text)
{
    bool inside = rh__inside();

    if (inside)
        rh__outside_push();
    NEXT(perror)(text);
    if (inside)
        rh__outside_pop();
}

void openlog(const char *name, int options, int facility)
{
    NOTE("openlog");
    NEXT(openlog)(name, options, facility);
}

/* The program formats the text; what libc allocates meanwhile is libc's own. */
static void log_outside(int priority, const char *format, va_list list)
{
    bool inside = rh__inside();

    if (inside)
        rh__outside_push();
    NEXT(vsyslog)(priority, format, list);
    if (inside)
        rh__outside_pop();
}

void vsyslog(int priority, const char *format, va_list list)
{
    NOTE("vsyslog");
    log_outside(priority, format, list);
}

void syslog(int priority, const char *format, ...)
{
    va_list list;

    NOTE("syslog");
    va_start(list, format);
    log_outside(priority, format, list);
    va_end(list);
}

void __vsyslog_chk(int priority, int flag, const char *format, va_list list)
{
    (void)flag;
    NOTE("vsyslog");
    log_outside(priority, format, list);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list list;

    (void)flag;
    NOTE("syslog");
    va_start(list, format);
    log_outside(priority, format, list);
    va_end(list);
}
