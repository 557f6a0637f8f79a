// The call paths of all watched processes: one per sequence of functions, shared by all threads of
// all processes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace vftrace {

inline constexpr std::uint32_t no_path = 0xffff'ffff;

struct LivePath {
    std::uint32_t parent;    // of the root: no_path
    std::uint32_t function;  // index of LiveFunctions
};

class LivePaths {
  public:
    // Parents come before their children.
    std::uint32_t below(std::uint32_t parent, std::uint32_t function) {
        const auto [found, is_new] = index_.try_emplace(std::uint64_t{parent} << 32 | function,
                                                        static_cast<std::uint32_t>(paths_.size()));
        if (is_new)
            paths_.push_back({parent, function});
        return found->second;
    }

    const std::vector<LivePath>& all() const { return paths_; }
    const LivePath& operator[](std::size_t index) const { return paths_[index]; }

  private:
    std::vector<LivePath> paths_;
    std::unordered_map<std::uint64_t, std::uint32_t> index_;
};

}  // namespace vftrace
