// Findings about files: each where it belongs, and none in jobs that do the same well.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "efficiency_jobs.hpp"
#include "finding_lists.hpp"
#include "profile/file_access.hpp"
#include "profile/io_libraries.hpp"
#include "report/time_split.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Contains;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::string_view rules[] = {"small-io",         "collective-buffering-off", "many-opens",
                                      "metadata-bound",   "one-rank-writes",          "unaligned",
                                      "read-after-write", "shared-file-contention"};

// A job of four ranks and ten seconds, with one file.
struct FileJob {
    FileJob() : builder(4, 10) {
        main = builder.path(0, "main", NodeKind::function, even(8));
        output = builder.path(main, "output", NodeKind::function, even(0.1));
        FileFigures file;
        file.file = "/data/field.dat";
        file.block = 4096;
        file.ranks = file.writers = 4;
        builder.profile.files.push_back(file);
    }

    static std::vector<double> even(double seconds) { return std::vector<double>(4, seconds); }

    // Seconds of all ranks together.
    FileCalls& calls(std::uint32_t parent, const char* function, double seconds,
                     std::uint64_t number, std::uint64_t read, std::uint64_t written) {
        FileCalls row;
        row.path = builder.path(parent, function, NodeKind::io, even(seconds / 4), number / 4);
        row.file = "/data/field.dat";
        row.calls = number;
        row.read = read;
        row.written = written;
        row.ns = static_cast<std::int64_t>(seconds * 1e9);
        row.placed = number;
        row.sizes.calls = number;
        builder.profile.files[0].read += read;
        builder.profile.files[0].written += written;
        builder.profile.file_calls.push_back(row);
        return builder.profile.file_calls.back();
    }
    void bytes_of_ranks(const std::vector<double>& written) {
        for (std::uint32_t rank = 0; rank < written.size(); rank++)
            builder.profile.rank_metrics.push_back(
                {rank, add_metric(builder.profile, MetricId::files_all_written), written[rank]});
    }

    // The rules that find something, with a blank after each.
    std::string found() const {
        std::string all;
        for (const std::string_view rule : rules)
            for (const RunFinding& finding : of_rule(builder.profile, rule))
                all += std::string(finding.rule) + ' ';
        return all;
    }
    RunFinding the_one(std::string_view rule) const {
        const std::vector<RunFinding> all = of_rule(builder.profile, rule);
        REQUIRE(all.size() == 1);
        return all[0];
    }

    JobBuilder builder;
    std::uint32_t main, output;
};

}  // namespace

TEST_CASE("findings about files") {
    FileJob job;
    FileFigures& file = job.builder.profile.files[0];
    SECTION("large calls of all ranks are fine") {
        job.calls(job.output, "write", 4, 400, 0, 1600 * mebibyte);
        job.bytes_of_ranks({4e8, 4e8, 4e8, 4e8});
        CHECK(job.found().empty());
    }
    SECTION("many small calls") {
        job.calls(job.output, "write", 4, 4'000'000, 0, 32'000'000);
        CHECK(job.found() == "small-io ");
        CHECK(job.the_one("small-io").sentence ==
              "4,000,000 calls of 8 B on average with field.dat take 1.00 s: write, called by "
              "output < main.");
        CHECK(job.the_one("small-io").saved_seconds == Approx(1).epsilon(0.02));
    }
    SECTION("MPI-IO in pieces") {
        const std::uint32_t mpi =
            job.builder.path(job.output, "MPI_File_write", NodeKind::mpi, FileJob::even(0.2), 4);
        job.calls(mpi, "pwritev", 4, 16384, 0, 8 * mebibyte);
        CHECK(job.found() == "collective-buffering-off ");
        const RunFinding finding = job.the_one("collective-buffering-off");
        CHECK(finding.path == mpi);
        CHECK_THAT(finding.sentence, Contains("16,384 calls of 512 B on average with field.dat, "
                                              "which 4 ranks share"));
        CHECK_THAT(finding.next_step, Contains("MPI_File_write_all"));
    }
    SECTION("MPI-IO in pieces, although all ranks write together") {
        const std::uint32_t mpi = job.builder.path(job.output, "MPI_File_write_all", NodeKind::mpi,
                                                   FileJob::even(0.2), 4);
        job.calls(mpi, "pwritev", 4, 16384, 0, 8 * mebibyte);
        CHECK(job.found() == "collective-buffering-off ");
        CHECK_THAT(job.the_one("collective-buffering-off").next_step, Contains("romio_cb_write"));
    }
    SECTION("MPI-IO that one rank does for all is not one that writes everything") {
        file.writers = 1;
        const std::uint32_t mpi = job.builder.path(job.output, "MPI_File_write_all", NodeKind::mpi,
                                                   FileJob::even(0.2), 4);
        job.calls(mpi, "pwrite", 4, 4, 0, 800 * mebibyte);
        job.bytes_of_ranks({8e8, 0, 0, 0});
        CHECK(job.found().empty());
    }
    SECTION("a file that is opened again and again") {
        job.calls(job.output, "open", 3, 8000, 0, 0);
        job.calls(job.output, "write", 3.5, 8000, 0, 3200 * mebibyte);
        CHECK(job.found() == "many-opens ");
        CHECK_THAT(job.the_one("many-opens").reason, Contains("2,000 times by each rank"));
    }
    SECTION("questions about files") {
        job.calls(job.output, "stat", 5, 100'000, 0, 0);
        job.calls(job.output, "write", 1, 100, 0, 400 * mebibyte);
        CHECK(job.found() == "metadata-bound ");
    }
    SECTION("one rank writes") {
        file.writers = 1;
        job.calls(job.output, "write", 4, 400, 0, 1600 * mebibyte);
        job.bytes_of_ranks({1e6, 0, 1.6e9, 0});
        CHECK(job.found() == "one-rank-writes ");
        CHECK(job.the_one("one-rank-writes").rank == 2);
        CHECK(job.the_one("one-rank-writes").saved_seconds == Approx(3));
    }
    SECTION("blocks that two ranks write") {
        job.calls(job.output, "pwrite", 8, 4000, 0, 1600 * mebibyte).unaligned = 3900;
        CHECK(job.found() == "unaligned ");
    }
    SECTION("a file as a message") {
        file.writers = 1;
        file.readers = 3;
        job.calls(job.output, "write", 1, 100, 0, 400 * mebibyte);
        job.calls(job.main, "read", 4, 1200, 1200 * mebibyte, 0);
        CHECK(job.found() == "read-after-write ");
        file.read_and_wrote = 3;  // they read what they wrote
        CHECK(job.found().empty());
    }
    SECTION("ranks that delay each other") {
        job.calls(job.output, "pwrite", 32, 400, 0, 100 * mebibyte);
        CHECK(job.found() == "shared-file-contention ");
    }
    SECTION("calls that take no time are not worth a sentence") {
        job.calls(job.output, "write", 0.1, 4'000'000, 0, 32'000'000);
        job.calls(job.output, "open", 0.05, 8000, 0, 0);
        CHECK(job.found().empty());
    }
    SECTION("pipes are not files") {
        job.calls(job.output, "write", 4, 4'000'000, 0, 32'000'000).kind = FileKind::pipe;
        CHECK(job.found().empty());
    }
}

TEST_CASE("what calls did with each file, and what was not seen") {
    FileJob job;
    job.calls(job.output, "open", 0.5, 4, 0, 0);
    job.calls(job.output, "write", 1, 40, 0, 1000);
    job.calls(job.output, "sendfile", 1, 4, 500, 0);
    job.calls(job.output, "fstat", 0.25, 4, 0, 0);
    const std::vector<FileAccess> files = file_accesses(job.builder.profile);
    REQUIRE(files.size() == 1);
    CHECK(files[0].opens == 4);
    CHECK(files[0].writes == 40);
    CHECK(files[0].reads == 4);
    CHECK(files[0].metadata == 4);
    CHECK(files[0].data_ns == 2 * second);
    CHECK(files[0].metadata_ns == 3 * second / 4);
    RankBytes bytes{0, 100, 50};
    CHECK(read_not_seen(bytes) == -1);  // the kernel's figure is not known
    bytes.kernel_read = 130;
    bytes.own_read = 20;
    CHECK(read_not_seen(bytes) == 10);
    bytes.own_read = 50;
    CHECK(read_not_seen(bytes) == 0);
    CHECK(file_system_name(0xef53) == "ext4");
    CHECK(file_system_name(1).empty());
}

TEST_CASE("time in calls with files is a part of the run's time") {
    FileJob job;
    const std::uint32_t time = add_metric(job.builder.profile, MetricId::files_time);
    job.builder.profile.rank_metrics.push_back({2, time, 3e9});
    const std::vector<TimeSplit> splits = time_splits(job.builder.profile);
    REQUIRE(splits.size() == 4);
    CHECK(splits[1].files == 0);
    CHECK(splits[1].code == Approx(10));
    CHECK(splits[2].files == Approx(3));
    CHECK(splits[2].code == Approx(7));
}

TEST_CASE("time in libraries that read and write") {
    FileJob job;
    const std::uint32_t netcdf =
        job.builder.path(job.output, "nc_put_var", NodeKind::function, FileJob::even(0.25));
    const std::uint32_t hdf5 =
        job.builder.path(netcdf, "H5Dwrite", NodeKind::function, FileJob::even(0.5));
    const std::uint32_t mpi =
        job.builder.path(hdf5, "MPI_File_write_all", NodeKind::mpi, FileJob::even(0.1));
    Profile& profile = job.builder.profile;
    for (const auto& [path, file] : {std::pair{netcdf, "/usr/lib/libnetcdf.so.19"},
                                     std::pair{hdf5, "/usr/lib/libhdf5_openmpi.so.103"}}) {
        profile.functions[profile.paths[path].function].module =
            static_cast<std::uint32_t>(profile.modules.size());
        profile.modules.emplace_back().path = file;
    }
    job.calls(mpi, "pwrite", 2, 8, 0, 1000);
    job.calls(job.output, "write", 1, 4, 0, 500);
    const std::vector<IoLibraryUse> uses = io_library_uses(profile);
    REQUIRE(uses.size() == 3);
    CHECK(uses[0].name == "NetCDF");
    CHECK(uses[0].ns == (1 + 2) * second + 4 * second / 10 + 2 * second);
    CHECK(uses[0].own_ns == 3 * second + 4 * second / 10);
    CHECK(uses[1].name == "HDF5");
    CHECK(uses[1].ns == 2 * second + 4 * second / 10 + 2 * second);
    CHECK(uses[2].name == "MPI-IO");
    for (const IoLibraryUse& use : uses) {
        CHECK(use.calls == 8);
        CHECK(use.written == 1000);
    }
}
