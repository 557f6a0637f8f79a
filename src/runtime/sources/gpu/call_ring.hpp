// Which call of the program a record of the device belongs to: the node and the time of the latest
// calls, by CUPTI's correlation ids.
//
// Any thread writes an entry before the work that the call starts can exist; the thread that
// handles records reads it. Entries are never removed, because a call can have any number of
// records: a new call overwrites the one `capacity` ids before. Node and id are in one word, so
// that no reader takes the node of another call; only the time may be another call's, if the reader
// is late by a whole round.
#pragma once

#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

class CallRing {
  public:
    static constexpr unsigned capacity_log2 = 18;
    static constexpr std::uint32_t capacity = 1u << capacity_log2;
    struct Entry {
        std::uint64_t call;   // 0: empty
        std::uint64_t ticks;  // at the beginning of the call
    };

    // `memory`: zeros, for `capacity` entries.
    void start(Entry* memory) { entries_ = memory; }

    // `node`: nullptr if the call is deliberately not recorded.
    void put(std::uint32_t id, const Node* node, std::uint64_t ticks) {
        Entry& entry = entries_[id % capacity];
        __atomic_store_n(&entry.ticks, ticks, __ATOMIC_RELAXED);
        __atomic_store_n(&entry.call, word(id, node), __ATOMIC_RELEASE);
    }

    struct Call {
        bool known;
        const Node* node;
        std::uint64_t ticks;
    };
    Call find(std::uint32_t id) const {
        const Entry& entry = entries_[id % capacity];
        const std::uint64_t call = __atomic_load_n(&entry.call, __ATOMIC_ACQUIRE);
        if (call >> address_bits != word(id, nullptr) >> address_bits)
            return {false, nullptr, 0};
        return {true,
                reinterpret_cast<const Node*>(call & ((std::uint64_t{1} << address_bits) - 1)),
                __atomic_load_n(&entry.ticks, __ATOMIC_RELAXED)};
    }

  private:
    // Bits of a program's addresses, unless it asks the kernel for more; the rest has room for the
    // part of the id that the position does not imply, and for a mark.
    static constexpr unsigned address_bits = 48;
    static_assert(32 - capacity_log2 < 64 - address_bits);
    static constexpr std::uint64_t mark = std::uint64_t{1} << 63;

    static std::uint64_t word(std::uint32_t id, const Node* node) {
        return mark | std::uint64_t{id >> capacity_log2} << address_bits |
               reinterpret_cast<std::uintptr_t>(node);
    }

    Entry* entries_ = nullptr;
};

}  // namespace vftrace
