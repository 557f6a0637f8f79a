// Makes calls of a function arrive at another one, by a jump at its entry. The instructions that
// the jump overwrites continue to exist in a copy, which is called to reach the function itself.
//
// To be used at the start, while there are no other threads: several bytes are written, which
// another thread could execute half.
#pragma once

#include <cstddef>
#include <cstdint>

#include "patch/module_code.hpp"

namespace vftrace {

enum class EntryJump : std::uint8_t {
    made,
    too_short,     // the function has fewer bytes than the jump
    entry_unfit,   // an instruction there cannot be copied to another place
    is_jumped_to,  // code jumps back to what the jump would overwrite, or it is not known
    no_memory,     // near enough
    not_writable
};
// In words, for messages.
const char* reason_of(EntryJump outcome);

// Copies of entries, near the code of one module.
class EntryCopies {
  public:
    // Memory for this many functions is taken within reach of the module's code.
    EntryCopies(const ModuleCode& module, std::size_t functions);
    // Makes the copies executable. Returns false if that is not allowed.
    bool finish();

    // The jump that is to be written.
    static constexpr std::size_t longest_jump = 5;
    struct Made {
        EntryJump outcome;
        std::uintptr_t jump_at = 0;  // where the jump is to be written
        std::uint8_t jump[longest_jump] = {};
        void* original = nullptr;  // to be called for the function itself
    };
    // Prepares a jump from `function`, which has `size` bytes, to `target`. Nothing is changed yet.
    Made prepare(std::uintptr_t function, std::size_t size, std::uintptr_t target);

  private:
    const ModuleCode& module_;
    std::uint8_t* memory_ = nullptr;
    std::size_t bytes_ = 0, used_ = 0;
};

}  // namespace vftrace
