#include "regions/region_progress.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/relaxed.hpp"
#include "guest/frame_address.hpp"
#include "tree/call_tree.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

std::uint64_t units_of_work, units_done;  // 0 units: none was begun

struct ProgressFigures {
    std::uint64_t progress;  // double, in per cent
};
constexpr SideFigures<ProgressFigures> figures{{{{MetricId::region_progress, 0, SideValue::real}}}};

const Node* innermost_region(const ThreadState& state) {
    const Node* node = state.top ? state.top->node : nullptr;
    while (node && node->kind != NodeKind::region)
        node = node->kind == NodeKind::graft ? nullptr : node->parent;  // that of another thread
    return node;
}

}  // namespace

void set_work_units(std::uint64_t units, bool first) {
    if (first)
        __atomic_store_n(&units_done, 0, __ATOMIC_RELAXED);
    set_shared(units_of_work, units);
}

void add_done_unit() {
    __atomic_fetch_add(&units_done, 1, __ATOMIC_RELAXED);
    note_progress();
}

void set_progress(double part) {
    if (!std::isfinite(part))
        return;
    const std::uintptr_t stack = frame_address();
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    SlowPath guard(*state, stack);
    const Node* region = innermost_region(*state);
    ProgressFigures* row = region ? figures.of(*state, region) : nullptr;
    if (!row)
        return;
    const double percent = 100 * std::clamp(part, 0.0, 1.0);
    set_shared(row->progress, std::bit_cast<std::uint64_t>(
                                  std::max(std::bit_cast<double>(row->progress), percent)));
}

void note_progress() {
    if (const std::uint64_t units = relaxed(units_of_work))
        set_progress(static_cast<double>(relaxed(units_done)) / static_cast<double>(units));
}

}  // namespace vftrace
