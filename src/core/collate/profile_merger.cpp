#include "collate/profile_merger.hpp"
#include "collate/formula_metrics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/text_hash.hpp"
#include "collate/notice_message.hpp"
#include "collate/region_energy.hpp"
#include "collate/row_codec.hpp"
#include "profile/counter_metrics.hpp"
#include "record/reduction.hpp"

namespace vftrace {

void add(FilteredFunction& sum, const FilteredFunction& value) {
    add_figures(sum, value);
    // Functions that have paths in one profile, but not in another, do not have paths in the sum.
    const bool lost = sum.reason == FilterReason::sampled && value.reason != FilterReason::sampled;
    const bool first =
        value.moment_ns >= 0 && (sum.moment_ns < 0 || value.moment_ns < sum.moment_ns);
    if (first)
        sum.moment_ns = value.moment_ns;
    if (lost || (first && value.reason != FilterReason::sampled))
        sum.reason = value.reason;
    sum.still_called |= value.still_called;
}

static void add(RankSpread& sum, const RankSpread& value) {
    sum.ranks += value.ranks;
    if (std::tie(value.min_ns, value.min_rank) < std::tie(sum.min_ns, sum.min_rank)) {
        sum.min_ns = value.min_ns;
        sum.min_rank = value.min_rank;
    }
    if (value.max_ns > sum.max_ns ||
        (value.max_ns == sum.max_ns && value.max_rank < sum.max_rank)) {
        sum.max_ns = value.max_ns;
        sum.max_rank = value.max_rank;
    }
}

namespace {

// Two numbers as a hash that identifies them completely.
std::uint64_t pair_hash(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

bool always(std::uint32_t) { return true; }

// Of the other notices, a profile has at most one of each kind.
bool can_be_left_out(const Notice& notice) { return kind_of(notice).merging != NoticeMerging::add; }

}  // namespace

ProfileMerger::Added ProfileMerger::add(std::span<const char> message,
                                        std::vector<std::uint32_t>& path_of) {
    ByteReader in(message);
    MessageHeader header = read_header(in);
    if (!header.valid)
        return {};
    add_run(in);
    add_functions(in);
    add_filtered(in);
    add_paths(in, path_of);
    add_message_sizes(in);
    add_metrics(in, path_of);
    lists_.add(in,
               {path_of, function_of_, metric_of_, message_modules_.size(),
                [this](std::size_t module) { return module_index(message_modules_[module]); }},
               profile_);
    return {in.complete(), header.need_stids};
}

std::vector<char> ProfileMerger::encode(bool need_stids) const {
    return encode_profile(profile_, details_, 0, need_stids);
}

void ProfileMerger::add_run(ByteReader& in) {
    RunInfo& run = profile_.run;
    run.threads = std::max(run.threads, in.number32());
    add_saturating(run.memory_bytes, in.number());
    run.uses_mpi |= in.byte() != 0;
    for (auto time : processor_times)
        if (const std::int64_t ns = in.signed_number(); ns >= 0) {
            run.*time = std::max<std::int64_t>(run.*time, 0);
            add_saturating(run.*time, ns);
        }
    add_visible_gpus(in.text());
    add_parameters(in);
    for (std::uint32_t n = in.count(least_overhead_item); n > 0 && !in.failed(); n--)
        add_overhead(read_overhead_item(in));
    for (std::uint32_t n = in.count(least_notice); n > 0; n--) {
        Notice notice = read_notice(in);
        if (in.failed())
            return;
        merge_notice(std::move(notice));
    }
}

void ProfileMerger::add_visible_gpus(std::string_view visible) {
    std::string& known = profile_.run.visible_gpus;
    if (known.empty())
        known = visible;
    else if (!visible.empty() && known != visible)
        known = "not the same on all ranks";
}

void ProfileMerger::add_parameters(ByteReader& in) {
    for (std::uint32_t n = in.count(least_parameter); n > 0 && !in.failed(); n--) {
        std::string name(in.text());
        const double value = in.real();
        const RunParameter* known = add_parameter(profile_.run.parameters, {name, value});
        if (known && known->value != value)
            note_ambiguous(name);
    }
    for (std::uint32_t n = in.count(least_text); n > 0; n--)
        note_ambiguous(in.text());
}

void ProfileMerger::note_ambiguous(std::string_view parameter) {
    std::vector<std::string>& names = details_.ambiguous_parameters;
    if (std::find(names.begin(), names.end(), parameter) == names.end())
        names.emplace_back(parameter);
}

void ProfileMerger::add_overhead(OverheadItem value) {
    for (OverheadItem& item : profile_.run.overhead)
        if (same_overhead(item, value))
            return add_saturating(item.ns, value.ns);
    profile_.run.overhead.push_back(std::move(value));
}

void ProfileMerger::merge_notice(Notice value) {
    std::vector<Notice>& notices = profile_.run.notices;
    for (Notice& known : notices)
        if (say_the_same(known, value)) {
            known.ranks += value.ranks;
            known.first_rank = std::min(known.first_rank, value.first_rank);
            return add_numbers(known, value);
        }
    const auto others = std::count_if(notices.begin(), notices.end(), can_be_left_out);
    if (can_be_left_out(value) && others >= most_notices)
        return merge_notice({NoticeCode::notices_left_out, {value.ranks}});
    add_notice(notices, std::move(value));
}

void ProfileMerger::add_functions(ByteReader& in) {
    std::vector<Module>& modules = message_modules_;
    modules.assign(in.count(least_module), {});
    for (Module& module : modules) {
        module.path = in.text();
        module.build_id = in.text();
    }
    std::vector<std::string_view> files(in.count(least_text));
    for (std::string_view& file : files)
        file = in.text();
    function_of_.resize(in.count(least_function));
    for (std::uint32_t& index : function_of_) {
        FunctionRecord record = read_function(in, modules.size(), files.size());
        if (in.failed())
            return;
        index = add_function(record, modules, files);
    }
}

std::uint32_t ProfileMerger::add_function(const FunctionRecord& record,
                                          const std::vector<Module>& modules,
                                          const std::vector<std::string_view>& files) {
    std::vector<Function>& functions = profile_.functions;
    std::uint32_t next = static_cast<std::uint32_t>(functions.size());
    std::uint64_t seed = pair_hash(record.ordinal, static_cast<std::uint32_t>(record.kind));
    std::uint32_t index =
        functions_.find_or_add(text_hash(record.name, seed), next, [&](std::uint32_t i) {
            return functions[i].kind == record.kind &&
                   functions[i].other_kind == record.other_kind &&
                   details_.ordinals[i] == record.ordinal && functions[i].name == record.name;
        });
    if (index < next)
        return index;
    Function& function = functions.emplace_back();
    function.symbol = record.symbol;
    function.name = record.name;
    function.demangled = record.demangled;
    function.display = record.display;
    if (record.file != no_index)
        function.file = files[record.file];
    function.line = record.line;
    if (record.module != no_index)
        function.module = module_index(modules[record.module]);
    function.offset = record.offset;
    function.kind = record.kind;
    function.other_kind = record.other_kind;
    details_.ordinals.push_back(record.ordinal);
    return index;
}

// Modules whose functions are all known from other ranks are left out.
std::uint32_t ProfileMerger::module_index(const Module& module) {
    std::vector<Module>& modules = profile_.modules;
    std::uint32_t next = static_cast<std::uint32_t>(modules.size());
    std::uint32_t index = modules_.find_or_add(text_hash(module.path), next, [&](std::uint32_t i) {
        return modules[i].path == module.path && modules[i].build_id == module.build_id;
    });
    if (index == next)
        modules.push_back(module);
    return index;
}

void ProfileMerger::add_paths(ByteReader& in, std::vector<std::uint32_t>& path_of) {
    path_of.resize(in.count(least_path));
    for (std::uint32_t i = 0; i < path_of.size(); i++) {
        PathRecord record = read_path(in, i, function_of_.size());
        if (in.failed())
            return;
        record.path.function = function_of_[record.path.function];
        if (i > 0)
            record.path.parent = path_of[record.path.parent];
        const bool filtered = i > 0 && has_no_paths(record.path.function);
        path_of[i] = filtered ? fold_into_caller(record) : add_path(record);
        if (!filtered && (i == 0) != (path_of[i] == 0))
            return in.fail();  // there is only one root
    }
}

// Measurements of a filtered function belong to its caller.
std::uint32_t ProfileMerger::fold_into_caller(const PathRecord& record) {
    const Path& value = record.path;
    Path& caller = profile_.paths[value.parent];
    FilteredFunction own;
    own.calls = value.calls;
    own.exclusive_ns = value.exclusive_ns;
    own.overhead_ns = value.overhead_ns;
    vftrace::add(profile_.filtered[filtered_of_[value.function]], own);
    for (auto time : {&Path::exclusive_ns, &Path::kernel_ns, &Path::raw_exclusive_ns,
                      &Path::exclusive_error_ns})
        add_saturating(caller.*time, value.*time);
    // How much of both each rank had is not known: assume that the extremes are on the same ranks.
    RankSpread& spread = profile_.spread[value.parent];
    add_saturating(spread.min_ns, record.spread.min_ns);
    add_saturating(spread.max_ns, record.spread.max_ns);
    return value.parent;
}

std::uint32_t ProfileMerger::add_path(const PathRecord& record) {
    const Path& value = record.path;
    std::vector<Path>& paths = profile_.paths;
    std::uint32_t next = static_cast<std::uint32_t>(paths.size());
    std::uint32_t index = paths_.find_or_add(pair_hash(value.parent, value.function), next, always);
    if (index == next) {
        paths.push_back(value);
        profile_.spread.push_back(record.spread);
        return index;
    }
    Path& sum = paths[index];
    sum.flags |= value.flags;
    add_figures(sum, value);
    vftrace::add(profile_.spread[index], record.spread);
    return index;
}

void ProfileMerger::add_message_sizes(ByteReader& in) {
    for (std::uint32_t n = in.count(least_size_bin); n > 0 && !in.failed(); n--) {
        SizeBin& bin = profile_.message_sizes[in.index(size_bins)];
        SizeBin value;
        read_figures(in, value);
        add_figures(bin, value);
    }
}

void ProfileMerger::add_metrics(ByteReader& in, const std::vector<std::uint32_t>& path_of) {
    metric_of_.resize(in.count(least_metric));
    for (std::uint32_t& index : metric_of_) {
        Metric metric = read_metric(in);
        if (in.failed())
            return;
        index = metric_index(metric);
    }
    for (std::uint32_t n = in.count(least_metric_value); n > 0; n--) {
        std::uint32_t path = in.index(path_of.size());
        std::uint32_t metric = in.index(metric_of_.size());
        std::uint32_t ranks = in.number32();
        double value = in.real();
        if (in.failed())
            return;
        add_metric_value({path_of[path], metric_of_[metric], value}, ranks);
    }
}

// There are few metrics, so they are searched one by one.
std::uint32_t ProfileMerger::metric_index(const Metric& metric) {
    std::vector<Metric>& metrics = profile_.metrics;
    std::uint32_t index = 0;
    for (; index < metrics.size(); index++)
        if (metrics[index].name == metric.name && metrics[index].unit == metric.unit &&
            metrics[index].reduction == metric.reduction && metrics[index].scope == metric.scope)
            return index;
    metrics.push_back(metric);
    return index;
}

void ProfileMerger::add_metric_value(const MetricValue& value, std::uint32_t ranks) {
    std::vector<MetricValue>& values = profile_.metric_values;
    std::uint32_t next = static_cast<std::uint32_t>(values.size());
    std::uint32_t index =
        metric_values_.find_or_add(pair_hash(value.path, value.metric), next, always);
    if (index == next) {
        values.push_back(value);
        details_.metric_ranks.push_back(ranks);
        return;
    }
    details_.metric_ranks[index] += ranks;
    double& merged = values[index].value;
    merged = together(merged, value.value, profile_.metrics[value.metric].reduction);
}

void ProfileMerger::add_filtered(ByteReader& in) {
    filtered_of_.resize(profile_.functions.size(), no_index);
    for (std::uint32_t n = in.count(least_filtered); n > 0; n--) {
        FilteredFunction value = read_filtered(in, function_of_.size());
        if (in.failed())
            return;
        value.function = function_of_[value.function];
        std::uint32_t& index = filtered_of_[value.function];
        if (index == no_index) {
            index = static_cast<std::uint32_t>(profile_.filtered.size());
            profile_.filtered.push_back(value);
        } else {
            vftrace::add(profile_.filtered[index], value);
        }
    }
}

bool ProfileMerger::has_no_paths(std::uint32_t function) const {
    return function < filtered_of_.size() && filtered_of_[function] != no_index &&
           profile_.filtered[filtered_of_[function]].reason != FilterReason::sampled;
}

bool ProfileMerger::has_filtered_paths() const {
    for (const Path& path : profile_.paths)
        if (has_no_paths(path.function))
            return true;
    return false;
}

std::vector<std::uint32_t> ProfileMerger::fold_filtered() {
    std::vector<std::uint32_t> path_of;
    if (has_filtered_paths()) {
        const std::vector<char> message = encode(false);
        *this = ProfileMerger();
        add(message, path_of);
    } else {
        path_of.resize(profile_.paths.size());
        std::iota(path_of.begin(), path_of.end(), 0u);
    }
    return path_of;
}

Profile ProfileMerger::finish(const RunInfo& lowest_rank, std::uint32_t ranks) {
    for (const std::string& parameter : details_.ambiguous_parameters)
        merge_notice({NoticeCode::parameter_differs_on_ranks, {parameter}, ranks});
    finish_merge(profile_, details_, ranks);
    RunInfo run = lowest_rank;
    run.ranks = ranks;
    run.threads = profile_.run.threads;
    run.memory_bytes = profile_.run.memory_bytes;
    run.uses_mpi = profile_.run.uses_mpi;
    for (auto time : processor_times)
        run.*time = profile_.run.*time;
    run.visible_gpus = std::move(profile_.run.visible_gpus);
    run.parameters = std::move(profile_.run.parameters);
    run.overhead = std::move(profile_.run.overhead);
    run.notices = std::move(profile_.run.notices);
    profile_.run = std::move(run);
    find_metrics_of_counters(profile_);
    compute_formula_metrics(profile_);
    estimate_energy_of_paths(profile_);
    Profile whole = std::move(profile_);
    *this = ProfileMerger();
    return whole;
}

}  // namespace vftrace
