// Turns conditions with && and || into separate branches.
#ifndef VFTRACE_TAINT_PASS_SHORT_CIRCUITS_HPP
#define VFTRACE_TAINT_PASS_SHORT_CIRCUITS_HPP

#include <llvm/IR/Function.h>

namespace vftrace::taint {

// "for (...; a && b; ...)" arrives as a branch on a to a block that chooses between false and b,
// and branches on the choice. Has the first branch leave the loop directly, so that it is an exit,
// whose count may be known, and not a branch in the loop.
void split_short_circuits(llvm::Function& function);

}  // namespace vftrace::taint

#endif
