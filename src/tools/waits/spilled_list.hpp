// A list that can exceed the memory limit: see SpilledMemory. For tools.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "waits/spilled_memory.hpp"

namespace vftrace {

template <class Item>
class SpilledList {
    static_assert(std::is_trivially_copyable_v<Item>);

  public:
    static constexpr std::size_t usual_bytes = std::size_t{16} << 20;
    explicit SpilledList(std::size_t most_bytes_in_memory = usual_bytes)
        : memory_(most_bytes_in_memory) {}

    void add(const Item& item) {
        if ((size_ + 1) * sizeof(Item) > memory_.bytes())
            memory_.grow(size_ == 0 ? 1024 * sizeof(Item) : 2 * size_ * sizeof(Item));
        data()[size_++] = item;
    }
    std::size_t size() const { return size_; }
    Item& operator[](std::size_t index) { return data()[index]; }
    std::span<Item> items() { return {data(), size_}; }
    std::span<const Item> items() const { return {data(), size_}; }
    // Keeps only the first `size` items.
    void keep(std::size_t size) { size_ = size; }

  private:
    Item* data() const { return static_cast<Item*>(memory_.data()); }

    SpilledMemory memory_;
    std::size_t size_ = 0;
};

}  // namespace vftrace
