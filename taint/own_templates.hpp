// Included first by vftrace-taint-c++: templates of which the C++ library has instances, such as
// strings and streams, are compiled with the program, so that labels are kept in them.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
