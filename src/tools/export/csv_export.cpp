// Comma-separated values (RFC 4180): one row for each call path, with all its figures.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "export/csv_quoted.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"
#include "profile/fields.hpp"
#include "profile/profile_json_words.hpp"

namespace vftrace {
namespace {

std::string text_or_nothing(std::string_view text) {
    return text.empty() ? std::string() : csv_quoted(printable(text));
}

// The path from the root: "init;main;solve".
std::string path_text(const Profile& profile, std::uint32_t path) {
    std::vector<std::uint32_t> steps;
    for (std::uint32_t i = path; i != no_index; i = profile.paths[i].parent)
        steps.push_back(profile.paths[i].function);
    std::string text;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        text += (text.empty() ? "" : ";") + profile.functions[*step].display;
    return text;
}

std::string flags_text(std::uint32_t flags) {
    std::string text;
    for (const auto& [flag, word] : profile_json::path_flags)
        if (flags & flag)
            text += (text.empty() ? "" : " ") + std::string(word);
    return text;
}

// The parts of a row.
struct Row {
    const Profile& profile;
    std::uint32_t index;
    const Path& path;
    const Function& function;
    const PathMessages& messages;
    const RankSpread* spread;  // nullptr if not known
    const PathGpuWork* gpu;    // all work of the path together; nullptr if none
};

struct Column {
    std::string_view name;
    std::function<std::string(const Row& row)> text;  // the text of the cell
};

std::string of_spread(const Row& row, auto RankSpread::*field) {
    return row.spread ? fmt::format("{}", row.spread->*field) : std::string();
}

std::string of_gpu(const Row& row, auto PathGpuWork::*field) {
    return row.gpu ? fmt::format("{}", row.gpu->*field) : std::string();
}

const std::vector<Column> first_columns = {
    {"id", [](const Row& row) { return fmt::format("{}", row.index); }},
    {"parent",
     [](const Row& row) {
         return row.path.parent == no_index ? "" : fmt::format("{}", row.path.parent);
     }},
    {"stid", [](const Row& row) { return fmt::format("{}", row.path.stid); }},
    {"hash", [](const Row& row) { return fmt::format("{:016x}", row.path.hash); }},
    {"function", [](const Row& row) { return csv_quoted(printable(row.function.display)); }},
    {"path",
     [](const Row& row) { return csv_quoted(printable(path_text(row.profile, row.index))); }},
    {"kind",
     [](const Row& row) {
         return row.function.kind == NodeKind::other
                    ? csv_quoted(printable(kind_word(row.function)))
                    : std::string(kind_word(row.function));
     }},
    {"calls", [](const Row& row) { return fmt::format("{}", row.path.calls); }},
    {"exclusive_ns", [](const Row& row) { return fmt::format("{}", row.path.exclusive_ns); }},
    {"inclusive_ns", [](const Row& row) { return fmt::format("{}", row.path.inclusive_ns); }},
    {"overhead_ns", [](const Row& row) { return fmt::format("{}", row.path.overhead_ns); }},
    {"flags", [](const Row& row) { return flags_text(row.path.flags); }},
    {"symbol", [](const Row& row) { return text_or_nothing(row.function.symbol); }},
    {"demangled", [](const Row& row) { return text_or_nothing(row.function.demangled); }},
    {"file", [](const Row& row) { return text_or_nothing(row.function.file); }},
    {"line",
     [](const Row& row) {
         return row.function.line == 0 ? "" : fmt::format("{}", row.function.line);
     }},
    {"module",
     [](const Row& row) {
         return row.function.module == no_index
                    ? ""
                    : csv_quoted(printable(row.profile.modules[row.function.module].path));
     }},
    {"offset",
     [](const Row& row) {
         return row.function.module == no_index ? "" : fmt::format("{:x}", row.function.offset);
     }},
    {"ranks", [](const Row& row) { return of_spread(row, &RankSpread::ranks); }},
    {"min_rank", [](const Row& row) { return of_spread(row, &RankSpread::min_rank); }},
    {"min_ns", [](const Row& row) { return of_spread(row, &RankSpread::min_ns); }},
    {"max_rank", [](const Row& row) { return of_spread(row, &RankSpread::max_rank); }},
    {"max_ns", [](const Row& row) { return of_spread(row, &RankSpread::max_ns); }},
    {"messages_sent", [](const Row& row) { return fmt::format("{}", row.messages.sent.messages); }},
    {"bytes_sent", [](const Row& row) { return fmt::format("{}", row.messages.sent.bytes); }},
    {"sending_ns", [](const Row& row) { return fmt::format("{}", row.messages.sent.ns); }},
    {"messages_received",
     [](const Row& row) { return fmt::format("{}", row.messages.received.messages); }},
    {"bytes_received",
     [](const Row& row) { return fmt::format("{}", row.messages.received.bytes); }},
    {"receiving_ns", [](const Row& row) { return fmt::format("{}", row.messages.received.ns); }},
};

const std::vector<Column> last_columns = {
    {"gpu_count", [](const Row& row) { return of_gpu(row, &PathGpuWork::count); }},
    {"gpu_ns", [](const Row& row) { return of_gpu(row, &PathGpuWork::ns); }},
    {"gpu_bytes", [](const Row& row) { return of_gpu(row, &PathGpuWork::bytes); }},
};

// The columns above, and all further figures of paths between them.
std::vector<Column> all_columns() {
    std::vector<Column> columns = first_columns;
    for_each_field<Path>([&](const auto& field) {
        const auto member = field.member;
        if (std::none_of(first_columns.begin(), first_columns.end(),
                         [&](const Column& known) { return known.name == field.name; }))
            columns.push_back(
                {field.name, [=](const Row& row) { return fmt::format("{}", row.path.*member); }});
    });
    columns.insert(columns.end(), last_columns.begin(), last_columns.end());
    return columns;
}

// The further figures of all profiles, by name and unit.
std::vector<std::string> metric_columns(const SourceProfiles& all) {
    std::vector<std::string> names;
    for (const Profile* profile : all.profiles)
        for (const Metric& metric : profile->metrics) {
            const std::string name = metric.unit.empty()
                                         ? metric.name
                                         : fmt::format("{} [{}]", metric.name, metric.unit);
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        }
    return names;
}

// The sum of all device work of the calls of one path. Returns false if there is none.
bool work_of(const Profile& profile, std::uint32_t path, PathGpuWork& sum) {
    auto work = std::lower_bound(
        profile.gpu_work.begin(), profile.gpu_work.end(), path,
        [](const PathGpuWork& row, std::uint32_t wanted) { return row.path < wanted; });
    const auto first = work;
    for (; work != profile.gpu_work.end() && work->path == path; ++work)
        add_figures(sum, *work);
    return work != first;
}

class Table {
  public:
    Table(const SourceProfiles& all, ExportOutput& output)
        : output_(output), columns_(all_columns()), metrics_(metric_columns(all)),
          several_(!all.names.empty()) {
        std::string head = several_ ? "source" : "";
        for (const Column& column : columns_)
            head += (head.empty() ? "" : ",") + std::string(column.name);
        for (const std::string& name : metrics_)
            head += ',' + csv_quoted(printable(name));
        output.write(head + "\r\n");
    }

    void write(const Profile& profile, const std::string& name) {
        std::vector<std::size_t> column_of;
        for (const Metric& metric : profile.metrics) {
            const std::string text = metric.unit.empty()
                                         ? metric.name
                                         : fmt::format("{} [{}]", metric.name, metric.unit);
            column_of.push_back(static_cast<std::size_t>(
                std::find(metrics_.begin(), metrics_.end(), text) - metrics_.begin()));
        }
        auto messages = profile.messages.begin();
        auto value = profile.metric_values.begin();
        for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
            const PathMessages none;
            PathGpuWork work;
            const bool has_messages = messages != profile.messages.end() && messages->path == i;
            const bool has_spread = i < profile.spread.size() && profile.spread[i].ranks > 0;
            const Row row{profile,
                          i,
                          profile.paths[i],
                          profile.functions[profile.paths[i].function],
                          has_messages ? *messages : none,
                          has_spread ? &profile.spread[i] : nullptr,
                          work_of(profile, i, work) ? &work : nullptr};
            std::string line = several_ ? csv_quoted(printable(name)) + ',' : "";
            for (const Column& column : columns_)
                line += (&column == columns_.data() ? "" : ",") + column.text(row);
            std::vector<std::string> cells(metrics_.size());
            for (; value != profile.metric_values.end() && value->path == i; ++value)
                if (std::isfinite(value->value))
                    cells[column_of[value->metric]] = fmt::format("{}", value->value);
            for (const std::string& cell : cells)
                line += ',' + cell;
            output_.write(line + "\r\n");
            messages += has_messages;
        }
    }

  private:
    ExportOutput& output_;
    std::vector<Column> columns_;
    std::vector<std::string> metrics_;
    bool several_;
};

}  // namespace

void export_csv(const ExportSource& source, ExportOutput& output) {
    const SourceProfiles all = profiles_of_source(source, output);
    Table table(all, output);
    for (std::size_t i = 0; i < all.profiles.size(); i++)
        table.write(*all.profiles[i], all.names.empty() ? "" : all.names[i]);
}

}  // namespace vftrace
