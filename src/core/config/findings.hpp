// Errors in a configuration, in the order in which they were found.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vftrace {

enum class Severity {
    error,        // a value or a file that cannot be used
    unknown_key,  // probably a typing error
    warning
};

struct Finding {
    Severity severity;
    std::string text;  // complete lines as they are shown, without the last newline
};

class Findings {
  public:
    // Keeps `text` unless the same text is already there. Only the first 1000 are kept, because a
    // file may consist of errors; the others are only counted.
    void add(Severity severity, std::string text);

    // While a Place exists, a line "This is in <place>." follows each new text; there is no line if
    // `place` is empty. The innermost Place counts.
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
    unsigned count() const { return counts_[0] + counts_[1] + counts_[2]; }

  private:
    std::vector<Finding> list_;
    std::array<unsigned, 3> counts_{};
    std::string place_;
};

// The text in quotation marks for a message; cut if it is long, control characters replaced.
std::string quoted(std::string_view text);

}  // namespace vftrace
