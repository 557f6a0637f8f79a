#include "collate/heap_sites.hpp"

#include <algorithm>
#include <type_traits>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "record/function_place.hpp"
#include "symbol/source_lines.hpp"

namespace vftrace {
namespace {

void add_figures(HeapFigures& sum, const HeapFigures& other) {
    for_each_heap_figure([&](MetricId, auto figure) {
        const auto value = relaxed(other.*figure);
        if constexpr (std::is_same_v<decltype(value), const double>)
            sum.*figure += value;
        else
            add_saturating(sum.*figure, value);
    });
}

}  // namespace

void HeapSitesSum::add(const NodePaths::Thread& thread) {
    for (const HeapSite* site = __atomic_load_n(&thread.record->heap.first, __ATOMIC_ACQUIRE); site;
         site = __atomic_load_n(&site->next_created, __ATOMIC_ACQUIRE)) {
        const std::uint32_t number = site->node->number;
        const std::uint32_t path =
            number < thread.path_of.size() ? thread.path_of[number] : no_index;
        if (path == no_index || relaxed(site->figures.samples) == 0)
            continue;
        HeapFigures figures{};
        add_figures(figures, site->figures);
        add_figures(of_path_[path], figures);
        HeapSiteRow row;
        row.path = path;
        const std::uintptr_t pc = relaxed(site->pc);
        const FunctionPlace place = place_of_address(pc & ~retired_bit, site->module, modules_);
        if (pc != 0 && place.module != no_module) {
            row.module = functions_.module_index(place.module);
            row.offset = place.offset;
        }
        row.allocated = figures.allocated;
        row.calls = figures.calls;
        row.live = figures.live;
        row.at_peak = figures.at_peak;
        profile_.heap_sites.push_back(std::move(row));
    }
}

void HeapSitesSum::finish() {
    sort_and_unite(profile_.heap_sites);
    if (profile_.heap_sites.empty())
        return;
    for_each_heap_figure([&](MetricId id, auto figure) {
        const std::uint32_t metric = metric_index(profile_, described_metric(id, 0));
        for (std::uint32_t path = 0; path < of_path_.size(); path++)
            if (of_path_[path].samples > 0)
                profile_.metric_values.push_back(
                    {path, metric, static_cast<double>(of_path_[path].*figure)});
    });
    sort_values_of_paths(profile_);
}

void look_up_heap_lines(Profile& profile, CodeFiles& files) {
    constexpr std::size_t most = 1000;
    std::vector<HeapSiteRow*> rows;
    for (HeapSiteRow& row : profile.heap_sites)
        if (row.module != no_index)
            rows.push_back(&row);
    const auto size = [](const HeapSiteRow* row) {
        return std::max({row->at_peak, row->live, row->allocated});
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto* a, const auto* b) { return size(a) > size(b); });
    rows.resize(std::min(rows.size(), most));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto* a, const auto* b) { return a->module < b->module; });
    for (auto begin = rows.begin(); begin != rows.end();) {
        const Module& module = profile.modules[(*begin)->module];
        const auto end = std::find_if(
            begin, rows.end(), [&](const auto* row) { return row->module != (*begin)->module; });
        std::vector<std::uint64_t> offsets;
        for (auto row = begin; row != end; ++row)
            offsets.push_back((*row)->offset);
        std::vector<SourceLine> lines =
            lookup_function_lines(files.path(module.path, module.build_id), offsets);
        for (std::size_t i = 0; i < lines.size(); i++) {
            begin[static_cast<std::ptrdiff_t>(i)]->file = std::move(lines[i].file);
            begin[static_cast<std::ptrdiff_t>(i)]->line = lines[i].line;
        }
        begin = end;
    }
}

}  // namespace vftrace
