#include "collate/merge_details.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/text_hash.hpp"
#include "collate/list_collation.hpp"
#include "record/openacc_events.hpp"

namespace vftrace {
namespace {

// For CUDA, CUPTI's numbers, because one rank may launch a kernel through a different function than
// the others. For OpenACC, the place, as far as it is not in the name.
std::uint32_t gpu_ordinal(const Function& function) {
    if (is_openacc(function.offset))
        return static_cast<std::uint32_t>(text_hash(function.symbol, text_hash(function.file)));
    return static_cast<std::uint32_t>(function.offset >> 32) << 28 ^
           static_cast<std::uint32_t>(function.offset);
}

std::vector<std::uint32_t> ordinals_of(const Profile& profile) {
    const std::vector<Function>& functions = profile.functions;
    std::vector<std::uint32_t> order(functions.size());
    std::iota(order.begin(), order.end(), 0u);
    auto same_name = [&](const Function& a, const Function& b) {
        return a.kind == b.kind && a.name == b.name;
    };
    auto module_path = [&](const Function& function) -> std::string_view {
        return function.module == no_index ? std::string_view{}
                                           : profile.modules[function.module].path;
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
        const Function &a = functions[i], &b = functions[j];
        if (a.kind != b.kind)
            return a.kind < b.kind;
        if (int names = a.name.compare(b.name))
            return names < 0;
        if (int modules = module_path(a).compare(module_path(b)))
            return modules < 0;
        return a.offset != b.offset ? a.offset < b.offset : i < j;
    });
    std::vector<std::uint32_t> ordinals(functions.size(), 0);
    for (std::size_t i = 1; i < order.size(); i++)
        if (same_name(functions[order[i - 1]], functions[order[i]]))
            ordinals[order[i]] = ordinals[order[i - 1]] + 1;
    for (std::size_t i = 0; i < functions.size(); i++)
        if (functions[i].kind == NodeKind::gpu)
            ordinals[i] = gpu_ordinal(functions[i]);
    return ordinals;
}

void take_means(Profile& profile, const MergeDetails& details) {
    for (std::size_t i = 0; i < profile.metric_values.size(); i++) {
        MetricValue& value = profile.metric_values[i];
        if (profile.metrics[value.metric].reduction == Reduction::mean)
            value.value /= details.metric_ranks[i];
    }
}

void clear_ranks_of_notices(std::vector<Notice>& notices, std::uint32_t ranks) {
    for (Notice& notice : notices)
        if (notice.ranks >= ranks || kind_of(notice).merging == NoticeMerging::add)
            notice.ranks = notice.first_rank = 0;
}

}  // namespace

MergeDetails details_of(const Profile& own) {
    MergeDetails details;
    details.ordinals = ordinals_of(own);
    details.metric_ranks.assign(own.metric_values.size(), 1);
    return details;
}

void note_missing_ranks(RunInfo& run, const std::vector<std::uint32_t>& ranks_here,
                        NoticeCode code) {
    constexpr std::size_t most_named = 1000;
    std::vector<std::uint32_t> missing;
    for (std::uint32_t rank = 0; rank < run.ranks && missing.size() < most_named; rank++)
        if (!std::binary_search(ranks_here.begin(), ranks_here.end(), rank))
            missing.push_back(rank);
    if (missing.empty())
        return;
    Notice notice{code, {ranks_here.size(), run.ranks}};
    if (missing.size() < most_named)
        notice.arguments.insert(notice.arguments.end(), missing.begin(), missing.end());
    add_notice(run.notices, std::move(notice));
}

void finish_merge(Profile& profile, const MergeDetails& details, std::uint32_t ranks) {
    take_means(profile, details);  // details.metric_ranks is in the present order
    sort_lists(profile);
    clear_ranks_of_notices(profile.run.notices, ranks);
}

}  // namespace vftrace
