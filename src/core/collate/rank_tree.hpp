// The tree along which ranks communicate at the end of a run.
//
// The parent of a rank is the rank with its lowest set bit cleared, so children have higher ranks:
//
//     0 <- 1, 2, 4, 8 ...    2 <- 3    4 <- 5, 6    6 <- 7 ...
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

constexpr int parent_of_rank(int rank) { return rank & (rank - 1); }

inline constexpr std::size_t most_children = 31;  // of a rank: one per bit

// In ascending order: the last one has the most ranks below it.
class ChildrenOfRank {
  public:
    constexpr ChildrenOfRank(int rank, int ranks) {
        for (std::int64_t bit = 1; (rank & bit) == 0 && bit < ranks - rank; bit <<= 1)
            ranks_[count_++] = rank + static_cast<int>(bit);
    }
    constexpr const int* begin() const { return ranks_; }
    constexpr const int* end() const { return ranks_ + count_; }
    constexpr std::size_t size() const { return count_; }
    constexpr int operator[](std::size_t index) const { return ranks_[index]; }

  private:
    int ranks_[most_children] = {};
    std::size_t count_ = 0;
};

}  // namespace vftrace
