// Reads the runtime profile from a text log of this version or of Vftrace 2.0. For tools.
//
// Names may contain anything, including blanks and bars. So cells are cut at the columns of the
// frame's crosses, counted in characters, and bars are never searched for.
#include "compare/old_log_reader.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "profile/display_names.hpp"

namespace vftrace {
namespace {

constexpr std::size_t default_name_width = 60;
constexpr std::size_t most_columns = 64;

// Takes lines from the beginning of a text.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) {}
    bool next(std::string_view& line) {
        if (rest_.empty())
            return false;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        number_++;
        return true;
    }
    std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

template <class Number>
bool read_number(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

// The word after "Total runtime:" and similar.
std::string_view first_word(std::string_view text) {
    text = trim(text);
    return text.substr(0, text.find(' '));
}

class LogReader {
  public:
    LogReader(std::string_view text, const std::string& file) : lines_(text) {
        log_.file = file;
        log_.from_log = true;
        log_.name_width = default_name_width;
    }

    ComparedProfile read() {
        bool has_table = false;
        for (std::string_view line; lines_.next(line);)
            if (line == "Runtime profile" && !has_table) {
                read_runtime_profile();
                has_table = true;
            } else if (line.starts_with("Filtered functions: ")) {
                read_filtered_functions();
            } else if (line == "Global call stacks:")
                read_stacks();
            else
                read_summary_line(line);
        if (!has_table)
            throw ComparisonError(fmt::format(
                "{}: neither a profile (JSON) nor a log with a runtime profile", log_.file));
        name_paths();
        return std::move(log_);
    }

  private:
    [[noreturn]] void fail(std::string_view problem) const {
        throw ComparisonError(fmt::format("{}:{}: {}", log_.file, lines_.number(), problem));
    }

    void read_summary_line(std::string_view line) {
        auto value_of = [&](std::string_view label) -> std::optional<std::string_view> {
            if (!line.starts_with(label))
                return std::nullopt;
            return first_word(line.substr(label.size()));
        };
        if (const auto runtime = value_of("Total runtime:"))
            log_.runtime_ns = nanoseconds(*runtime);
        else if (const auto ranks = value_of("Nr. of MPI ranks:"))
            read_number(*ranks, log_.ranks);
        else if (const auto threads = value_of("Nr. of threads:"))
            read_number(*threads, log_.threads);
        else if (const auto name = value_of("Runtime profile for application:"))
            log_.application = *name;
        else if (const std::string_view setting = trim(line);
                 setting.starts_with("\"max_name_width\":")) {
            std::string_view value = first_word(setting.substr(setting.find(':') + 1));
            value = value.substr(0, value.find(','));
            read_number(value, log_.name_width);
        }
    }

    std::int64_t nanoseconds(std::string_view text) const {
        double seconds = 0;
        if (text == "nan" || text == "-nan")
            return 0;
        if (!read_number(text, seconds) || !(std::abs(seconds) < 9e9))
            fail(fmt::format("\"{}\" is not a time", text));
        return std::llround(seconds * 1e9);
    }

    // Where the columns begin and end, in characters.
    void read_frame(std::string_view line) {
        frame_ = line;
        edges_.clear();
        for (std::size_t i = 0; i < line.size(); i++)
            if (line[i] == '+')
                edges_.push_back(i);
            else if (line[i] != '-')
                fail(fmt::format("the frame of the {} is damaged", table_));
        if (edges_.size() < 2 || edges_.front() != 0 || edges_.back() + 1 != line.size() ||
            edges_.size() > most_columns)
            fail(fmt::format("the {} does not have a frame", table_));
    }

    std::vector<std::string_view> cells(std::string_view line) const {
        std::vector<std::string_view> result;
        std::size_t character = 0, begin = 0, edge = 0;
        for (std::size_t at = 0; at < line.size(); character++) {
            const std::size_t bytes = first_code_point(line.substr(at)).bytes;
            if (edge < edges_.size() && character == edges_[edge]) {
                if (line[at] != '|')
                    fail(fmt::format("a row of the {} does not fit its frame", table_));
                if (edge > 0)
                    result.push_back(trim(line.substr(begin, at - begin)));
                begin = at + bytes;
                edge++;
            }
            at += bytes;
        }
        if (edge != edges_.size() || character != edges_.back() + 1)
            fail(fmt::format("a row of the {} does not fit its frame", table_));
        return result;
    }

    std::string_view next_line() {
        std::string_view line;
        if (!lines_.next(line))
            fail(fmt::format("the {} is truncated", table_));
        return line;
    }

    // The frame and the names of the columns. `table`: its name in messages.
    void begin_table(std::string_view table) {
        table_ = table;
        read_frame(next_line());
        heads_ = cells(next_line());
        next_line();
    }

    std::optional<std::size_t> column(std::string_view head) const {
        for (std::size_t i = 0; i < heads_.size(); i++)
            if (heads_[i] == head)
                return i;
        return std::nullopt;
    }

    std::size_t needed_column(std::string_view head) const {
        if (const auto found = column(head))
            return *found;
        fail(fmt::format("the {} does not have a column \"{}\"", table_, head));
    }

    // False at the end of the table.
    bool next_row(std::vector<std::string_view>& row) {
        const std::string_view line = next_line();
        if (!line.starts_with('+')) {
            row = cells(line);
            return true;
        }
        if (line != frame_)
            fail(fmt::format("the {} is truncated", table_));
        return false;
    }

    // Vftrace 2.0 printed large numbers of calls as negative numbers.
    void read_calls(std::string_view text, std::uint64_t& calls) const {
        // Its function has lost its hooks.
        if (text.starts_with(">="))
            text.remove_prefix(2);
        else if (text.starts_with('~'))
            text.remove_prefix(1);
        if (!read_number(text, calls) && !text.starts_with('-'))
            fail(fmt::format("\"{}\" is not a number of calls", text));
    }

    void read_runtime_profile() {
        begin_table("runtime profile");
        const std::size_t calls = needed_column("Calls"), exclusive = needed_column("t_excl[s]"),
                          inclusive = needed_column("t_incl[s]"),
                          function = needed_column("Function"), caller = needed_column("Caller"),
                          stid = needed_column("STID");
        const auto call_path = column("Callpath"), overhead = column("overhead[s]");
        for (std::vector<std::string_view> row; next_row(row);) {
            ComparedPath& path = log_.paths.emplace_back();
            read_calls(row[calls], path.calls);
            if (!read_number(row[stid], path.stid))
                fail(fmt::format("\"{}\" is not an STID", row[stid]));
            path.exclusive_ns = nanoseconds(row[exclusive]);
            path.inclusive_ns = nanoseconds(row[inclusive]);
            if (overhead)
                path.overhead_ns = nanoseconds(row[*overhead]);
            path.function = row[function];
            if (call_path)
                path.path = row[*call_path];
            callers_.emplace_back(row[caller]);
        }
    }

    void read_filtered_functions() {
        begin_table("table of filtered functions");
        const std::size_t calls = needed_column("Calls"), exclusive = needed_column("t_excl[s]"),
                          overhead = needed_column("overhead[s]"), what = needed_column("what"),
                          function = needed_column("Function");
        for (std::vector<std::string_view> row; next_row(row);) {
            ComparedFiltered& filtered = log_.filtered.emplace_back();
            read_calls(row[calls], filtered.figures.calls);
            filtered.figures.exclusive_ns = nanoseconds(row[exclusive]);
            filtered.figures.overhead_ns = nanoseconds(row[overhead]);
            filtered.reason =
                row[what].starts_with("excluded") ? FilterReason::excluded : FilterReason::budget;
            filtered.still_called = row[what].ends_with("hooks left");
            filtered.function = filtered.function_key = row[function];
        }
    }

    void read_stacks() {
        std::string_view line;
        if (!lines_.next(line) || !lines_.next(line) || !lines_.next(line))
            return;
        while (lines_.next(line) && !line.starts_with('-')) {
            const std::string_view text = trim(line);
            const std::size_t blank = text.find(' ');
            std::uint32_t stid = 0;
            if (text.starts_with("STID") && blank != std::string_view::npos &&
                read_number(text.substr(4, blank - 4), stid))
                stacks_[stid] = trim(text.substr(blank));
        }
    }

    // In logs of Vftrace 2.0 a function `init` has the name of the root, the last one of the path.
    static void mark_names_like_the_root(ComparedPath& path) {
        const std::string mark(name_like_the_root(NodeKind::function));
        if (path.function == root_name)
            path.function = mark;
        const std::vector<std::string_view> names = split(path.path, '<');
        if (names.back() != root_name)
            return;
        std::string marked;
        for (std::size_t i = 0; i < names.size(); i++) {
            marked += i > 0 ? "<" : "";
            marked += names[i] == root_name && i + 1 < names.size() ? mark : names[i];
        }
        path.path = std::move(marked);
    }

    // The list of stacks has the paths. In logs of single ranks of Vftrace 2.0 it has different
    // numbers than the table: of those paths, only function and caller are known.
    void name_paths() {
        for (std::size_t i = 0; i < log_.paths.size(); i++) {
            ComparedPath& path = log_.paths[i];
            const bool is_root = callers_[i] == "----";
            const std::string begin = is_root ? path.function : path.function + "<" + callers_[i];
            const auto stack = stacks_.find(path.stid);
            if (path.path.empty() && stack != stacks_.end() &&
                (stack->second == begin || (!is_root && stack->second.starts_with(begin + "<"))))
                path.path = stack->second;
            if (path.path.empty())
                path.path = is_root ? begin : begin + "<...";
            if (!is_root)
                mark_names_like_the_root(path);
            path.function_key = path.function;
            path.path_key = path.path;
            if (!is_root)
                path.caller_key = callers_[i];
            const std::string above = path.path.size() > path.function.size()
                                          ? path.path.substr(path.function.size())
                                          : std::string();
            path.outermost = (above + "<").find("<" + path.function + "<") == std::string::npos;
        }
        std::erase_if(log_.paths,
                      [](const ComparedPath& path) { return path.function == "vftrace_pause"; });
        find_parents();
    }

    void find_parents() {
        std::unordered_map<std::string_view, std::uint32_t> place_of;
        for (std::uint32_t i = 0; i < log_.paths.size(); i++)
            place_of.try_emplace(log_.paths[i].path, i);
        for (ComparedPath& path : log_.paths) {
            const std::string_view whole = path.path;
            if (path.caller_key.empty() || !whole.starts_with(path.function + "<"))
                continue;
            const auto parent = place_of.find(whole.substr(path.function.size() + 1));
            if (parent != place_of.end() && log_.paths[parent->second].function == path.caller_key)
                path.parent = parent->second;
        }
    }

    Lines lines_;
    ComparedProfile log_;
    std::string_view table_, frame_;  // of the table that is being read
    std::vector<std::string_view> heads_;
    std::vector<std::size_t> edges_;
    std::vector<std::string> callers_;  // by row
    std::map<std::uint32_t, std::string> stacks_;
};

}  // namespace

ComparedProfile parse_text_log(std::string_view text, const std::string& file) {
    return LogReader(text, file).read();
}

ComparedProfile read_text_log(const std::string& path) {
    if (std::filesystem::is_directory(path))
        throw ComparisonError(fmt::format("{}: {}", path, std::strerror(EISDIR)));
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text;
    if (in)
        text.assign(std::istreambuf_iterator<char>(in), {});
    if (!in || in.bad())
        throw ComparisonError(fmt::format("{}: {}", path, std::strerror(errno != 0 ? errno : EIO)));
    return parse_text_log(text, path);
}

}  // namespace vftrace
