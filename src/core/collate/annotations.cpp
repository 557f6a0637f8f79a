#include "collate/annotations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/relaxed.hpp"
#include "collate/unite.hpp"
#include "profile/annotations.hpp"

namespace vftrace {
namespace {

Annotation annotation_of(const AnnotationRow& row) {
    Annotation annotation;
    annotation.interface = row.interface;
    annotation.role = row.role;
    annotation.name = row.name;
    annotation.detail = row.detail;
    annotation.events = relaxed(row.events);
    annotation.merged = relaxed(row.merged);
    annotation.unmatched = relaxed(row.unmatched);
    annotation.crossed = relaxed(row.crossed);
    annotation.bytes = relaxed(row.bytes);
    annotation.live = static_cast<std::int64_t>(relaxed(row.live));
    annotation.peak = static_cast<std::int64_t>(relaxed(row.peak));
    annotation.values = relaxed(row.values);
    // In a damaged file, or between two of the figures, they may be anything.
    const auto number = [&](const std::uint64_t& bits) {
        const auto value = std::bit_cast<double>(relaxed(bits));
        return annotation.values > 0 && std::isfinite(value) ? value : 0;
    };
    annotation.sum = number(row.sum);
    annotation.smallest = number(row.smallest);
    annotation.largest = number(row.largest);
    return annotation;
}

bool is_kernel(AnnotationRole role) {
    return role == AnnotationRole::parallel_for || role == AnnotationRole::parallel_reduce ||
           role == AnnotationRole::parallel_scan;
}

}  // namespace

void collect_annotations(Profile& profile, const ProcessRecord& process) {
    std::vector<std::string_view> kernels;
    const AnnotationRow* row = __atomic_load_n(&process.annotations, __ATOMIC_ACQUIRE);
    for (; row; row = row->next) {
        profile.annotations.push_back(annotation_of(*row));
        if (is_kernel(row->role))
            kernels.emplace_back(row->name);
    }
    sort_and_unite(profile.annotations);
    std::sort(kernels.begin(), kernels.end());
    for (Function& function : profile.functions)
        if (function.kind == NodeKind::region &&
            std::binary_search(kernels.begin(), kernels.end(), function.name))
            if (std::string readable = readable_kernel(function.name); readable != function.name)
                function.display = function.demangled = std::move(readable);
}

}  // namespace vftrace
