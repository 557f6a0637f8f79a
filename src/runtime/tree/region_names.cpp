#include "tree/region_names.hpp"

#include <cstddef>
#include <cstring>

#include "base/fnv.hpp"
#include "base/relaxed.hpp"
#include "base/shared_table.hpp"
#include "record/node.hpp"
#include "tree/region_place.hpp"

namespace vftrace {

std::uint32_t region_hint_changes;

namespace {

struct Entry {
    std::uint64_t hash;
    Entry* next;
    // For a section its level and section_message_bit; for a region its hint + 1, or 0.
    std::uint8_t level;
    char text[];
};
static_assert(offsetof(Entry, text) == offsetof(Entry, level) + 1);

SharedTable<Entry, 1024> regions;
SharedTable<Entry, 1 << 17> sections;
SharedTable<Entry, 1 << 13> task_types;
std::uint32_t task_types_known;

auto has_name(const char* name) {
    return [name](const Entry& known) { return std::strcmp(known.text, name) == 0; };
}

// `message`: kept after the name, if there is one.
Entry* make_entry(const char* name, std::uint8_t level, const char* message, Arena& arena) {
    const std::size_t size = std::strlen(name) + 1;
    const std::size_t length = message ? strnlen(message, longest_live_message) : 0;
    const std::size_t message_size = length > 0 ? length + 1 : 0;
    auto* made = static_cast<Entry*>(arena.allocate_small(sizeof(Entry) + size + message_size));
    if (!made)
        return nullptr;
    made->level = level;
    std::memcpy(made->text, name, size);
    if (length > 0) {
        made->level |= section_message_bit;
        std::memcpy(made->text + size, message, length);
        made->text[size + length] = '\0';
    }
    return made;
}

// The message after a section's name, if there is one.
const char* live_message_of(std::uintptr_t key) {
    const char* name = region_name(key);
    const bool has_one = static_cast<std::uint8_t>(name[-1]) & section_message_bit;
    return has_one ? name + std::strlen(name) + 1 : nullptr;
}

template <class Table>
std::uintptr_t key_of(Table& table, const char* name, std::uint8_t level, Arena& arena,
                      const char* message = nullptr) {
    const Entry* entry = table.find_or_add(fnv1a(name), has_name(name),
                                           [&] { return make_entry(name, level, message, arena); });
    return reinterpret_cast<std::uintptr_t>(entry ? entry->text : nullptr);
}

}  // namespace

std::uintptr_t region_key(const char* name, Arena& arena) {
    return key_of(regions, name, 0, arena);
}

// Any thread may set the hint while another one reads it.
static std::uint8_t& hint_of(std::uintptr_t key) {
    return reinterpret_cast<Entry*>(key - offsetof(Entry, text))->level;
}

void set_region_hint(std::uintptr_t key, RegionHint hint) {
    set_shared(hint_of(key), static_cast<std::uint8_t>(static_cast<unsigned>(hint) + 1));
    __atomic_fetch_add(&region_hint_changes, 1, __ATOMIC_RELAXED);
}

RegionHint region_hint(std::uintptr_t key) {
    const std::uint8_t said = relaxed(hint_of(key));
    return said == 0 ? RegionHint::unknown : static_cast<RegionHint>(said - 1);
}

std::uintptr_t section_key(const char* name, std::uint8_t level, const char* live_message,
                           Arena& arena) {
    return key_of(sections, name, level, arena, live_message);
}

std::uintptr_t task_name_key(const char* name, std::uint32_t most, Arena& arena, bool& is_known) {
    is_known = true;
    if (const Entry* entry = task_types.find(fnv1a(name), has_name(name)))
        return reinterpret_cast<std::uintptr_t>(entry->text);
    is_known = relaxed(task_types_known) < most;
    if (!is_known)
        name = further_task_types;
    else
        __atomic_fetch_add(&task_types_known, 1, __ATOMIC_RELAXED);
    return key_of(task_types, name, 0, arena);
}

std::uintptr_t key_in_child(NodeKind kind, std::uintptr_t key, Arena& arena) {
    if (kind == NodeKind::task)
        return key_of(task_types, region_name(key), 0, arena);
    switch (row_of(kind).key) {
    case KeyKind::text:
        return region_key(region_name(key), arena);
    case KeyKind::section:
        return section_key(region_name(key), section_level(key), live_message_of(key), arena);
    default:
        return key;
    }
}

void forget_region_names() {
    regions.clear();
    sections.clear();
    task_types.clear();
    task_types_known = 0;
}

}  // namespace vftrace
