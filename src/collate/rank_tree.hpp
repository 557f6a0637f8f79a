// The tree that ranks talk along at the end of a run.
//
// The parent of a rank is the rank with its lowest set bit cleared, so children have higher ranks:
//
//     0 <- 1, 2, 4, 8 ...    2 <- 3    4 <- 5, 6    6 <- 7 ...
#pragma once

#include <vector>

namespace vftrace {

constexpr int parent_of_rank(int rank) { return rank & (rank - 1); }

// In ascending order: the last one has the most ranks below it.
inline std::vector<int> children_of_rank(int rank, int ranks) {
    std::vector<int> children;
    for (int bit = 1; (rank & bit) == 0 && bit < ranks - rank; bit <<= 1)
        children.push_back(rank + bit);
    return children;
}

}  // namespace vftrace
