// How the lines of briefs are worded.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// A name in one line, shortened in the middle if it is long.
std::string name_for(std::string_view name);

inline constexpr std::size_t longest_sentence = 280;
std::string sentence_for(std::string_view text, std::size_t most = longest_sentence);

// Three significant digits: "0.213 s", "56.2 us".
std::string time_for(double time_s);

// Whether a brief may be as long as that.
bool fits_in_brief(std::string_view text);

}  // namespace vftrace
