#include "collate/path_addresses.hpp"

#include <algorithm>
#include <tuple>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "record/function_place.hpp"

namespace vftrace {

void PathAddressesSum::add(const NodePaths::Thread& thread) {
    const ThreadAddresses& addresses = thread.record->addresses;
    add_saturating(left_out_, relaxed(addresses.left_out));
    for (const AddressRow* row = __atomic_load_n(&addresses.first, __ATOMIC_ACQUIRE); row;
         row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE)) {
        const std::uint32_t number = row->node->number;
        const std::uint64_t samples = relaxed(row->samples);
        if (number >= thread.path_of.size() || samples == 0)
            continue;
        const std::uint32_t path = thread.path_of[number];
        if (path == no_index)
            continue;
        const std::uintptr_t pc = __atomic_load_n(&row->pc, __ATOMIC_RELAXED);
        const FunctionPlace place = place_of_address(pc & ~retired_bit, row->module, modules_);
        const std::uint32_t module =
            place.module == no_module ? no_index : functions_.module_index(place.module);
        addresses_.push_back({path, module, place.offset, samples, relaxed(row->ticks)});
    }
}

void PathAddressesSum::finish(double ns_per_tick) {
    std::sort(addresses_.begin(), addresses_.end(), [](const Address& a, const Address& b) {
        return std::tie(a.path, a.module, a.offset) < std::tie(b.path, b.module, b.offset);
    });
    for (auto begin = addresses_.begin(); begin != addresses_.end();) {
        PathAddresses& row = profile_.addresses.emplace_back();
        row.path = begin->path;
        row.module = begin->module;
        std::uint64_t ticks = 0;
        for (; begin != addresses_.end() && begin->path == row.path && begin->module == row.module;
             ++begin) {
            row.addresses.push_back({begin->offset, begin->samples});
            add_saturating(ticks, begin->ticks);
        }
        sort_and_add_up(row.addresses);
        row.time_ns = saturated_ns(static_cast<double>(ticks), ns_per_tick);
    }
    note_count(profile_.run.notices, NoticeCode::addresses_left_out, left_out_);
}

}  // namespace vftrace
