// What the interval between events has left out of traces, in words. For tools.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "export/replay.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// A trace and what to call its rank; empty if there is only one.
struct NamedTrace {
    const VfdFile* file;
    std::string rank;
};

// A sentence with the number of entries and exits that were left out, by thread; the threads with
// most first, the rest as a sum. Empty if nothing was left out. Throws VfdError.
std::string text_on_left_out(std::span<const NamedTrace> traces);

// "main thread", "OpenMP worker 3", or what the program called it.
std::string thread_label(const VfdFile& file, std::uint32_t thread);

// For a call that is not recorded: "at least 1.5 ms", or that it may be several calls.
std::string text_on_reconstructed(const ReplayedCall& call);

}  // namespace vftrace
