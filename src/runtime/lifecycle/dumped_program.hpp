// Programs that were written to disk with their heap while they ran, as GNU Common Lisp does.
#pragma once

namespace vftrace {

// Whether this process runs such a program that has its own malloc, with a heap in the dumped
// image, and was started with random addresses. Before it does anything else, such a program
// executes itself again without random addresses; until then its malloc cannot be used, neither by
// us nor by the libraries that we call. Allocates nothing.
bool is_dump_before_its_start();

}  // namespace vftrace
