#include "collate/profile_message.hpp"

#include <string>

#include "base/index_table.hpp"
#include "base/text_hash.hpp"
#include "collate/list_collation.hpp"
#include "collate/notice_message.hpp"
#include "collate/row_codec.hpp"

namespace vftrace {
namespace {

constexpr std::string_view signature = "vftrace profile 22";

// Second byte of a function: which fields follow. The first one is its kind.
constexpr std::uint8_t symbol_is_name = 1, display_is_name = 2, has_demangled = 4, has_source = 8,
                       has_ordinal = 16;

// In the last byte of a FilteredFunction, with the reason.
constexpr std::uint8_t still_called = 0x80;

// The source files of all functions, each once.
struct SourceFiles {
    std::vector<const std::string*> names;
    std::vector<std::uint32_t> of_function;  // index into `names`

    explicit SourceFiles(const std::vector<Function>& functions) {
        IndexTable table;
        for (const Function& function : functions) {
            std::uint32_t next = static_cast<std::uint32_t>(names.size());
            std::uint32_t index =
                table.find_or_add(text_hash(function.file), next,
                                  [&](std::uint32_t i) { return *names[i] == function.file; });
            if (index == next)
                names.push_back(&function.file);
            of_function.push_back(index);
        }
    }
};

void write(ByteWriter& out, const Function& function, std::uint32_t ordinal, std::uint32_t file) {
    bool source = !function.file.empty() || function.line != 0;
    out.byte(static_cast<std::uint8_t>(function.kind));
    if (function.kind == NodeKind::other)
        out.text(function.other_kind);
    out.byte(static_cast<std::uint8_t>((function.symbol == function.name ? symbol_is_name : 0) |
                                       (function.display == function.name ? display_is_name : 0) |
                                       (!function.demangled.empty() ? has_demangled : 0) |
                                       (source ? has_source : 0) | (ordinal ? has_ordinal : 0)));
    out.text(function.name);
    if (function.symbol != function.name)
        out.text(function.symbol);
    if (function.display != function.name)
        out.text(function.display);
    if (!function.demangled.empty())
        out.text(function.demangled);
    if (source) {
        out.number(file);
        out.number(function.line);
    }
    if (ordinal)
        out.number(ordinal);
    out.number(function.module == no_index ? 0 : std::uint64_t{function.module} + 1);
    out.number(function.offset);
}

void write(ByteWriter& out, const Path& path, std::uint32_t index, const RankSpread& spread) {
    out.number(index == 0 ? 0 : index - path.parent);
    out.number(path.function);
    out.number(path.flags);
    write_figures(out, path);
    out.number(spread.ranks);
    out.number(spread.min_rank);
    if (spread.ranks == 1)  // its time is the path's
        return;
    out.number(spread.max_rank);
    out.signed_number(spread.min_ns);
    out.signed_number(spread.max_ns);
}

void write(ByteWriter& out, const FilteredFunction& filtered) {
    out.number(filtered.function);
    write_figures(out, filtered);
    out.signed_number(filtered.moment_ns);
    out.byte(static_cast<std::uint8_t>(static_cast<int>(filtered.reason) |
                                       (filtered.still_called ? still_called : 0)));
}

void write_run(ByteWriter& out, const Profile& profile, const MergeDetails& details,
               std::uint32_t rank) {
    const RunInfo& run = profile.run;
    out.number(run.threads);
    out.number(run.memory_bytes);
    out.byte(run.uses_mpi);
    for (auto time : processor_times)
        out.signed_number(run.*time);
    out.text(run.visible_gpus);
    out.number(run.parameters.size());
    for (const RunParameter& parameter : run.parameters) {
        out.text(parameter.name);
        out.real(parameter.value);
    }
    out.number(details.ambiguous_parameters.size());
    for (const std::string& name : details.ambiguous_parameters)
        out.text(name);
    out.number(run.overhead.size());
    for (const OverheadItem& item : run.overhead)
        write(out, item);
    const auto ranks = static_cast<std::uint32_t>(profile.summed_ranks());
    out.number(run.notices.size());
    for (const Notice& notice : run.notices)
        write(out, notice, ranks, rank);
}

void write_functions(ByteWriter& out, const Profile& profile, const MergeDetails& details) {
    out.number(profile.modules.size());
    for (const Module& module : profile.modules) {
        out.text(module.path);
        out.text(module.build_id);
    }
    SourceFiles files(profile.functions);
    out.number(files.names.size());
    for (const std::string* name : files.names)
        out.text(*name);
    out.number(profile.functions.size());
    for (std::size_t i = 0; i < profile.functions.size(); i++)
        write(out, profile.functions[i], details.ordinals[i], files.of_function[i]);
}

void write_message_sizes(ByteWriter& out, const Profile& profile) {
    std::uint32_t bins = 0;
    for (const SizeBin& bin : profile.message_sizes)
        bins += bin.sent || bin.received;
    out.number(bins);
    for (std::size_t i = 0; i < size_bins; i++) {
        const SizeBin& bin = profile.message_sizes[i];
        if (!bin.sent && !bin.received)
            continue;
        out.number(i);
        write_figures(out, bin);
    }
}

void write_metrics(ByteWriter& out, const Profile& profile, const MergeDetails& details) {
    out.number(profile.metrics.size());
    for (const Metric& metric : profile.metrics) {
        out.text(metric.name);
        out.text(metric.unit);
        out.text(metric.title);
        out.text(metric.formula);
        out.byte(static_cast<std::uint8_t>(metric.reduction));
        out.byte(static_cast<std::uint8_t>(metric.scope));
        out.byte(static_cast<std::uint8_t>(metric.part));
    }
    out.number(profile.metric_values.size());
    for (std::size_t i = 0; i < profile.metric_values.size(); i++) {
        const MetricValue& value = profile.metric_values[i];
        out.number(value.path);
        out.number(value.metric);
        out.number(details.metric_ranks[i]);
        out.real(value.value);
    }
}

}  // namespace

std::vector<char> encode_profile(const Profile& profile, const MergeDetails& details,
                                 std::uint32_t rank, bool need_stids) {
    ByteWriter out;
    out.text(signature);
    out.byte(need_stids);
    write_run(out, profile, details, rank);
    write_functions(out, profile, details);
    out.number(profile.filtered.size());
    for (const FilteredFunction& filtered : profile.filtered)
        write(out, filtered);
    out.number(profile.paths.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        RankSpread own{1, rank, rank, path.exclusive_ns, path.exclusive_ns};
        write(out, path, i, profile.spread.empty() ? own : profile.spread[i]);
    }
    write_message_sizes(out, profile);
    write_metrics(out, profile, details);
    write_lists(out, profile);
    return out.take();
}

MessageHeader read_header(ByteReader& in) {
    MessageHeader header;
    bool known = in.text() == signature;
    header.need_stids = in.byte() != 0;
    header.valid = known && !in.failed();
    return header;
}

FunctionRecord read_function(ByteReader& in, std::size_t modules, std::size_t files) {
    FunctionRecord function;
    const std::uint8_t kind = in.byte();
    function.kind = static_cast<NodeKind>(kind);
    if (function.kind == NodeKind::other)
        function.other_kind = in.text();
    else if (!is_node_kind(kind))
        in.fail();
    const std::uint8_t form = in.byte();
    function.name = in.text();
    function.symbol = form & symbol_is_name ? function.name : in.text();
    function.display = form & display_is_name ? function.name : in.text();
    if (form & has_demangled)
        function.demangled = in.text();
    if (form & has_source) {
        function.file = in.index(files);
        function.line = in.number32();
    }
    if (form & has_ordinal)
        function.ordinal = in.number32();
    std::uint64_t module = in.number_up_to(modules);
    function.module = module == 0 ? no_index : static_cast<std::uint32_t>(module - 1);
    function.offset = in.number();
    return function;
}

PathRecord read_path(ByteReader& in, std::uint32_t index, std::size_t functions) {
    PathRecord record;
    Path& path = record.path;
    std::uint32_t distance = static_cast<std::uint32_t>(in.number_up_to(index));
    if ((distance == 0) != (index == 0))
        in.fail();
    path.parent = index == 0 ? no_index : index - distance;
    path.function = in.index(functions);
    path.flags = in.number32();
    read_figures(in, path);
    RankSpread& spread = record.spread;
    spread.ranks = in.number32();
    spread.min_rank = spread.max_rank = in.number32();
    spread.min_ns = spread.max_ns = path.exclusive_ns;
    if (spread.ranks != 1) {
        spread.max_rank = in.number32();
        spread.min_ns = in.signed_number();
        spread.max_ns = in.signed_number();
    }
    return record;
}

FilteredFunction read_filtered(ByteReader& in, std::size_t functions) {
    FilteredFunction filtered;
    filtered.function = in.index(functions);
    read_figures(in, filtered);
    filtered.moment_ns = in.signed_number();
    const std::uint8_t form = in.byte();
    if ((form & ~still_called) > static_cast<int>(FilterReason::sampled))
        in.fail();
    filtered.reason = static_cast<FilterReason>(form & ~still_called);
    filtered.still_called = (form & still_called) != 0;
    return filtered;
}

Metric read_metric(ByteReader& in) {
    Metric metric;
    metric.name = in.text();
    metric.unit = in.text();
    metric.title = in.text();
    metric.formula = in.text();
    metric.reduction =
        static_cast<Reduction>(in.number_up_to(static_cast<std::uint64_t>(Reduction::mean)));
    metric.scope = static_cast<MetricScope>(in.number_up_to(metric_scopes - 1));
    metric.part =
        static_cast<MetricPart>(in.number_up_to(static_cast<std::uint64_t>(MetricPart::point)));
    return metric;
}

}  // namespace vftrace
