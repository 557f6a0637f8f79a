#include "sections/section_handles.hpp"

#include <algorithm>
#include <cstring>

#include "base/arena.hpp"
#include "base/fnv.hpp"
#include "base/message.hpp"
#include "base/shared_table.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

// Memory from which any thread, and signal handlers, may allocate without a lock.
class SharedMemory {
  public:
    // Zeros, aligned like a pointer; nullptr without memory.
    void* allocate(std::size_t bytes) {
        bytes = (bytes + alignof(Piece) - 1) / alignof(Piece) * alignof(Piece);
        for (;;) {
            Piece* piece = __atomic_load_n(&piece_, __ATOMIC_ACQUIRE);
            if (piece && bytes <= piece->size) {
                const std::size_t at = __atomic_fetch_add(&piece->used, bytes, __ATOMIC_RELAXED);
                if (at <= piece->size - bytes)
                    return piece->memory + at;
            }
            const std::size_t size = std::max(bytes, usual_bytes - sizeof(Piece));
            auto* larger = static_cast<Piece*>(map_memory(sizeof(Piece) + size));
            if (!larger)
                return nullptr;
            larger->size = size;
            if (!__atomic_compare_exchange_n(&piece_, &piece, larger, false, __ATOMIC_RELEASE,
                                             __ATOMIC_RELAXED))
                unmap_memory(larger, sizeof(Piece) + size);  // another thread was faster
        }
    }

  private:
    static constexpr std::size_t usual_bytes = 64 * 1024;
    struct Piece {
        std::size_t size, used;
        alignas(void*) char memory[];
    };
    Piece* piece_ = nullptr;
};
SharedMemory memory;

char* copy_of(const char* text) {
    const std::size_t size = std::strlen(text) + 1;
    char* copy = static_cast<char*>(memory.allocate(size));
    return copy ? static_cast<char*>(std::memcpy(copy, text, size)) : nullptr;
}

struct Prefix {
    std::uint64_t hash;
    Prefix* next;
    char text[];
};
SharedTable<Prefix, 1024> prefixes;

SharedTable<Section, 1 << 17> sections;

// "prefix::name", or the name alone.
class FullName {
  public:
    FullName(const char* prefix, const char* name)
        : parts_{prefix ? prefix : "", prefix && *prefix ? "::" : "", name} {}
    std::uint64_t hash() const {
        std::uint64_t hash = fnv_basis;
        for (const char* part : parts_)
            for (; *part; part++)
                hash = fnv1a(hash, static_cast<unsigned char>(*part));
        return hash;
    }
    std::size_t length() const {
        return std::strlen(parts_[0]) + std::strlen(parts_[1]) + std::strlen(parts_[2]);
    }
    bool is(const char* text) const {
        for (const char* part : parts_) {
            const std::size_t length = std::strlen(part);
            if (std::strncmp(text, part, length) != 0)
                return false;
            text += length;
        }
        return *text == '\0';
    }
    void copy_to(char* text) const {
        for (const char* part : parts_) {
            const std::size_t length = std::strlen(part);
            std::memcpy(text, part, length);
            text += length;
        }
        *text = '\0';
    }

  private:
    const char* parts_[3];
};

std::uint8_t allowed_level(int level, const char* name) {
    const int allowed = std::clamp<int>(level, 0, last_section_level);
    if (allowed != level)
        VFTRACE_MESSAGE_ONCE("section \"%.200s\" has level %d, but levels are 0 to %d: level %d "
                             "is used (reported once)",
                             name, level, int{last_section_level}, allowed);
    return static_cast<std::uint8_t>(allowed);
}

// Sections with equal full names are the same section in the tree, even if their prefixes differ.
Section* make_section(const char* prefix, const FullName& name, std::uint8_t level,
                      const char* live_message, bool prints_dots) {
    auto* section = static_cast<Section*>(memory.allocate(sizeof(Section) + name.length() + 1));
    if (!section)
        return nullptr;
    section->prefix = prefix;
    section->level = level;
    section->prints_dots = prints_dots;
    section->live_message = live_message && *live_message ? copy_of(live_message) : nullptr;
    name.copy_to(section->name);
    return section;
}

}  // namespace

Section* register_section(const char* prefix, const char* name, int level, const char* live_message,
                          bool prints_dots) {
    if (!name || !*name) {
        VFTRACE_MESSAGE_ONCE("a section was registered without a name: it is shown as "
                             "\"(unnamed section)\"");
        name = "(unnamed section)";
    }
    const FullName full(prefix, name);
    const std::uint64_t hash = full.hash();
    const std::uint8_t allowed = allowed_level(level, name);
    const auto has_name = [&](const Section& known) { return full.is(known.name); };
    const Section* const first = sections.find(hash, has_name);
    Section* section = sections.find_or_add(
        hash, [&](const Section& known) { return known.prefix == prefix && has_name(known); },
        [&] {
            return first ? make_section(prefix, full, first->level, first->live_message,
                                        first->prints_dots)
                         : make_section(prefix, full, allowed, live_message, prints_dots);
        });
    if (section && section->level != allowed)
        VFTRACE_MESSAGE_ONCE("section \"%.200s\" is registered with level %d, but was registered "
                             "before with level %d, which is used (reported once)",
                             section->name, int{allowed}, int{section->level});
    return section;
}

const char* section_prefix(const char* text) {
    if (!text || !*text)
        return "";
    const Prefix* prefix = prefixes.find_or_add(
        fnv1a(text), [&](const Prefix& known) { return std::strcmp(known.text, text) == 0; },
        [&] {
            const std::size_t size = std::strlen(text) + 1;
            auto* made = static_cast<Prefix*>(memory.allocate(sizeof(Prefix) + size));
            if (made)
                std::memcpy(made->text, text, size);
            return made;
        });
    return prefix ? prefix->text : "";
}

std::uintptr_t key_of(Section& section, ThreadState& state, std::uintptr_t stack) {
    if (const std::uintptr_t known = __atomic_load_n(&section.key, __ATOMIC_ACQUIRE))
        return known;
    SlowPath guard(state, stack);
    const std::uintptr_t key =
        section_key(section.name, section.level, section.live_message, state.arena);
    __atomic_store_n(&section.key, key, __ATOMIC_RELEASE);
    return key;
}

void forget_section_keys() {
    sections.visit([](Section& section) { section.key = 0; });
}

const Section* find_section(const char* name) {
    return sections.find(
        fnv1a(name), [&](const Section& section) { return std::strcmp(section.name, name) == 0; });
}

}  // namespace vftrace
