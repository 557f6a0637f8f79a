// REGION("name") makes the rest of a scope a region of the profile if the program is built with
// -DUSE_VFTRACE, and nothing otherwise, so that the example builds without vftrace.
#pragma once

#ifdef USE_VFTRACE
#include <vftrace.hpp>
#define REGION(name) VFTRACE_REGION(name)
#else
#define REGION(name) static_cast<void>(0)
#endif
