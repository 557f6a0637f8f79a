#include "profile/earlier_sections.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/fnv.hpp"
#include "profile/section_tree.hpp"

namespace vftrace {

std::uint64_t earlier_section_id(std::uint64_t parent, std::string_view name) {
    constexpr unsigned bits_of_double = 53, bits = 64;
    std::uint64_t hash = fnv_basis;
    for (unsigned shift = 0; shift < bits; shift += 8)
        hash = fnv1a(hash, parent >> shift & 255);
    for (const char c : name)
        hash = fnv1a(hash, static_cast<unsigned char>(c));
    return std::max<std::uint64_t>(hash >> (bits - bits_of_double), 1);
}

std::vector<EarlierSection> sections_for_later_runs(const Profile& profile) {
    const std::vector<SectionNode> tree = section_tree(profile);
    const bool one_rank = profile.ranks.size() < 2;
    std::vector<EarlierSection> sections;
    std::vector<std::uint64_t> id_of;  // by index in the tree
    for (const SectionNode& node : tree) {
        EarlierSection section;
        if (node.depth > 0) {
            section.parent = id_of[node.parent];
            section.id = earlier_section_id(section.parent, node.name);
        }
        id_of.push_back(section.id);
        section.name = node.name;
        section.level = node.level;
        section.place = static_cast<std::uint32_t>(sections.size());
        section.calls = node.calls;
        section.self_ns = node.self_ns;
        section.self_memory = std::llround(node.self_memory);
        section.longest_self_ns = one_rank ? node.self_ns : std::llround(node.longest_self_ns);
        section.longest_total_ns = one_rank ? node.total_ns : std::llround(node.longest_total_ns);
        sections.push_back(std::move(section));
    }
    std::sort(sections.begin(), sections.end(),
              [](const EarlierSection& a, const EarlierSection& b) { return a.id < b.id; });
    // Two sections with the same id are improbable; one of them is then left out.
    sections.erase(
        std::unique(sections.begin(), sections.end(),
                    [](const EarlierSection& a, const EarlierSection& b) { return a.id == b.id; }),
        sections.end());
    return sections;
}

}  // namespace vftrace
