// A set of MPI ranks as users write it: "all", "none", "1,3,5-7".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

class RankList {
  public:
    // Blanks around numbers are allowed, the words are known in any case. Nothing is returned for
    // anything else: empty items, ranges that count down, numbers beyond int.
    static std::optional<RankList> parse(std::string_view text);

    bool contains(int rank) const;
    bool is_all() const { return all_; }
    bool is_none() const { return !all_ && ranges_.empty(); }

    // The message for a text that parse() rejects; `option` is the key it was given for.
    static std::string error_text(std::string_view text, std::string_view option);

  private:
    struct Range {
        int first;
        int last;  // inclusive
    };
    bool all_ = false;
    std::vector<Range> ranges_;  // sorted, none touches another
};

}  // namespace vftrace
