# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that say which package to install, and the --enable-X switches.

# XC_MISSING(WHAT, DEBIAN-PACKAGE, FEDORA-PACKAGE): stop, and tell the package.
AC_DEFUN([XC_MISSING],
[AC_MSG_ERROR([$1 is missing. Install it with
	apt install $2        (Debian, Ubuntu)
	dnf install $3        (Fedora, RHEL, Rocky, Alma)])])

# XC_CHECK_PKG_CONFIG(VERSION): without it no library would be found, and that is not their fault.
AC_DEFUN([XC_CHECK_PKG_CONFIG],
[m4_ifndef([PKG_PROG_PKG_CONFIG],
	[m4_fatal([pkg-config is missing: apt install pkg-config, or dnf install pkgconf-pkg-config])])
PKG_PROG_PKG_CONFIG([$1])
AS_IF([test -z "$PKG_CONFIG"], [XC_MISSING([pkg-config >= $1], [pkg-config], [pkgconf-pkg-config])])])

# XC_CHECK_LIBRARY(PREFIX, PKG-CONFIG-SPEC, DEBIAN-PACKAGE, FEDORA-PACKAGE)
AC_DEFUN([XC_CHECK_LIBRARY],
[PKG_CHECK_MODULES([$1], [$2], [], [XC_MISSING([$2], [$3], [$4])])])

# XC_CHECK_HEADER(HEADER, DEBIAN-PACKAGE, FEDORA-PACKAGE)
AC_DEFUN([XC_CHECK_HEADER],
[AC_CHECK_HEADER([$1], [], [XC_MISSING([<$1>], [$2], [$3])], [AC_INCLUDES_DEFAULT
#include <xfs/xfs.h>])])

# XC_SWITCH(NAME, MEANING, IF-ENABLED)
AC_DEFUN([XC_SWITCH],
[AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [build with $2])], [], [enable_$1=no])
AS_IF([test "$enable_$1" = yes], [$3])])

# XC_CHECK_PTHREAD: the C library must offer POSIX threads.
AC_DEFUN([XC_CHECK_PTHREAD],
[AC_SEARCH_LIBS([pthread_create], [pthread], [], [AC_MSG_ERROR([POSIX threads are missing])])])

# XC_TRY_CFLAG(FLAG, IF-KNOWN): whether the compiler knows FLAG. Ask for -Wx, not for -Wno-x, of which
# gcc takes any.
AC_DEFUN([XC_TRY_CFLAG],
[AC_MSG_CHECKING([whether $CC knows $1])
xc_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [xc_known=yes], [xc_known=no])
CFLAGS=$xc_saved_CFLAGS
AC_MSG_RESULT([$xc_known])
AS_IF([test "$xc_known" = yes], [$2])])
