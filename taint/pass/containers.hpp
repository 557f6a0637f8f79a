// Containers of the C++ library whose sizes grow one element at a time: the number of elements then
// depends on the loop that adds them, which labels of data do not show.
#ifndef VFTRACE_TAINT_PASS_CONTAINERS_HPP
#define VFTRACE_TAINT_PASS_CONTAINERS_HPP

#include <llvm/IR/InstrTypes.h>

namespace vftrace::taint {

// Which bytes of a container its size is computed from, in libstdc++.
struct ContainerSize {
    const char* type;  // begin of the name
    int offset, bytes;
    bool has_nodes;  // loops over the elements do not read the size
};

struct ContainerCall {
    const ContainerSize* size = nullptr;  // null: not the call of such a container's function
    llvm::Value* container = nullptr;
    bool adds = false;    // or removes elements
    bool is_end = false;  // returns the iterator at which loops end
};

ContainerCall container_call(const llvm::CallBase& call);

}  // namespace vftrace::taint

#endif
