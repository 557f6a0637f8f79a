#include "annotations/annotation_names.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "annotations/thread_annotations.hpp"
#include "base/prepend.hpp"
#include "base/relaxed.hpp"
#include "base/shared_table.hpp"
#include "base/text_hash.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

SharedTable<AnnotationName, 4096> names;
std::uint32_t names_known;

// How many names there are that differ only in their numbers.
struct Alike {
    std::uint64_t hash;  // of the pattern
    Alike* next;
    std::uint32_t names;
};
SharedTable<Alike, 1024> alike;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A name with '*' in place of each number, and the first of these.
struct Pattern {
    char text[longest_annotation + 1];
    std::size_t length = 0;
    double number = 0;
    bool has_numbers = false;

    explicit Pattern(std::string_view name) {
        for (std::size_t i = 0; i < name.size(); i++) {
            if (!is_digit(name[i])) {
                text[length++] = name[i];
                continue;
            }
            double value = 0;
            for (; i < name.size() && is_digit(name[i]); i++)
                value = value * 10 + (name[i] - '0');
            i--;
            text[length++] = '*';
            if (!has_numbers)
                number = value;
            has_numbers = true;
        }
        text[length] = '\0';
    }
    std::string_view view() const { return {text, length}; }
};

std::string_view bounded(const char* text) {
    if (!text || !*text)
        return "(unnamed)";
    return {text, strnlen(text, longest_annotation)};
}

bool is_same(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

// What is looked for.
struct Wanted {
    AnnotationInterface interface;
    AnnotationRole role;
    std::string_view text;
    const char* detail;

    std::uint64_t hash() const {
        const auto of =
            static_cast<std::uint64_t>(interface) << 8 | static_cast<std::uint64_t>(role);
        return text_hash(text, of) + text_hash(detail, of);
    }
    bool operator()(const AnnotationName& name) const {
        return name.interface == interface && name.role == role && text == name.text &&
               is_same(name.detail, detail);
    }
};

char* copy(std::string_view text, Arena& arena) {
    auto* const made = static_cast<char*>(arena.allocate_small(text.size() + 1));
    if (made)
        *std::copy(text.begin(), text.end(), made) = '\0';
    return made;
}

AnnotationRow* new_row(const Wanted& wanted, const char* name, const char* detail, Arena& arena) {
    auto* const row = static_cast<AnnotationRow*>(arena.allocate_small(sizeof(AnnotationRow)));
    if (!row)
        return nullptr;
    *row = {};
    row->name = name;
    row->detail = detail;
    row->interface = wanted.interface;
    row->role = wanted.role;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    row->smallest = std::bit_cast<std::uint64_t>(infinity);
    row->largest = std::bit_cast<std::uint64_t>(-infinity);
    prepend(process_record->annotations, row);
    return row;
}

AnnotationName* new_name(const Wanted& wanted, bool is_pattern, Arena& arena) {
    auto* const made = static_cast<AnnotationName*>(
        arena.allocate_small(sizeof(AnnotationName) + wanted.text.size() + 1));
    if (!made)
        return nullptr;
    *made = {};
    *std::copy(wanted.text.begin(), wanted.text.end(), made->text) = '\0';
    made->interface = wanted.interface;
    made->role = wanted.role;
    made->is_pattern = is_pattern;
    made->key = region_key(made->text, arena);
    made->detail = *wanted.detail ? copy(wanted.detail, arena) : "";
    made->row = made->key && made->detail
                    ? new_row(wanted, region_name(made->key), made->detail, arena)
                    : nullptr;
    if (!made->row)
        return nullptr;
    RegionHint hint = annotation_roles[static_cast<std::size_t>(wanted.role)].hint;
    if (hint == RegionHint::parallel && std::strcmp(wanted.detail, "Serial") == 0)
        hint = RegionHint::serial;
    if (hint != RegionHint::unknown && region_hint(made->key) == RegionHint::unknown)
        set_region_hint(made->key, hint);
    __atomic_fetch_add(&names_known, 1, __ATOMIC_RELAXED);
    return made;
}

const AnnotationName* find_or_make(const Wanted& wanted, bool is_pattern, Arena& arena) {
    return names.find_or_add(wanted.hash(), wanted,
                             [&] { return new_name(wanted, is_pattern, arena); });
}

// Whether there are already many names that differ from this one only in the numbers.
bool has_many_alike(const Wanted& pattern, Arena& arena) {
    const std::uint64_t hash = pattern.hash();
    Alike* const known = alike.find_or_add(
        hash, [](const Alike&) { return true; },
        [&]() -> Alike* {
            auto* const made = static_cast<Alike*>(arena.allocate_small(sizeof(Alike)));
            if (made)
                *made = {};
            return made;
        });
    return known &&
           __atomic_fetch_add(&known->names, 1, __ATOMIC_RELAXED) >= most_alike_annotations;
}

const AnnotationName* make_name(const Wanted& wanted, Arena& arena) {
    Wanted instead = wanted;
    const Pattern pattern(wanted.text);
    instead.text = pattern.view();
    if (pattern.has_numbers && has_many_alike(instead, arena)) {
        const AnnotationName* const name = find_or_make(instead, true, arena);
        if (name)
            note_value(*name->row, pattern.number);
        return name;
    }
    if (relaxed(names_known) < most_annotations)
        return find_or_make(wanted, false, arena);
    instead.text = "(further names)";
    instead.detail = "";
    return find_or_make(instead, false, arena);
}

// The bits of a double, changed by any thread.
template <class Change>
void change(std::uint64_t& bits, Change change_value) {
    std::uint64_t before = relaxed(bits);
    std::uint64_t after = 0;
    do
        after = std::bit_cast<std::uint64_t>(change_value(std::bit_cast<double>(before)));
    while (!__atomic_compare_exchange_n(&bits, &before, after, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

}  // namespace

bool is_meant(const AnnotationName& name, const char* text) {
    const std::string_view wanted = bounded(text);
    return wanted == name.text || (name.is_pattern && Pattern(wanted).view() == name.text);
}

const AnnotationName* annotation_name(ThreadState& state, AnnotationInterface interface,
                                      AnnotationRole role, const char* text, const char* detail,
                                      std::uintptr_t stack) {
    ThreadAnnotations* const here = state.annotations;
    const AnnotationName* const latest = here ? here->recent_at(text) : nullptr;
    if (latest && latest->interface == interface && latest->role == role && text &&
        std::strncmp(latest->text, text, longest_annotation) == 0 &&
        is_same(latest->detail, detail ? detail : ""))
        return latest;
    const Wanted wanted{interface, role, bounded(text), detail ? detail : ""};
    if (const AnnotationName* const known = names.find(wanted.hash(), wanted)) {
        if (here)
            here->recent_at(text) = known;
        return known;
    }
    SlowPath guard(state, stack);  // a signal handler may have annotations, too
    return make_name(wanted, state.arena);
}

void note_value(AnnotationRow& row, double value) {
    count(row.values);
    change(row.sum, [&](double sum) { return sum + value; });
    change(row.smallest, [&](double least) { return std::min(least, value); });
    change(row.largest, [&](double most) { return std::max(most, value); });
}

void note_bytes(AnnotationRow& row, std::int64_t bytes) {
    if (bytes > 0)
        __atomic_fetch_add(&row.bytes, static_cast<std::uint64_t>(bytes), __ATOMIC_RELAXED);
    if (row.role != AnnotationRole::allocation)
        return;
    const std::uint64_t live =
        __atomic_add_fetch(&row.live, static_cast<std::uint64_t>(bytes), __ATOMIC_RELAXED);
    std::uint64_t peak = relaxed(row.peak);
    while (static_cast<std::int64_t>(live) > static_cast<std::int64_t>(peak) &&
           !__atomic_compare_exchange_n(&row.peak, &peak, live, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

void forget_annotation_names() {
    names.clear();
    alike.clear();
    names_known = 0;
}

}  // namespace vftrace
