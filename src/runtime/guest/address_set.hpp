// A set of addresses that any thread and any signal handler may query without a lock. One thread at
// a time may change it.
#pragma once

#include "base/mapped_table.hpp"

namespace vftrace {

class AddressSet {
  public:
    bool contains(std::uintptr_t address) const { return table_.find(address); }
    bool empty() const { return table_.empty(); }  // nothing has been added

    // Returns whether the address was new; false without memory.
    bool add(std::uintptr_t address) { return !contains(address) && table_.find_or_add({address}); }

    // Removes the addresses in a range.
    void remove(std::uintptr_t start, std::uintptr_t end) {
        table_.remove_if(
            [&](const ByAddress& known) { return known.address >= start && known.address < end; });
    }
    void clear() {
        table_.remove_if([](const ByAddress&) { return true; });
    }

    template <class Visit>
    void visit(Visit visit) const {
        table_.visit([&](const ByAddress& known) { visit(known.address); });
    }

  private:
    MappedTable<ByAddress, Readers::lock_free> table_;
};

}  // namespace vftrace
