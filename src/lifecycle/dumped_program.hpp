// Programs that were written to disk with their heap while they ran, as GNU Common Lisp does.
#pragma once

namespace vftrace {

// Whether this process is one that has its own malloc, whose heap lies in the dumped image, and was
// started with random addresses. Such a program executes itself once more without these before it
// does anything else; until then its malloc cannot be used, neither by us nor by the libraries that
// we call. Allocates nothing.
bool is_dump_before_its_start();

}  // namespace vftrace
