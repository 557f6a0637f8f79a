// The calls with files as `darshan-parser` prints a log of Darshan 3.4, so that scripts made for
// that work (https://www.mcs.anl.gov/research/projects/darshan/docs/darshan-util.html,
// "darshan-parser").
//
// A line: module, rank, number of the file, counter, value, file, mount point, file system, with
// tabs between them. Counters that are not known are left out, and named at the top.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "base/fnv.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "export/exporters.hpp"
#include "profile/fields.hpp"
#include "profile/file_access.hpp"

namespace vftrace {
namespace {

enum Direction : std::size_t { reading, writing };

// What one of Darshan's modules has of a file: POSIX, or STDIO for streams.
struct ModuleRecord {
    std::uint64_t opens = 0, seeks = 0, stats = 0, maps = 0, syncs = 0;
    std::array<std::uint64_t, 2> calls{}, bytes{}, consecutive{}, sequential{};
    std::array<FileSizes, 2> sizes{};
    std::uint64_t unaligned = 0;
    std::array<std::int64_t, 2> ns{}, longest_ns{};
    std::int64_t metadata_ns = 0;
};

using RecordKey = std::tuple<bool, const FileFigures*>;  // of a stream, file

void add_calls(ModuleRecord& record, const FileCalls& row, Direction direction,
               std::uint64_t bytes) {
    record.calls[direction] += row.calls + row.buffered;
    record.bytes[direction] += bytes;
    record.consecutive[direction] += row.consecutive;
    record.sequential[direction] += row.sequential;
    record.unaligned += row.unaligned;
    record.ns[direction] += row.ns;
    record.longest_ns[direction] = std::max(record.longest_ns[direction], row.longest_ns);
    add_figures(record.sizes[direction], row.sizes);
}

void add_row(ModuleRecord& record, const FileCalls& row, IoOperation operation,
             const std::string& function) {
    switch (operation) {
    case IoOperation::read:
        return add_calls(record, row, reading, row.read);
    case IoOperation::write:
        return add_calls(record, row, writing, row.written);
    case IoOperation::copy:
        if (row.read > 0)
            add_calls(record, row, reading, row.read);
        if (row.written > 0)
            add_calls(record, row, writing, row.written);
        return;
    case IoOperation::open:
        record.opens += row.calls - row.failed;
        break;
    case IoOperation::seek:
        record.seeks += row.calls;
        break;
    case IoOperation::sync:
        record.syncs += row.calls;
        break;
    case IoOperation::map:
        record.maps += row.calls;
        break;
    case IoOperation::metadata:
        record.stats += function.find("stat") != std::string::npos ? row.calls : 0;
        break;
    case IoOperation::close:
        break;
    }
    record.metadata_ns += row.ns;
}

class DarshanText {
  public:
    explicit DarshanText(const Profile& profile) : profile_(profile) {}

    std::string text() {
        write_head();
        const auto records = records_of_files();
        for (const bool is_stream : {false, true}) {
            text_ += fmt::format("\n# {0}\n# {1} module data\n# {0}\n"
                                 "#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file "
                                 "name>\t<mount pt>\t<fs type>\n",
                                 std::string(55, '*'), is_stream ? "STDIO" : "POSIX");
            for (const auto& [key, record] : records)
                if (std::get<0>(key) == is_stream)
                    write_record(*std::get<1>(key), record, is_stream);
        }
        return std::move(text_);
    }

  private:
    void write_head() {
        const RunInfo& run = profile_.run;
        constexpr std::int64_t ns_per_s = 1'000'000'000;
        text_ = fmt::format(
            "# darshan log version: 3.41\n"
            "# exe: {}\n"
            "# start_time: {}\n"
            "# end_time: {}\n"
            "# nprocs: {}\n"
            "# run time: {:.4f}\n"
            "#\n"
            "# Written by vftrace from its own profile, not by Darshan. Rank -1: sums over the "
            "ranks\n"
            "# that used the file. Left out, because not recorded: ..._FILENOS, ..._DUPS,\n"
            "# ..._RENAME_..., ..._MODE, ..._MAX_BYTE_..., POSIX_RW_SWITCHES, POSIX_MEM_...,\n"
            "# POSIX_MAX_..._TIME_SIZE, POSIX_STRIDE..., POSIX_ACCESS..., ..._FASTEST_RANK...,\n"
            "# ..._SLOWEST_RANK..., ..._VARIANCE_..., ..._TIMESTAMP; mount points.\n",
            printable(run.command_line.empty() ? run.application : run.command_line),
            run.start_unix_ns / ns_per_s, run.end_unix_ns / ns_per_s, run.ranks,
            static_cast<double>(run.runtime_ns) / 1e9);
    }

    std::map<RecordKey, ModuleRecord> records_of_files() const {
        const std::vector<IoOperation> operations = io_operations(profile_);
        std::map<RecordKey, ModuleRecord> records;
        for (const FileCalls& row : profile_.file_calls) {
            const FileFigures* const file = figures_of_file(profile_, row);
            if (row.kind != FileKind::file || !file)
                continue;
            const Function& function = profile_.functions[profile_.paths[row.path].function];
            add_row(records[{is_stream_function(function.name), file}], row,
                    operations[profile_.paths[row.path].function], function.name);
        }
        return records;
    }

    void write_record(const FileFigures& file, const ModuleRecord& record, bool is_stream) {
        const std::string_view module = is_stream ? "STDIO" : "POSIX";
        const std::string name = printable(file.file);
        const std::string_view system = file_system_name(file.file_system);
        const std::string ending =
            fmt::format("\t{}\tUNKNOWN\t{}\n", name, system.empty() ? "UNKNOWN" : system);
        const std::string beginning = fmt::format("{}\t{}\t{}\t{}_", module, rank_of_file(),
                                                  fnv1a(file.file.c_str()), module);
        const auto counter = [&](std::string_view counter_name, std::uint64_t value) {
            text_ += fmt::format("{}{}\t{}{}", beginning, counter_name, value, ending);
        };
        const auto seconds = [&](std::string_view counter_name, std::int64_t ns) {
            text_ += fmt::format("{}{}\t{:.6f}{}", beginning, counter_name,
                                 static_cast<double>(ns) / 1e9, ending);
        };
        counter("OPENS", record.opens);
        counter("READS", record.calls[reading]);
        counter("WRITES", record.calls[writing]);
        counter("SEEKS", record.seeks);
        if (is_stream) {
            counter("FLUSHES", record.syncs);
        } else {
            counter("STATS", record.stats);
            counter("MMAPS", record.maps);
            counter("FSYNCS", record.syncs);
        }
        counter("BYTES_READ", record.bytes[reading]);
        counter("BYTES_WRITTEN", record.bytes[writing]);
        if (!is_stream)
            write_pattern(file, record, counter);
        seconds("F_READ_TIME", record.ns[reading]);
        seconds("F_WRITE_TIME", record.ns[writing]);
        seconds("F_META_TIME", record.metadata_ns);
        if (!is_stream) {
            seconds("F_MAX_READ_TIME", record.longest_ns[reading]);
            seconds("F_MAX_WRITE_TIME", record.longest_ns[writing]);
        }
    }

    template <class Counter>
    static void write_pattern(const FileFigures& file, const ModuleRecord& record,
                              Counter counter) {
        counter("CONSEC_READS", record.consecutive[reading]);
        counter("CONSEC_WRITES", record.consecutive[writing]);
        counter("SEQ_READS", record.sequential[reading]);
        counter("SEQ_WRITES", record.sequential[writing]);
        counter("FILE_NOT_ALIGNED", record.unaligned);
        counter("FILE_ALIGNMENT", file.block);
        constexpr const char* ranges[] = {"0_100", "100_1K", "1K_10K",   "10K_100K", "100K_1M",
                                          "1M_4M", "4M_10M", "10M_100M", "100M_1G",  "1G_PLUS"};
        static_assert(std::size(ranges) == std::size(size_members));
        for (const Direction direction : {reading, writing})
            for (std::size_t i = 0; i < std::size(ranges); i++)
                counter(
                    fmt::format("SIZE_{}_{}", direction == reading ? "READ" : "WRITE", ranges[i]),
                    record.sizes[direction].*size_members[i]);
    }

    int rank_of_file() const { return profile_.run.ranks == 1 ? 0 : -1; }

    const Profile& profile_;
    std::string text_;
};

}  // namespace

void export_darshan(const ExportSource& source, ExportOutput& output) {
    const Profile& profile = source.profiles.front();
    if (!has_files(profile))
        throw ExportError(
            source.profile_names.front() +
            ": the calls with files of this run were not recorded (vftrace run --io)");
    output.write(DarshanText(profile).text());
}

}  // namespace vftrace
