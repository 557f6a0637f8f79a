#include "sections/earlier_sums.hpp"

#include <cstring>

#include "base/fnv.hpp"

namespace vftrace {

EarlierSums::EarlierSums(std::span<const EarlierSectionRecord> sections) {
    IndexTable by_id;
    for (std::uint32_t i = 0; i < sections.size(); i++)
        by_id.find_or_add(sections[i].id, i, [&](std::uint32_t other) {
            return sections[other].id == sections[i].id;
        });
    const auto around = [&](const EarlierSectionRecord& section) -> const EarlierSectionRecord* {
        const std::uint32_t index = by_id.find(section.parent, [&](std::uint32_t other) {
            return sections[other].id == section.parent;
        });
        return section.id == 0 || index == IndexTable::none ? nullptr : &sections[index];
    };
    std::vector<Sum*> counted;  // sums that were already met on the way up
    for (const EarlierSectionRecord& section : sections)
        if (section.id != 0)
            sum_of(section);  // creates all sums before pointers to them are kept
    for (const EarlierSectionRecord& section : sections) {
        Sum& own = section.id == 0 ? root_ : sum_of(section);
        own.calls += section.calls;
        own.self_ns += section.self_ns;
        own.self_memory += section.self_memory;
        counted.clear();
        // Recursion counts once in the total of a section.
        const EarlierSectionRecord* at = &section;
        for (std::size_t steps = 0; at && steps <= sections.size(); steps++, at = around(*at)) {
            Sum& sum = at->id == 0 ? root_ : sum_of(*at);
            bool is_counted = false;
            for (const Sum* other : counted)
                is_counted |= other == &sum;
            if (is_counted)
                continue;
            counted.push_back(&sum);
            sum.total_ns += section.self_ns;
            sum.total_memory += section.self_memory;
        }
    }
}

EarlierSums::Sum& EarlierSums::sum_of(const EarlierSectionRecord& section) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const std::uint32_t index =
        by_name_.find_or_add(fnv1a(section.name), next, [&](std::uint32_t other) {
            return std::strcmp(names_[other], section.name) == 0;
        });
    if (index == next) {
        names_.push_back(section.name);
        sums_.emplace_back();
    }
    return sums_[index];
}

EarlierFigures EarlierSums::of(const char* name, std::uint32_t rank, std::uint32_t ranks) const {
    const std::uint32_t index = by_name_.find(
        fnv1a(name), [&](std::uint32_t other) { return std::strcmp(names_[other], name) == 0; });
    return share_of(index == IndexTable::none ? Sum{} : sums_[index], rank, ranks);
}

EarlierFigures EarlierSums::of_root(std::uint32_t rank, std::uint32_t ranks) const {
    return share_of(root_, rank, ranks);
}

EarlierFigures EarlierSums::share_of(const Sum& sum, std::uint32_t rank, std::uint32_t ranks) {
    const double part = 1.0 / ranks, seconds = 1e-9 * part;
    return {.times = {.self = static_cast<double>(sum.self_ns) * seconds,
                      .total = static_cast<double>(sum.total_ns) * seconds,
                      .calls = share_of_rank(sum.calls, rank, ranks)},
            .memory = {.self = static_cast<double>(sum.self_memory) * part,
                       .total = static_cast<double>(sum.total_memory) * part,
                       .calls = 0}};
}

bool is_earlier_section(std::span<const EarlierSectionRecord> sections, const char* name) {
    for (const EarlierSectionRecord& section : sections)
        if (section.id != 0 && std::strcmp(section.name, name) == 0)
            return true;
    return false;
}

}  // namespace vftrace
