// "Did you mean": the known word that is nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vftrace {

// The candidate with the smallest Levenshtein distance to `word`, letters compared without regard
// to case; the first of equals. Empty if none is similar: more than half of it would have to
// change.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

// The warning about an unknown key, in two lines; in one if `suggestion` is empty.
std::string unknown_key_text(std::string_view key, std::string_view suggestion);

}  // namespace vftrace
