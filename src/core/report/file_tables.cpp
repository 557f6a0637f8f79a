// Which files were read and written, by which call paths, and what was not seen of it.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "profile/fields.hpp"
#include "profile/file_access.hpp"
#include "profile/io_libraries.hpp"
#include "profile/profile_json_words.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;  // of one table

constexpr Column file_column{
    .id = "file", .header = "File", .align = Align::left, .keeps_width = true};

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / mebibyte; }

// "/home/run/input.nc", "(pipe)".
template <class Row>
std::string file_text(const Row& row) {
    if (!row.file.empty())
        return printable(row.file);
    return "(" +
           std::string(row.kind == FileKind::other
                           ? "not known"
                           : profile_json::word_of(profile_json::file_kind_words, row.kind)) +
           ")";
}

void write_files(const std::vector<FileAccess>& files, bool has_ranks, const ReportOptions& options,
                 TableOutput& out) {
    std::vector<Column> columns = {number_column("read", "Read[MiB]", "MiB", 3),
                                   number_column("written", "Written[MiB]", "MiB", 3),
                                   time_column("data_time", "Data[s]"),
                                   time_column("metadata_time", "Metadata[s]"),
                                   count_column("opens", "Opens"),
                                   count_column("reads", "Reads"),
                                   count_column("writes", "Writes"),
                                   count_column("buffered", "In buffers"),
                                   count_column("metadata", "Others")};
    for (const Column& column : {count_column("ranks", "Ranks"), count_column("readers", "Readers"),
                                 count_column("writers", "Writers")})
        columns.push_back(has_ranks ? column : for_scripts(column));
    for (const Column& column :
         {text_column("file_system", "System", Align::left), file_column,
          for_scripts(text_column("kind", "")), for_scripts(count_column("maps", "")),
          for_scripts(count_column("block", "", "B")), for_scripts(time_column("first", "")),
          for_scripts(time_column("last", ""))})
        columns.push_back(column);
    const std::size_t shown = shown_rows(files.size(), options, most_rows);
    const TableSpec spec = {.id = "files",
                            .title = "Files",
                            .row = "file",
                            .columns = columns,
                            .sorted_by = "data_time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const FileAccess& row = files[i];
        const FileFigures& file = *row.file;
        cells.number(mebibytes(file.read));
        cells.number(mebibytes(file.written));
        cells.number(seconds(row.data_ns));
        cells.number(seconds(row.metadata_ns));
        for (const std::uint64_t count :
             {row.opens, row.reads, row.writes, row.buffered, row.metadata})
            cells.integer(count);
        for (const std::uint32_t ranks : {file.ranks, file.readers, file.writers})
            cells.integer(ranks);
        cells.text(file_system_name(file.file_system));
        cells.text(file_text(file));
        cells.text(profile_json::word_of(profile_json::file_kind_words, file.kind));
        cells.integer(row.maps);
        cells.integer(file.block);
        cells.number(seconds(file.first_ns));
        cells.number(seconds(file.last_ns));
    });
    say_what_is_left_out(files.size(), shown, out);
}

void write_calls(const Profile& profile, const PathText& text, const ReportOptions& options,
                 TableOutput& out) {
    static constexpr Column columns[] = {count_column("calls", "Calls"),
                                         count_column("buffered", "In buffers"),
                                         number_column("read", "Read[MiB]", "MiB", 3),
                                         number_column("written", "Written[MiB]", "MiB", 3),
                                         time_column("time", "Time[s]"),
                                         time_column("longest", "Longest[s]", 6),
                                         number_column("mean", "Mean size[B]", "B", 0),
                                         percent_column("consecutive", "Consecutive[%]"),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         file_column,
                                         for_scripts(text_column("kind", "")),
                                         for_scripts(count_column("failed", "")),
                                         for_scripts(count_column("placed", "")),
                                         for_scripts(count_column("sequential", "")),
                                         for_scripts(count_column("unaligned", "")),
                                         for_scripts(count_column("below_100", "")),
                                         for_scripts(count_column("below_1k", "")),
                                         for_scripts(count_column("below_10k", "")),
                                         for_scripts(count_column("below_100k", "")),
                                         for_scripts(count_column("below_1m", "")),
                                         for_scripts(count_column("below_4m", "")),
                                         for_scripts(count_column("below_10m", "")),
                                         for_scripts(count_column("below_100m", "")),
                                         for_scripts(count_column("below_1g", "")),
                                         for_scripts(count_column("larger", "")),
                                         for_scripts(callpath_column)};
    std::vector<const FileCalls*> rows;
    for (const FileCalls& row : profile.file_calls)
        rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const FileCalls* a, const FileCalls* b) {
        return std::pair(a->ns, a->read + a->written) > std::pair(b->ns, b->read + b->written);
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "file_calls",
                            .title = "Calls with files by path",
                            .row = "call path and file",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const FileCalls& row = *rows[i];
        cells.integer(row.calls);
        cells.integer(row.buffered);
        cells.number(mebibytes(row.read));
        cells.number(mebibytes(row.written));
        cells.number(seconds(row.ns));
        cells.number(seconds(row.longest_ns));
        if (const std::uint64_t bytes = row.read + row.written; bytes > 0)
            cells.number(static_cast<double>(bytes) /
                         static_cast<double>(std::max<std::uint64_t>(row.calls + row.buffered, 1)));
        else
            cells.blank();
        if (row.placed > 0)
            cells.number(100 * static_cast<double>(row.consecutive) /
                         static_cast<double>(row.placed));
        else
            cells.blank();
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.integer(profile.paths[row.path].stid);
        cells.text(file_text(row));
        cells.text(profile_json::word_of(profile_json::file_kind_words, row.kind));
        for (const std::uint64_t count : {row.failed, row.placed, row.sequential, row.unaligned})
            cells.integer(count);
        for (const auto member : size_members)
            cells.integer(row.sizes.*member);
        cells.text(text.call_path(row.path));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_libraries(const Profile& profile, TableOutput& out) {
    static constexpr Column columns[] = {time_column("time", "Time[s]"),
                                         time_column("own_time", "without calls[s]"),
                                         count_column("calls", "Calls with files"),
                                         number_column("read", "Read[MiB]", "MiB", 3),
                                         number_column("written", "Written[MiB]", "MiB", 3),
                                         text_column("library", "Library", Align::left)};
    const std::vector<IoLibraryUse> rows = io_library_uses(profile);
    if (rows.empty())
        return;
    const TableSpec spec = {.id = "io_libraries",
                            .title = "Libraries that read and write",
                            .row = "library",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, rows.size(), [&](std::size_t i, TableRow& cells) {
        const IoLibraryUse& row = rows[i];
        cells.number(seconds(row.ns));
        cells.number(seconds(row.own_ns));
        cells.integer(row.calls);
        cells.number(mebibytes(row.read));
        cells.number(mebibytes(row.written));
        cells.text(row.name);
    });
}

void write_ranks(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {
        count_column("rank", "Rank"),
        number_column("read", "Read[MiB]", "MiB", 3),
        number_column("read_outside", "in no path[MiB]", "MiB", 3),
        number_column("read_not_seen", "not seen[MiB]", "MiB", 3),
        number_column("written", "Written[MiB]", "MiB", 3),
        number_column("written_outside", "in no path[MiB]", "MiB", 3),
        number_column("written_not_seen", "not seen[MiB]", "MiB", 3),
        for_scripts(number_column("read_by_library", "", "MiB", 3)),
        for_scripts(number_column("read_kernel", "", "MiB", 3)),
        for_scripts(number_column("written_by_library", "", "MiB", 3)),
        for_scripts(number_column("written_kernel", "", "MiB", 3))};
    std::vector<RankBytes> rows = rank_bytes(profile);
    std::stable_sort(rows.begin(), rows.end(), [](const RankBytes& a, const RankBytes& b) {
        return a.read + a.written > b.read + b.written;
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "file_bytes_by_rank",
                            .title = "Bytes by rank",
                            .row = "rank",
                            .columns = columns,
                            .sorted_by = "read"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const RankBytes& row = rows[i];
        const auto add = [&](double bytes) {
            if (bytes < 0)
                cells.blank();
            else
                cells.number(bytes / mebibyte);
        };
        cells.integer(row.rank);
        for (const double bytes : {row.read, row.read_outside, read_not_seen(row), row.written,
                                   row.written_outside, written_not_seen(row), row.own_read,
                                   row.kernel_read, row.own_written, row.kernel_written})
            add(bytes);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

void write_file_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    write_files(file_accesses(profile), profile.run.ranks > 1, options, out);
    write_calls(profile, text, options, out);
    write_libraries(profile, out);
    write_ranks(profile, options, out);
    out.print(
        "Not seen: what the kernel has counted (/proc/self/io) and no call explains; children "
        "that have\nended count there, mapped memory does not.\n\n");
}

}  // namespace vftrace
