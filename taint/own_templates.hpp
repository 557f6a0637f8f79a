// Included first by vftrace-taint-c++: templates that the C++ library instantiates itself, such as
// strings and streams, are compiled with the program, so that they keep labels.
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
