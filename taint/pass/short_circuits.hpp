// Turns conditions with && and || into separate branches.
#ifndef VFTRACE_TAINT_PASS_SHORT_CIRCUITS_HPP
#define VFTRACE_TAINT_PASS_SHORT_CIRCUITS_HPP

#include <llvm/IR/Function.h>

namespace vftrace::taint {

// "for (...; a && b; ...)" comes as a branch on a to a block that chooses between false and b, and
// branches on that. Has the first branch leave the loop itself: as an exit, whose count may be
// known, and not as a branch in the loop.
void split_short_circuits(llvm::Function& function);

}  // namespace vftrace::taint

#endif
