// A cost of hooks that no figure of the profile shows: a function with hooks that are calls can no
// longer be inlined.
#pragma once

#include <cstdint>
#include <optional>

#include "profile/profile.hpp"

namespace vftrace {

struct InliningAdvice {
    double times_as_long;     // as the same program without hooks, estimated: 1.2 or more
    std::uint32_t functions;  // so short that a compiler would have inlined them
};

// For a profile whose functions have hooks that the compiler inserted before inlining. Nothing if
// such functions take little of the time, or too little is known about it. An estimate: the
// functions are those that lost their hooks and take less than 10 ns per call, and all of their
// time is that of calling them.
std::optional<InliningAdvice> inlining_advice(const Profile& profile);

}  // namespace vftrace
