// The loops of a function in one of its profiles: what they depend on and what they call.
#include "taint/runtime/instance_text.hpp"

#include <cstdio>
#include <cstring>

#include "taint/runtime/parameters.hpp"

namespace vftrace::taint {
namespace {

bool has_something(const Entry& entry, int loop) {
    for (const SiteSet& site : entry.sets)
        for (int of_site = entry.record->sites[site.site].loop; of_site >= 0;
             of_site = entry.record->loops[of_site].parent)
            if (of_site == loop)
                return true;
    return false;
}

int loop_of(const Entry& entry, const SlotEntry& call) {
    return static_cast<std::int32_t>(call.slot) < entry.record->slot_count
               ? entry.record->slots[call.slot]
               : -1;
}

// Whether there are calls in the loop, or in loops inside it.
bool has_calls(const Profile& profile, int loop) {
    for (const Entry* entry : profile.entries)
        for (const SlotEntry& call : entry->calls)
            for (int each = loop_of(*entry, call); each >= 0;
                 each = entry->record->loops[each].parent)
                if (each == loop)
                    return true;
    return false;
}

// Writes, of the sets of all exits of the loop, those that no other set contains.
void write_sets(JsonText& text, const Entry& entry, int loop) {
    Array<Parameters> sets;
    for (const SiteSet& site : entry.sets)
        if (const SiteRecord& of_site = entry.record->sites[site.site];
            of_site.loop == loop && of_site.branch < 0)
            sets.add(site.set);
    bool first = true;
    for (std::size_t i = 0; i < sets.size; ++i) {
        bool held = false;
        for (std::size_t j = 0; j < sets.size; ++j)
            held = held || (i != j && (sets[i] & ~sets[j]) == 0 && (sets[i] != sets[j] || j < i));
        if (held)
            continue;
        if (first)
            text.key("params").add("[");
        first = false;
        text.separate();
        write_parameters(text, sets[i]);
    }
    if (!first)
        text.add("]");
}

void write_branches(JsonText& text, const Entry& entry, int loop) {
    bool first = true;
    for (std::int32_t site = 0; site < entry.record->site_count; ++site) {
        const SiteRecord& of_site = entry.record->sites[site];
        Parameters set = 0;
        for (const SiteSet& each : entry.sets)
            if (each.site == static_cast<std::uint32_t>(site))
                set |= each.set;
        if (of_site.loop != loop || of_site.branch < 0 || set == 0)
            continue;
        if (first)
            text.key("branches").add("{");
        first = false;
        char key[16];
        std::snprintf(key, sizeof key, "%d", of_site.branch);
        text.key(key);
        write_parameters(text, set);
    }
    if (!first)
        text.add("}");
}

}  // namespace

void write_parameters(JsonText& text, Parameters set) {
    text.add("[");
    for (std::size_t i = 0; i < 64; ++i)
        if ((set >> i & 1) != 0)
            text.separate().add_string(parameter_name(i));
    text.add("]");
}

void InstanceText::write_loops(JsonText& text, const Entry& entry, int parent,
                               const Profile* profile) const {
    const FunctionRecord& record = *entry.record;
    int of_number_written = -1;
    for (int number = 0; number < record.loop_count; ++number) {
        for (int loop = 0; loop < record.loop_count; ++loop) {
            if (record.loops[loop].parent != parent || record.loops[loop].number != number ||
                of_number_written == number)
                continue;
            // Perf-taint's loops are those of the source.
            if (compatible_ && record.loops[loop].kind != loop_of_source)
                continue;
            of_number_written = number;
            if (!has_something(entry, loop) &&
                !(profile && !compatible_ && has_calls(*profile, loop)))
                continue;
            char key[16];
            std::snprintf(key, sizeof key, "%d", number);
            text.key(key).add("{").key("level").add_number(
                static_cast<std::uint64_t>(record.loops[loop].level));
            write_sets(text, entry, loop);
            write_branches(text, entry, loop);
            write_inner(text, entry, loop, profile);
            if (!compatible_)
                text.key("line").add_number(static_cast<std::uint64_t>(record.loops[loop].line));
            if (record.loops[loop].kind != loop_of_source)
                text.key("kind").add_string(
                    record.loops[loop].kind == loop_of_library ? "library" : "recursion");
            if (profile)
                write_calls(text, *profile, loop);
            text.add("}");
        }
    }
}

void InstanceText::write_inner(JsonText& text, const Entry& entry, int loop,
                               const Profile* profile) const {
    const std::size_t before = text.size();
    text.key("loops").add("{");
    const std::size_t empty = text.size();
    write_loops(text, entry, loop, profile);
    if (text.size() == empty)
        text.cut(before);
    else
        text.add("}");
}

void InstanceText::write_calls(JsonText& text, const Profile& profile, int loop) const {
    std::int32_t last = -1;
    bool first = true;
    for (;;) {
        std::int32_t slot = -1;
        for (const Entry* entry : profile.entries)
            for (const SlotEntry& call : entry->calls)
                if (const auto number = static_cast<std::int32_t>(call.slot);
                    loop_of(*entry, call) == loop && call.entry->id != not_in_result &&
                    number > last && (slot < 0 || number < slot))
                    slot = number;
        if (slot < 0)
            break;
        last = slot;
        if (first)
            text.key("calls").add("{");
        first = false;
        char key[16];
        std::snprintf(key, sizeof key, "%d", slot);
        text.key(key).add("[");
        Array<SlotEntry> written;
        for (const Entry* entry : profile.entries)
            for (const SlotEntry& call : entry->calls)
                if (static_cast<std::int32_t>(call.slot) == slot && call.entry->id != not_in_result)
                    write_call(text, call, written);
        text.add("]");
    }
    if (!first)
        text.add("}");
}

void InstanceText::write_call(JsonText& text, const SlotEntry& call,
                              Array<SlotEntry>& written) const {
    const auto& function = *static_cast<const Function*>(call.entry->record->function);
    for (const SlotEntry& each : written)
        if (each.entry->record->function == &function && each.entry->id == call.entry->id)
            return;
    written.add(call);
    text.separate().add("{").key("function_idx").add_number(index_of_number_[function.number]);
    text.key("entry_id").add_number(call.entry->id).add("}");
}

}  // namespace vftrace::taint
