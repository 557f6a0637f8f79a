#include "page/page_profile.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "export/profile_tree.hpp"
#include "page/columns.hpp"
#include "page/page_run.hpp"
#include "profile/heap.hpp"
#include "profile/row_keys.hpp"
#include "profile/waiting.hpp"

namespace vftrace {
namespace {

// Lists with more rows than this keep only the rows of paths that matter.
constexpr std::size_t most_rows = 300'000;
// Figures other than calls and times are kept for profiles of up to this many paths.
constexpr std::size_t paths_with_details = 100'000;
// The smallest share of the time of all paths with which a path remains in a thinned list.
constexpr double least_share = 1e-4;

constexpr std::int64_t clamped(std::uint64_t value) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(std::min(value, most));
}

template <class Value>
constexpr std::int64_t as_integer(Value value) {
    if constexpr (std::is_same_v<Value, std::uint64_t>)
        return clamped(value);
    else
        return static_cast<std::int64_t>(value);
}

// The paths in the order of the page: each before the paths below it, of which the one with the
// most time comes first.
struct PathOrder {
    PathOrder(const Profile& profile, const ProfileTree& tree)
        : number(profile.paths.size()), depth(profile.paths.size()) {
        paths.reserve(profile.paths.size());
        std::vector<std::uint32_t> open, callees;
        if (!profile.paths.empty())
            open.push_back(0);
        while (!open.empty()) {
            const std::uint32_t path = open.back();
            open.pop_back();
            number[path] = static_cast<std::uint32_t>(paths.size());
            paths.push_back(path);
            callees.assign(tree.order.begin() + tree.first[path],
                           tree.order.begin() + tree.first[path + 1]);
            for (const std::uint32_t callee : callees)
                depth[callee] = depth[path] + 1;
            // `open` is a stack: the path that is pushed last is popped first.
            std::stable_sort(callees.begin(), callees.end(),
                             [&](auto a, auto b) { return tree.total_ns[a] < tree.total_ns[b]; });
            open.insert(open.end(), callees.begin(), callees.end());
        }
    }
    std::vector<std::uint32_t> paths;   // by number in the page
    std::vector<std::uint32_t> number;  // in the page, by index in the profile
    std::vector<std::uint32_t> depth;   // by index in the profile
};

// Names for the lists that do not have one in the JSON file of a profile.
template <class Row>
constexpr std::string_view own_name = "";
template <>
constexpr std::string_view own_name<MetricValue> = "metric_values";
template <>
constexpr std::string_view own_name<PathMessages> = "messages";
template <>
constexpr std::string_view own_name<ThreadPath> = "thread_paths";

class Columns {
  public:
    explicit Columns(const Profile& profile)
        : profile_(profile), tree_(profile), order_(profile, tree_) {
        for (const std::int64_t ns : tree_.exclusive_ns)
            all_ns_ += static_cast<double>(ns);
    }

    PageColumns& columns() { return columns_; }
    const std::vector<std::uint32_t>& numbers() const { return order_.number; }
    // Sentences about what the page does not contain.
    const std::vector<std::string>& left_out() const { return left_out_; }

    void write(const std::vector<PageLine>& lines) {
        write_lines(lines);
        write_functions();
        write_paths();
        write_spread();
        for_each_list([this](const auto& list) { write_list(list); });
        write_points();
        write_rank_values();
        write_latency_bins();
        write_waits();
        write_memory();
        columns_.integers("message_sizes", "sent", size_bins,
                          [&](std::size_t i) { return clamped(profile_.message_sizes[i].sent); });
        columns_.integers("message_sizes", "received", size_bins, [&](std::size_t i) {
            return clamped(profile_.message_sizes[i].received);
        });
    }

  private:
    template <class Row, class Text>
    void texts(std::string_view list, std::string_view name, const std::vector<Row>& rows,
               Text text) {
        // A text that is returned by value would no longer exist when it is read.
        static_assert(std::is_same_v<decltype(text(rows[0])), std::string_view>);
        columns_.texts(list, name, rows.size(), [&](std::size_t i) { return text(rows[i]); });
    }

    void write_lines(const std::vector<PageLine>& lines) {
        constexpr std::string_view list = "lines";
        texts(list, "file", lines,
              [](const PageLine& line) { return std::string_view(line.file); });
        const auto column = [&](std::string_view name, auto member) {
            columns_.integers(list, name, lines.size(),
                              [&](std::size_t i) { return as_integer(lines[i].*member); });
        };
        column("line", &PageLine::line);
        column("function", &PageLine::function);
        column("samples", &PageLine::samples);
        column("ns", &PageLine::ns);
        column("with_inlined_ns", &PageLine::with_inlined_ns);
    }

    void write_functions() {
        const std::vector<Function>& functions = profile_.functions;
        constexpr std::string_view list = "functions";
        texts(list, "name", functions,
              [](const Function& f) { return std::string_view(f.display); });
        // What identifies the function in all runs, if that is not its name.
        texts(list, "key", functions, [](const Function& f) {
            const std::string& key = f.symbol.empty() ? f.name : f.symbol;
            return key == f.display ? std::string_view() : std::string_view(key);
        });
        texts(list, "kind", functions, [](const Function& f) { return kind_word(f); });
        texts(list, "file", functions, [](const Function& f) { return std::string_view(f.file); });
        columns_.integers(list, "line", functions.size(),
                          [&](std::size_t i) { return as_integer(functions[i].line); });
        columns_.integers(list, "module", functions.size(), [&](std::size_t i) {
            return functions[i].module == no_index ? -1 : as_integer(functions[i].module);
        });
        texts("modules", "path", profile_.modules,
              [](const Module& module) { return std::string_view(module.path); });
        std::vector<std::int64_t> overhead(functions.size()), error(functions.size());
        for (const Path& path : profile_.paths) {
            overhead[path.function] += path.overhead_ns;
            error[path.function] += path.exclusive_error_ns;
        }
        columns_.integers(list, "overhead_ns", functions.size(),
                          [&](std::size_t i) { return overhead[i]; });
        columns_.integers(list, "error_ns", functions.size(),
                          [&](std::size_t i) { return error[i]; });
    }

    template <class Value>
    void path_column(std::string_view name, Value value) {
        columns_.integers("paths", name, order_.paths.size(),
                          [&](std::size_t i) { return as_integer(value(order_.paths[i])); });
    }

    void write_paths() {
        const std::vector<Path>& paths = profile_.paths;
        path_column("depth", [&](std::uint32_t i) { return order_.depth[i]; });
        path_column("function", [&](std::uint32_t i) { return paths[i].function; });
        path_column("calls", [&](std::uint32_t i) { return paths[i].calls; });
        path_column("exclusive_ns", [&](std::uint32_t i) { return paths[i].exclusive_ns; });
        // By how much it exceeds the exclusive time and the inclusive times of the paths below:
        // mostly 0.
        std::vector<std::int64_t> rest(paths.size());
        for (std::size_t i = 0; i < paths.size(); i++)
            rest[i] += paths[i].inclusive_ns - paths[i].exclusive_ns;
        for (std::size_t i = 1; i < paths.size(); i++)
            rest[paths[i].parent] -= paths[i].inclusive_ns;
        path_column("inclusive_rest_ns", [&](std::uint32_t i) { return rest[i]; });
        path_column("flags", [&](std::uint32_t i) {
            return paths[i].flags | (tree_.paused[i] ? std::uint32_t{path_paused} : 0U);
        });
        path_column("samples", [&](std::uint32_t i) { return paths[i].samples; });
        if (paths.size() > paths_with_details) {
            left_out_.push_back("numbers of call paths (STID) and the estimated cost of measuring "
                                "each path, because there are too many paths");
            return;
        }
        path_column("stid", [&](std::uint32_t i) { return paths[i].stid; });
        path_column("overhead_ns", [&](std::uint32_t i) { return paths[i].overhead_ns; });
    }

    bool matters(std::uint32_t path, double ns) const {
        return path < profile_.paths.size() && ns >= all_ns_ * least_share;
    }

    // A path in which a single rank spends much time matters as much as one in which all ranks do.
    void write_spread() {
        std::vector<std::uint32_t> rows;
        const bool all = profile_.spread.size() <= most_rows / 10;
        for (std::uint32_t number = 0; number < order_.paths.size(); number++) {
            const std::uint32_t path = order_.paths[number];
            if (path < profile_.spread.size() && profile_.spread[path].ranks > 0 &&
                (all || matters(path, static_cast<double>(profile_.spread[path].max_ns) *
                                          static_cast<double>(profile_.summed_ranks()))))
                rows.push_back(number);
        }
        if (!all)
            left_out_.push_back("the spread over ranks of paths that take less than 0.01 % of the "
                                "time on every rank");
        const auto column = [&](std::string_view name, auto member) {
            columns_.integers("spread", name, rows.size(), [&](std::size_t i) {
                return as_integer(profile_.spread[order_.paths[rows[i]]].*member);
            });
        };
        columns_.integers("spread", "path", rows.size(),
                          [&](std::size_t i) { return as_integer(rows[i]); });
        column("ranks", &RankSpread::ranks);
        column("min_rank", &RankSpread::min_rank);
        column("max_rank", &RankSpread::max_rank);
        column("min_ns", &RankSpread::min_ns);
        column("max_ns", &RankSpread::max_ns);
    }

    template <class List>
    void write_list(const List& list) {
        using Row = typename List::Row;
        std::string name(list.name[0] == '\0' ? own_name<Row> : std::string_view(list.name));
        if (list.section[0] != '\0')
            name = fmt::format("{}.{}", list.section, name);
        const std::vector<Row>& rows = profile_.*list.rows;
        if (rows.empty())
            return;
        if (rows.size() <= most_rows)
            return write_rows(name, rows);
        write_rows(name, thinned(name, rows));
    }

    // Adds up the elements of the communication matrix over all paths, for each pair of ranks.
    std::vector<PeerMessages> thinned(const std::string&, const std::vector<PeerMessages>& rows) {
        std::vector<PeerMessages> result;
        for (const PeerMessages& row : rows) {
            if (result.empty() || result.back().rank != row.rank ||
                result.back().peer != row.peer) {
                result.push_back(row);
                result.back().path = 0;
            } else {
                add_figures(result.back(), row);
            }
        }
        left_out_.push_back("the call paths of messages between ranks, because there are too many");
        return result;
    }
    template <class Row>
    std::vector<Row> thinned(const std::string& name, const std::vector<Row>& rows) {
        std::vector<Row> result;
        for (const Row& row : rows) {
            if (result.size() == most_rows)
                break;
            bool keep = true;
            for_each_key<Row>([&](const auto& key) {
                if constexpr (has_role<PathIndex, decltype(key)>)
                    keep = matters(row.*key.member,
                                   static_cast<double>(tree_.total_ns[row.*key.member]));
            });
            if (keep)
                result.push_back(row);
        }
        left_out_.push_back(
            fmt::format("{} of {} rows of {}", rows.size() - result.size(), rows.size(), name));
        return result;
    }

    template <class Row>
    void write_rows(const std::string& list, const std::vector<Row>& rows) {
        for_each_key_and_label<Row>([&](const auto& key) { write_key(list, key, rows); });
        write_figures(list, "", rows, [](const Row& row) -> const Row& { return row; });
    }

    template <class KeyType, class Row>
    void write_key(const std::string& list, const KeyType& key, const std::vector<Row>& rows) {
        using Value = typename KeyType::ValueType;
        if constexpr (std::is_same_v<Value, std::string>) {
            texts(list, key.name, rows,
                  [&](const Row& row) { return std::string_view(row.*key.member); });
        } else if constexpr (std::is_enum_v<Value>) {
            texts(list, key.name, rows, [&](const Row& row) {
                return std::string_view(profile_json::word_of(key.role.words, row.*key.member));
            });
        } else if constexpr (std::is_floating_point_v<Value>) {
            columns_.numbers(list, key.name, rows.size(),
                             [&](std::size_t i) { return rows[i].*key.member; });
        } else {
            columns_.integers(list, key.name, rows.size(), [&](std::size_t i) -> std::int64_t {
                const auto value = rows[i].*key.member;
                if constexpr (KeyType::is_lost)
                    if (value == no_index)
                        return -1;
                if constexpr (is_path<KeyType>)
                    return value < order_.number.size() ? as_integer(order_.number[value]) : -1;
                else
                    return as_integer(value);
            });
        }
    }

    template <class Row, class Get>
    void write_figures(const std::string& list, const std::string& prefix,
                       const std::vector<Row>& rows, Get get) {
        using Figures = std::remove_cvref_t<decltype(get(rows[0]))>;
        for_each_field<Figures>([&](const auto& field) {
            using Value = std::remove_cvref_t<decltype(std::declval<Figures>().*field.member)>;
            const std::string name = prefix + std::string(field.name);
            if constexpr (has_figures<Value>)
                write_figures(list, name + ".", rows, [&](const Row& row) -> const Value& {
                    return get(row).*field.member;
                });
            else if constexpr (std::is_floating_point_v<Value>)
                columns_.numbers(list, name, rows.size(),
                                 [&](std::size_t i) { return get(rows[i]).*field.member; });
            else
                columns_.integers(list, name, rows.size(), [&](std::size_t i) {
                    return as_integer(get(rows[i]).*field.member);
                });
        });
    }

    // Writes the points of all series, one after the other.
    void write_points() {
        std::vector<Series::Point> points;
        for (const Series& series : profile_.series)
            points.insert(points.end(), series.points.begin(), series.points.end());
        columns_.integers("series", "points", profile_.series.size(), [&](std::size_t i) {
            return as_integer(profile_.series[i].points.size());
        });
        columns_.integers("series_points", "ns", points.size(),
                          [&](std::size_t i) { return points[i].ns; });
        columns_.numbers("series_points", "value", points.size(),
                         [&](std::size_t i) { return points[i].value; });
    }

    // Writes the values of each rank, and how many ranks are in each bin of time, for the paths of
    // rank_values one after the other.
    void write_rank_values() {
        const std::vector<RankValues>& rows = profile_.rank_values;
        std::vector<std::uint64_t> calls;
        std::vector<std::int64_t> exclusive;
        std::vector<std::uint32_t> bins;
        for (const RankValues& row : rows) {
            calls.insert(calls.end(), row.calls.begin(), row.calls.end());
            exclusive.insert(exclusive.end(), row.exclusive_ns.begin(), row.exclusive_ns.end());
            bins.insert(bins.end(), row.histogram.begin(), row.histogram.end());
        }
        columns_.integers("rank_values", "ranks", rows.size(),
                          [&](std::size_t i) { return as_integer(rows[i].calls.size()); });
        columns_.integers("rank_values", "bins", rows.size(),
                          [&](std::size_t i) { return as_integer(rows[i].histogram.size()); });
        columns_.integers("values_of_ranks", "calls", calls.size(),
                          [&](std::size_t i) { return as_integer(calls[i]); });
        columns_.integers("values_of_ranks", "exclusive_ns", exclusive.size(),
                          [&](std::size_t i) { return exclusive[i]; });
        columns_.integers("ranks_by_time", "ranks", bins.size(),
                          [&](std::size_t i) { return as_integer(bins[i]); });
    }

    // How many calls of a path took how long.
    void write_latency_bins() {
        struct Bin {
            std::uint32_t path;
            LatencyCount count;
        };
        std::vector<Bin> bins;
        for (const PathLatencies& row : profile_.latencies)
            if (bins.size() < most_rows)
                for (const LatencyCount& count : row.bins)
                    bins.push_back({order_.number[row.path], count});
        constexpr std::string_view list = "latency_bins";
        columns_.integers(list, "path", bins.size(),
                          [&](std::size_t i) { return as_integer(bins[i].path); });
        columns_.integers(list, "from_ns", bins.size(),
                          [&](std::size_t i) { return clamped(start_of_bin(bins[i].count.bin)); });
        columns_.integers(list, "to_ns", bins.size(), [&](std::size_t i) {
            return clamped(start_of_bin(bins[i].count.bin + 1));
        });
        columns_.integers(list, "calls", bins.size(),
                          [&](std::size_t i) { return clamped(bins[i].count.calls); });
    }

    // How long threads waited in each path, and what for.
    void write_waits() {
        struct Wait {
            std::uint32_t path;
            std::string_view kind;
            double ns;
        };
        std::vector<Wait> waits;
        for (const PathWaits& row : path_waits(profile_)) {
            const std::uint32_t path = order_.number[row.path];
            for (std::size_t i = 0; i < row.ns.size(); i++)
                if (row.ns[i] > 0)
                    waits.push_back({path, wait_kind_rows[i].text, row.ns[i]});
            if (row.displaced_ns > 0)
                waits.push_back({path, "turn on a processor", row.displaced_ns});
        }
        constexpr std::string_view list = "waits_of_paths";
        columns_.integers(list, "path", waits.size(),
                          [&](std::size_t i) { return as_integer(waits[i].path); });
        texts(list, "kind", waits, [](const Wait& wait) { return wait.kind; });
        columns_.integers(list, "ns", waits.size(),
                          [&](std::size_t i) { return static_cast<std::int64_t>(waits[i].ns); });
    }

    // What each path has allocated, and what of it was live.
    void write_memory() {
        const std::vector<PathHeap> rows = path_heap(profile_);
        constexpr std::string_view list = "memory_of_paths";
        const auto column = [&](std::string_view name, auto value) {
            columns_.integers(list, name, rows.size(), [&](std::size_t i) {
                return static_cast<std::int64_t>(value(rows[i]));
            });
        };
        column("path", [&](const PathHeap& row) { return order_.number[row.path]; });
        column("allocated", [](const PathHeap& row) { return row.allocated.value; });
        column("calls", [](const PathHeap& row) { return row.calls.value; });
        column("live", [](const PathHeap& row) { return row.live.value; });
        column("at_peak", [](const PathHeap& row) { return row.at_peak.value; });
    }

    const Profile& profile_;
    ProfileTree tree_;
    PathOrder order_;
    PageColumns columns_;
    std::vector<std::string> left_out_;
    double all_ns_ = 0.0;
};

}  // namespace

std::string page_block(std::string json, const PageColumns& columns) {
    json.erase(json.find_last_of('}'));
    json += fmt::format(",\"columns\":{}}}", columns.directory_json());
    std::string block;
    for (unsigned shift = 0; shift < 32; shift += 8)
        block += static_cast<char>((json.size() >> shift) & 0xff);
    return block + json + columns.bytes();
}

std::string page_profile(const Profile& profile, const std::string& label,
                         const std::string& regions, const std::vector<PageLine>& lines) {
    Columns columns(profile);
    columns.write(lines);
    return page_block(
        page_run_json(profile, {label, regions, columns.left_out(), columns.numbers()}),
        columns.columns());
}

}  // namespace vftrace
