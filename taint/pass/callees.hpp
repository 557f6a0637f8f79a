// What is known about a called function: whether the sanitizer follows data through it, and whether
// it may reach a loop.
#ifndef VFTRACE_TAINT_PASS_CALLEES_HPP
#define VFTRACE_TAINT_PASS_CALLEES_HPP

#include <memory>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SpecialCaseList.h>

namespace vftrace::taint {

// An MPI function that communicates, from the table of MPI functions.
struct CommunicationFunction {
    const char* name;
    int count_argument;  // which argument says how much; -1: none
};

class Callees {
  public:
    // Reads the lists that the sanitizer is given on the command line.
    Callees();

    // The sanitizer takes it as it is: its name is in a list.
    bool is_uninstrumented(const llvm::Function& function) const;
    // Uninstrumented, and labels may get lost in it.
    bool is_opaque(const llvm::Function& function) const;
    // Of vftrace's own interface, which no list of functions shows.
    static bool is_own(const llvm::Function& function);
    // The code of the function is analysed here.
    bool is_analysed(const llvm::Function& function) const;
    static const CommunicationFunction* communication(const llvm::Function& function);

  private:
    bool is_listed(llvm::StringRef name, llvm::StringRef category) const;
    std::unique_ptr<llvm::SpecialCaseList> lists;
};

// The function that is called, also where it is called as a function of another type; null for
// calls through pointers.
const llvm::Function* callee_of(const llvm::CallBase& call);

}  // namespace vftrace::taint

#endif
