// "Did you mean": the known word closest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vftrace {

// The candidate with the smallest Levenshtein distance to `word`, ignoring case; the first one if
// several are equally close. Empty if none is similar, so that more than half of it would have to
// change.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

// The path of the first option whose last part is `key`, ignoring case; empty if there is none.
std::string_view option_in_any_section(std::string_view key);

// The option that was probably meant by a path that does not exist: its section may be missing or
// wrong, and the path or its last part may be misspelt. Empty if none is similar.
std::string_view closest_option(std::string_view path);

// The warning about an unknown key, in two lines, or in one if `suggestion` is empty.
std::string unknown_key_text(std::string_view key, std::string_view suggestion);

}  // namespace vftrace
