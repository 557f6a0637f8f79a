// Errors in a configuration, in the order in which they were found.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vftrace {

enum class Severity {
    error,        // a value that cannot be used
    unreadable,   // a file that cannot be read
    malformed,    // a file that is not a configuration
    unknown_key,  // probably a typing error
    warning
};

struct Finding {
    Severity severity;
    std::string text;  // complete lines as they are shown, without the last newline
    std::string
        text_of_vftrace_2;  // the same in the words of Vftrace 2.0, which scripts search for
};

class Findings {
  public:
    // Keeps `text` unless the same text is already there. Only the first 1000 are kept, because a
    // file may consist of errors; the others are only counted. `text_of_vftrace_2` is empty where
    // Vftrace 2.0 has the same words.
    void add(Severity severity, std::string text, std::string text_of_vftrace_2 = {});

    // While a Place exists, a line "This is in <place>." follows each new text (Vftrace 2.0 does
    // not have it); there is no line if `place` is empty. The innermost Place counts.
    class Place {
      public:
        Place(Findings& findings, std::string place)
            : findings_(findings), outer_(std::exchange(findings.place_, std::move(place))) {}
        ~Place() { findings_.place_ = std::move(outer_); }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

      private:
        Findings& findings_;
        std::string outer_;
    };

    const std::vector<Finding>& list() const { return list_; }
    unsigned count(Severity severity) const { return counts_[static_cast<unsigned>(severity)]; }
    unsigned count() const { return std::accumulate(counts_.begin(), counts_.end(), 0u); }

  private:
    std::vector<Finding> list_;
    std::array<unsigned, static_cast<std::size_t>(Severity::warning) + 1> counts_{};
    std::string place_;
};

// The text in quotation marks for a message; cut if it is long, control characters replaced.
std::string quoted(std::string_view text);

}  // namespace vftrace
