// Finds what belongs to a name of the program's, by the address that the name lies at: without a
// lock, and without reading more than the name itself.
//
// An address alone is no name: a module that is unloaded makes room for another one. So the text is
// compared each time. Memory: 32 bytes for each address and name, at most half of them used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/arena.hpp"

namespace vftrace {

class NameTable {
  public:
    // What was added for this key, or nullptr. `text` may be nullptr. Takes no lock.
    void* find(std::uint64_t what, std::uintptr_t place, const char* text) const {
        const Slots* slots = __atomic_load_n(&slots_, __ATOMIC_ACQUIRE);
        if (!slots)
            return nullptr;
        for (std::size_t at = hash(what, place);; at++) {
            const Entry& entry = slots->entries[at & slots->mask];
            void* value = __atomic_load_n(&entry.value, __ATOMIC_ACQUIRE);
            if (!value || (entry.what == what && entry.place == place && same(entry.text, text)))
                return value;
        }
    }

    // `text` and `value`, which is not nullptr, stay where they are. Without memory nothing
    // happens. One thread at a time.
    void add(std::uint64_t what, std::uintptr_t place, const char* text, void* value) {
        if ((!slots_ || 2 * (slots_->used + 1) > slots_->mask + 1) && !grow())
            return;
        put(*slots_, {what, place, text, value});
    }

    void forget() { slots_ = nullptr; }

  private:
    struct Entry {
        std::uint64_t what;
        std::uintptr_t place;
        const char* text;
        void* value;  // nullptr: the entry is empty
    };
    struct Slots {
        std::size_t mask, used;
        Entry entries[];
    };

    static std::size_t hash(std::uint64_t what, std::uintptr_t place) {
        return ((place ^ what * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu) >> 32;
    }
    static bool same(const char* known, const char* text) {
        return known && text ? std::strcmp(known, text) == 0 : known == text;
    }
    static void put(Slots& slots, const Entry& added) {
        std::size_t at = hash(added.what, added.place);
        while (slots.entries[at & slots.mask].value)
            at++;
        Entry& entry = slots.entries[at & slots.mask];
        entry.what = added.what;
        entry.place = added.place;
        entry.text = added.text;
        __atomic_store_n(&entry.value, added.value, __ATOMIC_RELEASE);
        slots.used++;
    }
    // The old one stays: another thread may be reading it.
    bool grow() {
        const std::size_t count = slots_ ? 2 * (slots_->mask + 1) : 512;
        auto* larger = static_cast<Slots*>(map_memory(sizeof(Slots) + count * sizeof(Entry)));
        if (!larger)
            return false;
        larger->mask = count - 1;
        if (slots_)
            for (std::size_t at = 0; at <= slots_->mask; at++)
                if (slots_->entries[at].value)
                    put(*larger, slots_->entries[at]);
        __atomic_store_n(&slots_, larger, __ATOMIC_RELEASE);
        return true;
    }

    Slots* slots_ = nullptr;
};

}  // namespace vftrace
