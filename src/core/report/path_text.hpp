// How functions and call paths are written in tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// Where names are cut that are too long: logs and what is compared with logs always cut the middle,
// other tables keep what distinguishes names.
enum class CutNames : std::uint8_t { in_the_middle, where_they_are_alike };

// The names of a profile's functions as tables show them, made once: shortened to `max_name_width`
// characters, control characters as escapes.
class PathText {
  public:
    PathText(const Profile& profile, std::size_t max_name_width,
             CutNames cut = CutNames::in_the_middle);

    const std::string& function(std::uint32_t path) const;
    // The name of a function, by its index.
    const std::string& name(std::uint32_t function) const { return names_[function]; }
    // The same for a text of any length.
    std::string shown(std::string_view name) const;
    // A type of tasks, "session (server.cpp:12)": at least 40 characters of the name, and the whole
    // place, which distinguishes types.
    std::string task(std::string_view name) const;
    // The name of the function that called this one, "----" for the root.
    std::string_view caller(std::uint32_t path) const;
    // "spin<leaf<main<init". In a path of more than `max_levels` levels, the middle is left out
    // ("f<g<...<main<init"): otherwise a recursion of n levels would make a log of n * n names.
    std::string call_path(std::uint32_t path) const;

    static constexpr std::size_t max_levels = 200;

  private:
    const Profile& profile_;
    std::size_t max_name_width_;
    std::vector<std::string> names_;  // by function
    // By path: its levels, and which of them is the last that a long path shows.
    std::vector<std::uint32_t> levels_, near_root_;
};

// The same for names, beginning with the leaf.
std::string joined_call_path(const std::vector<std::string_view>& names);

}  // namespace vftrace
