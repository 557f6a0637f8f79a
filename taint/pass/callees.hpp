// What is known about a called function: whether the sanitizer follows data through it, whether its
// code is analysed here, and whether it communicates.
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
    int count_argument;  // the argument that specifies the amount; -1: none
};

// A function of the C library whose work grows with arguments.
struct LibraryWork {
    const char* name;
    int arguments[2];  // lengths, or the strings that it goes through; -1: none
    bool are_strings;
};

class Callees {
  public:
    // Reads the lists that are passed to the sanitizer on the command line.
    Callees();

    // The sanitizer leaves it as it is, because its name is in a list.
    bool is_uninstrumented(const llvm::Function& function) const;
    // Uninstrumented, and labels may get lost in it.
    bool is_opaque(const llvm::Function& function) const;
    // Part of vftrace's own interface, which does not appear in any list of functions.
    static bool is_own(const llvm::Function& function);
    // The code of the function is analysed here.
    bool is_analysed(const llvm::Function& function) const;
    static const CommunicationFunction* communication(const llvm::Function& function);
    // Null for other functions.
    static const LibraryWork* library_work(const llvm::Function& function);

  private:
    bool is_listed(llvm::StringRef name, llvm::StringRef category) const;
    std::unique_ptr<llvm::SpecialCaseList> lists;
};

// The function that is called, even if it is called as a function of another type; null for calls
// through pointers.
const llvm::Function* callee_of(const llvm::CallBase& call);

}  // namespace vftrace::taint

#endif
