// The loops of a function in one of its profiles: what they depend on and what they call.
#ifndef VFTRACE_TAINT_RUNTIME_INSTANCE_TEXT_HPP
#define VFTRACE_TAINT_RUNTIME_INSTANCE_TEXT_HPP

#include <cstddef>

#include "taint/runtime/json_text.hpp"
#include "taint/runtime/program.hpp"

namespace vftrace::taint {

// Entries of a function that look the same in the result are one profile.
struct Profile {
    const char* instance;
    Array<Entry*> entries;
};

// Writes a list of the names of these parameters.
void write_parameters(JsonText& text, Parameters set);

class InstanceText {
  public:
    // index_of_number: the place of each function in the result, by its number. compatible: without
    // lines, and calls only in loops that depend on parameters.
    InstanceText(const std::size_t* index_of_number, bool compatible)
        : index_of_number_(index_of_number), compatible_(compatible) {}

    // Writes the loops inside a loop, or the outermost ones (-1). With a profile, also their calls.
    void write_loops(JsonText& text, const Entry& entry, int parent, const Profile* profile) const;
    // Writes the calls in a loop, or those outside all loops (-1).
    void write_calls(JsonText& text, const Profile& profile, int loop) const;

  private:
    void write_inner(JsonText& text, const Entry& entry, int loop, const Profile* profile) const;
    void write_call(JsonText& text, const SlotEntry& call, Array<SlotEntry>& written) const;

    const std::size_t* index_of_number_;
    bool compatible_;
};

}  // namespace vftrace::taint

#endif
