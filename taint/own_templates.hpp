// Included ahead of all else by vftrace-taint-c++: templates that the C++ library has instances of,
// strings and streams among them, are compiled with the program, so that labels are kept in them.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
