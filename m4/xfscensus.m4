# SPDX-License-Identifier: GPL-2.0-or-later
# Checks that say which package to install, and the --enable-X switches.

# XC_MISSING(WHAT, DEBIAN-PACKAGE, FEDORA-PACKAGE): stop, and tell the package.
AC_DEFUN([XC_MISSING],
[AC_MSG_ERROR([$1 is missing. Install it with
	apt install $2        (Debian, Ubuntu)
	dnf install $3        (Fedora, RHEL, Rocky, Alma)])])

# XC_CHECK_LIBRARY(PREFIX, PKG-CONFIG-SPEC, DEBIAN-PACKAGE, FEDORA-PACKAGE)
AC_DEFUN([XC_CHECK_LIBRARY],
[PKG_CHECK_MODULES([$1], [$2], [], [XC_MISSING([$2], [$3], [$4])])])

# XC_CHECK_HEADER(HEADER, DEBIAN-PACKAGE, FEDORA-PACKAGE)
AC_DEFUN([XC_CHECK_HEADER],
[AC_CHECK_HEADER([$1], [], [XC_MISSING([<$1>], [$2], [$3])], [AC_INCLUDES_DEFAULT
#include <xfs/xfs.h>])])

# XC_CHECK_FUNCTION(LIBRARY, FUNCTION, VARIABLE, DEBIAN-PACKAGE, FEDORA-PACKAGE)
AC_DEFUN([XC_CHECK_FUNCTION],
[AC_CHECK_LIB([$1], [$2], [$3=-l$1], [XC_MISSING([lib$1], [$4], [$5])])])

# XC_SWITCH(NAME, MEANING, IF-ENABLED)
AC_DEFUN([XC_SWITCH],
[AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [build with $2])], [], [enable_$1=no])
AS_IF([test "$enable_$1" = yes], [$3])])

# XC_CHECK_PTHREAD: the C library must offer POSIX threads.
AC_DEFUN([XC_CHECK_PTHREAD],
[AC_SEARCH_LIBS([pthread_create], [pthread], [], [AC_MSG_ERROR([POSIX threads are missing])])])
