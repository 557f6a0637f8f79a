// Finds the entry for a name of the program by the address of the name, without a lock and without
// reading more than the name itself.
//
// An address does not identify a name: another module may be loaded where one was unloaded. So the
// text is compared each time.
#pragma once

#include <cstring>

#include "base/mapped_table.hpp"

namespace vftrace {

struct NamePlace {
    std::uint64_t what;
    std::uintptr_t place;
    const char* text;  // or nullptr
};

// Both `text` and `value` must stay where they are.
struct NamedValue : NamePlace {
    void* value;

    using Key = NamePlace;
    const Key& key() const { return *this; }
    void*& mark() { return value; }
    bool is(const Key& wanted) const {
        return what == wanted.what && place == wanted.place &&
               (text && wanted.text ? std::strcmp(text, wanted.text) == 0 : text == wanted.text);
    }
    static std::uint64_t hash(const Key& wanted) {
        return ((wanted.place ^ wanted.what * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu) >> 32;
    }
};

class NameTable : MappedTable<NamedValue, Readers::lock_free> {
  public:
    // The entry for this name, or nullptr.
    void* find(std::uint64_t what, std::uintptr_t place, const char* text) const {
        const NamedValue* known = MappedTable::find({what, place, text});
        return known ? known->value : nullptr;
    }
    // Does nothing without memory. To be called by one thread at a time.
    void add(std::uint64_t what, std::uintptr_t place, const char* text, void* value) {
        find_or_add({{what, place, text}, value});
    }
};

}  // namespace vftrace
