// What the calls of each function cost, for the reviews of the budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"

namespace vftrace {

// What calls of a function will cost on all its paths, and how long it ran.
struct ReviewedFunction {
    std::uintptr_t key;
    std::uint64_t calls, calls_before;  // now, and at the last review
    double next_call;                   // sum over calls of what another one would cost
    double own, own_before;             // ticks in the function itself
    double callees, callees_before;     // and in what it calls, the cost of that included
    bool kept;

    double calls_since() const {
        return static_cast<double>(calls - std::min(calls, calls_before));
    }
    double expected() const {
        return calls ? calls_since() * next_call / static_cast<double>(calls) : 0.0;
    }
    double ratio() const { return expected() / (own_since() + 1); }
    double own_since() const { return std::max(own - own_before, 0.0); }
    // Else it may get much time of its own once what it calls has been taken out.
    bool is_leaf_like() const { return callees - callees_before <= 2 * own_since(); }
};

// By address; open addressing, linear probing. Kept from review to review.
class ReviewedFunctions {
  public:
    // nullptr without memory.
    ReviewedFunction* find_or_add(std::uintptr_t key) {
        if (2 * (used_ + 1) > slots_ && !grow())
            return nullptr;
        ReviewedFunction& function = slot_of(key);
        if (!function.key) {
            function.key = key;
            used_++;
        }
        return &function;
    }
    void begin_review() {
        for (ReviewedFunction& function : *this) {
            function.calls_before = function.calls;
            function.calls = 0;
            function.own_before = function.own;
            function.callees_before = function.callees;
            function.next_call = function.own = function.callees = 0;
        }
    }
    std::uint64_t count() const { return used_; }
    ReviewedFunction* begin() { return functions_; }
    ReviewedFunction* end() { return functions_ + slots_; }
    void clear() { *this = {}; }

  private:
    ReviewedFunction& slot_of(std::uintptr_t key) {
        std::uint64_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & (slots_ - 1);
        while (functions_[slot].key && functions_[slot].key != key)
            slot = (slot + 1) & (slots_ - 1);
        return functions_[slot];
    }
    bool grow() {
        const std::uint64_t slots = slots_ ? slots_ * 2 : 1024;
        auto* larger = static_cast<ReviewedFunction*>(map_memory(slots * sizeof(ReviewedFunction)));
        if (!larger)
            return false;
        ReviewedFunction* old = functions_;
        const std::uint64_t old_slots = slots_;
        functions_ = larger;
        slots_ = slots;
        for (std::uint64_t i = 0; i < old_slots; i++)
            if (old[i].key)
                slot_of(old[i].key) = old[i];
        if (old)
            unmap_memory(old, old_slots * sizeof(ReviewedFunction));
        return true;
    }

    ReviewedFunction* functions_ = nullptr;
    std::uint64_t slots_ = 0, used_ = 0;
};

}  // namespace vftrace
