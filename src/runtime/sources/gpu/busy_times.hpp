// When a device was busy, from pieces of work that may overlap: how long with kernels, with copies,
// and with both at once.
//
// Intervals are kept, sorted and without overlaps, until there are too many; then all but the
// newest become sums. Work that lies before those is no longer counted: records are that late only
// if thousands of others overtake them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class BusyWith : std::uint8_t { kernel, copy };

class DeviceTimeline {
  public:
    struct Interval {
        std::uint64_t start, end;  // start < end
    };
    // Intervals of each kind; when this limit is reached, the newer half is kept.
    static constexpr std::size_t capacity = 1 << 16;

    // `memory` has room for 2 * capacity intervals. `shorter` makes the lists that short, for
    // tests.
    void start(Interval* memory, std::size_t shorter = capacity);

    // Records that work of a kind lasted from `start` to `end`.
    void add(BusyWith kind, std::uint64_t start, std::uint64_t end);

    struct Times {
        std::uint64_t kernel = 0, copy = 0, both = 0;
    };
    Times times() const;

  private:
    struct List {
        Interval* intervals = nullptr;
        std::size_t count = 0;
        void insert(std::uint64_t start, std::uint64_t end);
        // Removes what lies before `moment`.
        void drop_before(std::uint64_t moment);
    };
    // Times of what lies before `moment`.
    Times times_before(std::uint64_t moment) const;
    void fold();

    List lists_[2];
    std::size_t capacity_ = capacity;
    std::uint64_t folded_until_ = 0;
    Times folded_;
};

}  // namespace vftrace
