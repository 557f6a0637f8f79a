// A set of MPI ranks as users write it: "all", "none", "1,3,5-7".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

class RankList {
  public:
    // Blanks around numbers are allowed, and the case of the words is ignored. Returns nothing for
    // anything else: empty items, descending ranges, numbers beyond int.
    static std::optional<RankList> parse(std::string_view text);

    bool contains(int rank) const;
    bool is_all() const { return all_; }
    bool is_none() const { return !all_ && ranges_.empty(); }

    // The message for a text that parse() rejects; `option` is the key for which it was given.
    static std::string error_text(std::string_view text, std::string_view option);

  private:
    struct Range {
        int first;
        int last;  // inclusive
    };
    bool all_ = false;
    std::vector<Range> ranges_;  // sorted, with gaps between them
};

}  // namespace vftrace
