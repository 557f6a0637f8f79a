// What is known about places in the code: a hash table with linear probing.
#include "patch/site_table.hpp"

#include "base/arena.hpp"

namespace vftrace {

SiteTable::Slots* SiteTable::make(std::size_t capacity) {
    std::size_t bytes = sizeof(Slots) + capacity * sizeof(KnownSite);
    auto* slots = static_cast<Slots*>(map_memory(bytes));
    if (slots) {
        slots->capacity = capacity;
        slots->mapped_bytes = bytes;
    }
    return slots;
}

KnownSite& SiteTable::place(Slots& slots, std::uintptr_t address) {
    std::size_t mask = slots.capacity - 1;
    std::size_t i = static_cast<std::size_t>(address * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots.sites[i].address && slots.sites[i].address != address)
        i = (i + 1) & mask;
    return slots.sites[i];
}

KnownSite* SiteTable::find(std::uintptr_t address) const {
    if (!slots_)
        return nullptr;
    KnownSite& found = place(*slots_, address);
    return found.address ? &found : nullptr;
}

KnownSite* SiteTable::add(std::uintptr_t address, std::uintptr_t function) {
    if (KnownSite* known = find(address))
        return known;
    if (!slots_ || slots_->used >= slots_->capacity / 2)
        if (!rebuild(slots_ ? slots_->capacity * 2 : 1024, 0, 0))
            return nullptr;
    KnownSite& added = place(*slots_, address);
    added = {address, function, SiteState::in_place, 0, 0, Hook::enter, 0};
    slots_->used++;
    return &added;
}

bool SiteTable::rebuild(std::size_t capacity, std::uintptr_t gone_start, std::uintptr_t gone_end) {
    Slots* larger = make(capacity);
    if (!larger)
        return false;
    for (const KnownSite& site : *this) {
        std::uintptr_t size = gone_end - gone_start;
        if (!site.address || site.address - gone_start < size || site.function - gone_start < size)
            continue;
        place(*larger, site.address) = site;
        larger->used++;
    }
    Slots* previous = slots_;
    __atomic_store_n(&slots_, larger, __ATOMIC_RELEASE);
    if (previous)
        unmap_memory(previous, previous->mapped_bytes);
    return true;
}

void SiteTable::forget(std::uintptr_t start, std::uintptr_t end) {
    bool any = false;
    for (KnownSite& site : *this)
        if (site.address &&
            (site.address - start < end - start || site.function - start < end - start)) {
            site.state = SiteState::in_place;  // if there is no memory to remove it
            any = true;
        }
    if (any)
        rebuild(slots_->capacity, start, end);
}

}  // namespace vftrace
