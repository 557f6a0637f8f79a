#include "config/findings.hpp"

#include <algorithm>

namespace vftrace {

void Findings::add(Severity severity, std::string text, std::string text_of_vftrace_2) {
    constexpr std::size_t most_kept = 1000;
    // Goes below the text, indented by the word with which it may begin.
    constexpr std::string_view warning = "Warning: ";
    if (text_of_vftrace_2.empty())
        text_of_vftrace_2 = text;
    if (!place_.empty())
        text += "\n" + std::string(text.starts_with(warning) ? warning.size() : 0, ' ') +
                "This is in " + place_ + ".";
    bool known = std::any_of(list_.begin(), list_.end(),
                             [&](const Finding& finding) { return finding.text == text; });
    if (known)
        return;
    counts_[static_cast<unsigned>(severity)]++;
    if (list_.size() < most_kept)
        list_.push_back({severity, std::move(text), std::move(text_of_vftrace_2)});
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 200;
    std::string out = "\"";
    for (char c : text.substr(0, longest))
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return out += text.size() > longest ? "...\"" : "\"";
}

}  // namespace vftrace
