// Names of user regions and sections, each kept once: its address is the key of their nodes.
#include "tree/region_names.hpp"

#include <cstddef>
#include <cstring>

#include "base/fnv.hpp"
#include "base/text_table.hpp"
#include "record/node.hpp"

namespace vftrace {
namespace {

struct Entry {
    std::uint64_t hash;
    Entry* next;
    std::uint8_t level;  // of a section: what section_level() reads before the text
    char text[];
};
static_assert(offsetof(Entry, text) == offsetof(Entry, level) + 1);

TextTable<Entry, 1024> regions;
TextTable<Entry, 1 << 17> sections;

template <class Table>
std::uintptr_t key_of(Table& table, const char* name, std::uint8_t level, Arena& arena) {
    const Entry* entry = table.find_or_add(
        fnv1a(name), [&](const Entry& known) { return std::strcmp(known.text, name) == 0; },
        [&] {
            const std::size_t size = std::strlen(name) + 1;
            auto* made = static_cast<Entry*>(arena.allocate(sizeof(Entry) + size));
            if (made) {
                made->level = level;
                std::memcpy(made->text, name, size);
            }
            return made;
        });
    return reinterpret_cast<std::uintptr_t>(entry ? entry->text : nullptr);
}

}  // namespace

std::uintptr_t region_key(const char* name, Arena& arena) {
    return key_of(regions, name, 0, arena);
}

std::uintptr_t section_key(const char* name, std::uint8_t level, Arena& arena) {
    return key_of(sections, name, level, arena);
}

std::uintptr_t key_in_child(NodeKind kind, std::uintptr_t key, Arena& arena) {
    switch (row_of(kind).key) {
    case KeyKind::text:
        return region_key(region_name(key), arena);
    case KeyKind::section:
        return section_key(region_name(key), section_level(key), arena);
    default:
        return key;
    }
}

void forget_region_names() {
    regions.clear();
    sections.clear();
}

}  // namespace vftrace
