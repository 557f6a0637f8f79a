// Finds the index of an item in a vector by its content: a hash table of indices.
#pragma once

#include <cstdint>
#include <vector>

namespace vftrace {

// Open addressing with linear probing; 4 bytes per slot, at most half full.
class IndexTable {
  public:
    static constexpr std::uint32_t none = 0xffffffff;

    // The index with this hash for which same(index) is true. If there is none, files `candidate`
    // under the hash and returns it. `candidate` must be the number of items filed so far.
    template <class Same>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t candidate, Same same) {
        if (2 * (hashes_.size() + 1) > slots_.size())
            grow();
        std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = spread(hash) & mask;; slot = (slot + 1) & mask) {
            std::uint32_t index = slots_[slot];
            if (index == none) {
                slots_[slot] = candidate;
                hashes_.push_back(hash);
                return candidate;
            }
            if (hashes_[index] == hash && same(index))
                return index;
        }
    }

    // The same index; `none` if there is none.
    template <class Same>
    std::uint32_t find(std::uint64_t hash, Same same) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = spread(hash) & mask; !slots_.empty(); slot = (slot + 1) & mask) {
            const std::uint32_t index = slots_[slot];
            if (index == none || (hashes_[index] == hash && same(index)))
                return index;
        }
        return none;
    }

  private:
    static std::uint64_t spread(std::uint64_t hash) { return (hash * 0x9e3779b97f4a7c15u) >> 20; }

    void grow() {
        std::size_t size = slots_.empty() ? 64 : slots_.size() * 2;
        slots_.assign(size, none);
        for (std::uint32_t index = 0; index < hashes_.size(); index++) {
            std::size_t slot = spread(hashes_[index]) & (size - 1);
            while (slots_[slot] != none)
                slot = (slot + 1) & (size - 1);
            slots_[slot] = index;
        }
    }

    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> hashes_;  // by index
};

}  // namespace vftrace
