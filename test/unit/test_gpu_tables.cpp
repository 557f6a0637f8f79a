// What the log says about CUDA and GPUs.
#include "report/gpu_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "gpu_sample_profile.hpp"
#include "log_text.hpp"
#include "report/cuda_summary.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// All tables, with names short enough for these lines.
std::string tables_of(const Profile& profile, ReportOptions options = {},
                      LogScope scope = LogScope::summary) {
    options.max_name_width = 16;
    const PathText text(profile, options.max_name_width);
    return "\n" + written_tables([&](TableOutput& out) {
               write_cuda_summary(profile, text, options, scope, out);
               write_cuda_ratios(profile, text, options, out);
               write_gpu_tables(profile, text, options, out);
               write_cbid_names(profile, out);
           });
}

// The names of a column's cells, in the order of the rows.
std::string names_in(const std::string& table, std::size_t column) {
    std::string names;
    for (std::size_t line = table.find("\n|"); line != std::string::npos;
         line = table.find("\n|", line + 1)) {
        std::size_t begin = line + 1;
        for (std::size_t i = 0; i < column; i++)
            begin = table.find('|', begin + 1);
        std::string cell = table.substr(begin + 1, table.find('|', begin + 1) - begin - 1);
        cell.erase(0, cell.find_first_not_of(' '));
        cell.erase(cell.find_last_not_of(' ') + 1);
        names += (names.empty() ? "" : ",") + cell;
    }
    return names;
}

std::string sorted_by(const char* column, bool ascending = false) {
    ReportOptions options;
    options.cuda_sort = {column_named<CudaColumn>(column).value(), ascending};
    const std::string tables = tables_of(gpu_sample_profile(), options);
    return names_in(tables.substr(0, tables.find("\n\n")), 1);
}

// The same run on several ranks, of which the last one launches `stencil` on one rank only.
Profile with_ranks(std::uint32_t ranks) {
    Profile profile = gpu_sample_profile();
    profile.run.ranks = ranks;
    profile.run.uses_mpi = true;
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        profile.ranks.emplace_back().rank = rank;
    profile.gpu_work[1].by_rank.ranks = ranks;
    profile.gpu_work[1].by_rank.fewest = 10;
    profile.gpu_work[1].by_rank.most = 60;
    profile.gpu_work[5].by_rank.ranks = 1;
    profile.gpu_work[5].by_rank.fewest = profile.gpu_work[5].by_rank.most = 100;
    profile.gpu_devices[1].rank = 1;
    profile.gpu_streams[2].rank = 1;
    return profile;
}

}  // namespace

TEST_CASE("the tables of CUDA and GPUs") {
    CHECK(tables_of(gpu_sample_profile()) ==
          "\n"
          "--Cuda Summary--\n"
          "Using 2 GPUs: NVIDIA H200\n"
          "Visible GPUs: 0,3\n"
          "+------+------------------+--------------+--------+--------------+-------------+--------"
          "----+-----------------+-----------------+\n"
          "| STID |     cudaName     |     CBID     | #Calls | t_compute[s] | t_memcpy[s] | "
          "t_other[s] | Host->Device[B] | Device->Host[B] |\n"
          "+------+------------------+--------------+--------+--------------+-------------+--------"
          "----+-----------------+-----------------+\n"
          "|    4 | cudaDev...ronize |          165 |    100 |        0.000 |       0.000 |      "
          "1.400 |               0 |               0 |\n"
          "|    7 |     saxpy<float> |          211 |   1000 |        0.900 |       0.000 |      "
          "0.000 |               0 |               0 |\n"
          "|    2 | grid::s...>,128> | 307 (driver) |    100 |        0.450 |       0.000 |      "
          "0.000 |               0 |               0 |\n"
          "|    1 |       cudaMemcpy |           31 |    300 |        0.000 |       0.182 |      "
          "0.000 |      2000000000 |      2000000000 |\n"
          "|    0 |       cudaMalloc |           20 |      4 |        0.000 |       0.000 |      "
          "0.090 |               0 |               0 |\n"
          "|    6 |  cudaGraphLaunch |          262 |     10 |        0.020 |       0.000 |      "
          "0.000 |               0 |               0 |\n"
          "|      |  (no known call) |              |        |        0.000 |       0.002 |      "
          "0.000 |          196608 |               0 |\n"
          "+------+------------------+--------------+--------+--------------+-------------+--------"
          "----+-----------------+-----------------+\n"
          "\n"
          "CUDA ratio of memcpy / kernel calls:\n"
          "cudaMemcpy<step (STID 1): 100 in, 100 out, 100 other copies\n"
          "    saxpy<float> (STID 7): 1000 launches, 0.100 in and 0.100 out per launch\n"
          "    grid::s...>,128> (STID 2): 100 launches, 1.000 in and 1.000 out per launch\n"
          "\n"
          "GPU kernels (time on the device; wait: from the call to the start, mean)\n"
          "+-------+---------+---------+----------+---------+---------+----------+-----------------"
          "-+-----------------+------+\n"
          "| Count | Time[s] | Time[%] | Mean[us] | Min[us] | Max[us] | Wait[us] |      Kernel     "
          " |     Caller      | STID |\n"
          "+-------+---------+---------+----------+---------+---------+----------+-----------------"
          "-+-----------------+------+\n"
          "|  1000 |   0.900 |    65.7 |    900.0 |   850.0 |  1200.0 |      5.0 |     "
          "saxpy<float> |            step |    7 |\n"
          "|   100 |   0.450 |    32.8 |   4500.0 |  4000.0 |  5000.0 |     10.0 | "
          "grid::s...>,128> |            step |    2 |\n"
          "|    40 |   0.020 |     1.5 |    500.0 |   490.0 |   510.0 |      2.0 |           "
          "reduce | cudaGraphLaunch |    6 |\n"
          "+-------+---------+---------+----------+---------+---------+----------+-----------------"
          "-+-----------------+------+\n"
          "\n"
          "GPU copies (bandwidth: bytes divided by the time on the device)\n"
          "+-----------------+-------+------------+--------------+---------+-----------------+-----"
          "-----+\n"
          "|    Direction    | Count |   Bytes    | Mean size[B] | Time[s] | Bandwidth[GB/s] | "
          "Wait[us] |\n"
          "+-----------------+-------+------------+--------------+---------+-----------------+-----"
          "-----+\n"
          "|  host to device |   100 | 2000000000 |     20000000 |   0.080 |          25.000 |     "
          "30.0 |\n"
          "|  device to host |   100 | 2000000000 |     20000000 |   0.100 |          20.000 |   "
          "4000.0 |\n"
          "| within a device |   100 | 2000000000 |     20000000 |   0.002 |        1000.000 |     "
          "     |\n"
          "| pages to device |     3 |     196608 |        65536 |   0.002 |           0.098 |     "
          "     |\n"
          "|          memset |    10 |      40960 |         4096 |   0.000 |           2.731 |     "
          "10.0 |\n"
          "+-----------------+-------+------------+--------------+---------+-----------------+-----"
          "-----+\n"
          "\n"
          "GPUs (time with kernels, with copies, with both, with neither; span: first start to "
          "last end)\n"
          "+-----+-------------+------------+------------+-----------+-----------+---------+-------"
          "--+---------+---------+---------+\n"
          "| GPU |    Name     | Kernels[s] | Kernels[%] | Copies[s] | Copies[%] | Both[s] | "
          "Both[%] | Idle[s] | Idle[%] | Span[s] |\n"
          "+-----+-------------+------------+------------+-----------+-----------+---------+-------"
          "--+---------+---------+---------+\n"
          "|   0 | NVIDIA H200 |      0.910 |       37.9 |     0.184 |       7.7 |   0.100 |     "
          "4.2 |   1.406 |    58.6 |   2.400 |\n"
          "|   1 | NVIDIA H200 |      0.450 |       45.0 |     0.000 |       0.0 |   0.000 |     "
          "0.0 |   0.550 |    55.0 |   1.000 |\n"
          "+-----+-------------+------------+------------+-----------+-----------+---------+-------"
          "--+---------+---------+---------+\n"
          "\n"
          "GPU streams (busiest first)\n"
          "+-----+---------+--------+---------+------------+--------+-----------+------------+-----"
          "----+---------+\n"
          "| GPU | Context | Stream | Kernels | Kernels[s] | Copies | Copies[s] |   Bytes    | "
          "Span[s] | Busy[%] |\n"
          "+-----+---------+--------+---------+------------+--------+-----------+------------+-----"
          "----+---------+\n"
          "|   0 |       1 |      7 |    1000 |      0.900 |    200 |     0.182 | 6000000000 |   "
          "2.400 |    45.1 |\n"
          "|   1 |       2 |      7 |     100 |      0.450 |      0 |     0.000 |          0 |   "
          "1.000 |    45.0 |\n"
          "|   0 |       1 |     13 |      40 |      0.020 |    113 |     0.002 |     237568 |   "
          "0.500 |     4.4 |\n"
          "+-----+---------+--------+---------+------------+--------+-----------+------------+-----"
          "----+---------+\n"
          "\n"
          "CUPTI CBID names:\n"
          "----------------------------------------\n"
          "          CBID   CUPTI name             \n"
          "----------------------------------------\n"
          "  307 (driver)   cuLaunchKernel         \n"
          "            20   cudaMalloc             \n"
          "            31   cudaMemcpy             \n"
          "           165   cudaDeviceSynchronize  \n"
          "           211   cudaLaunchKernel       \n"
          "           262   cudaGraphLaunch        \n"
          "----------------------------------------\n"
          "\n");
}

TEST_CASE("the CUDA table is sorted as the configuration says") {
    CHECK(sorted_by("time") ==
          "cudaName,cudaDev...ronize,saxpy<float>,grid::s...>,128>,cudaMemcpy,cudaMalloc,"
          "cudaGraphLaunch,(no known call)");
    CHECK(sorted_by("time", true) ==
          "cudaName,(no known call),cudaGraphLaunch,cudaMalloc,cudaMemcpy,grid::s...>,128>,"
          "saxpy<float>,cudaDev...ronize");
    CHECK(sorted_by("memcpy") ==
          "cudaName,cudaMemcpy,(no known call),cudaGraphLaunch,cudaMalloc,grid::s...>,128>,"
          "cudaDev...ronize,saxpy<float>");
    CHECK(sorted_by("cbid", true) ==
          "cudaName,(no known call),cudaMalloc,cudaMemcpy,cudaDev...ronize,saxpy<float>,"
          "cudaGraphLaunch,grid::s...>,128>");
    CHECK(sorted_by("calls") ==
          "cudaName,saxpy<float>,cudaMemcpy,grid::s...>,128>,cudaDev...ronize,cudaGraphLaunch,"
          "cudaMalloc,(no known call)");
    CHECK(sorted_by("none", true) ==
          "cudaName,cudaMalloc,cudaMemcpy,grid::s...>,128>,cudaDev...ronize,cudaGraphLaunch,"
          "saxpy<float>,(no known call)");
    CHECK_FALSE(column_named<CudaColumn>("stack_id").has_value());
}

TEST_CASE("a rank's log has two decimals, and the log does not mention CUDA if it is not used") {
    const std::string rank = tables_of(gpu_sample_profile(), {}, LogScope::rank);
    CHECK(contains(rank, "|         0.90 |        0.00 |       0.00 |"));
    const std::string log = log_of(sample_profile());
    for (const char* word : {"CUDA", "Cuda", "GPU", "CUPTI"})
        CHECK_FALSE(contains(log, word));
}

TEST_CASE("the summary has the times of CUDA, averaged over ranks") {
    CHECK(contains(log_of(gpu_sample_profile()), "Total CUDA time:          3.04 s\n"
                                                 "   Compute:               1.37 s\n"
                                                 "   Memcpy:                0.18 s\n"
                                                 "   Other:                 1.49 s\n"));
    CHECK(contains(log_of(with_ranks(2)), "Total CUDA time:          1.52 s\n"));
}

TEST_CASE("parts that are not wanted are left out") {
    ReportOptions options;
    options.show_cuda = false;
    std::string log = log_of(gpu_sample_profile(), options);
    CHECK_FALSE(contains(log, "Cuda Summary"));
    CHECK_FALSE(contains(log, "CUPTI CBID names"));
    CHECK_FALSE(contains(log, "GPU kernels"));
    CHECK(contains(log, "Total CUDA time:"));
    options = {};
    log = log_of(gpu_sample_profile(), options);
    CHECK(log.find("--Cuda Summary--") < log.find("Global call stacks:"));
    CHECK(log.find("Global call stacks:") < log.find("CUPTI CBID names:"));
    options.max_rows = 2;
    log = log_of(gpu_sample_profile(), options);
    CHECK(contains(table_in(log, "--Cuda Summary--"), "(5 more rows)\n"));
    CHECK(contains(log, "(1 more row)\n\nGPU copies"));
}

TEST_CASE("with separate files CUDA has one of its own") {
    char folder[] = "/tmp/vftrace_gpu_XXXXXX";
    REQUIRE(mkdtemp(folder));
    ReportOptions options;
    options.separate = true;
    Profile profile = gpu_sample_profile();
    profile.run.config_text.clear();
    CHECK(published([&](NewFiles& files) {
              write_all_logs(profile, options, std::string(folder) + "/x_", files);
          }).error == 0);
    const auto size_of = [&](const char* name) {
        return std::filesystem::file_size(std::string(folder) + name);
    };
    CHECK(size_of("/x_all_cuda.log") > 4500);
    CHECK(size_of("/x_all.log") < 4500);
    std::filesystem::remove_all(folder);
}

TEST_CASE("several ranks: the owners of GPUs and streams, and how evenly they copy") {
    const std::string tables = tables_of(with_ranks(2));
    CHECK(contains(tables, "cudaMemcpy<step (STID 1): 100 in (50.00 per rank: 10 to 60), 100 out"));
    CHECK(contains(tables, "100 launches (50.00 per rank: 0 to 100), 1.000 in and 1.000 out"));
    CHECK(contains(tables, "| Rank | GPU |    Name     |"));
    CHECK(contains(tables, "|    1 |   1 | NVIDIA H200 |"));
    CHECK(contains(tables, "|    1 |   1 |       2 |      7 |"));
}

TEST_CASE("rows that merging left out come last") {
    Profile profile = with_ranks(2);
    profile.gpu_streams.push_back({no_index, no_index, no_index, no_index, 5, 6, 7,
                                   std::numeric_limits<std::int64_t>::max(), 9, 10});
    const std::string tables = tables_of(profile);
    const std::size_t others = tables.find("|      |     |         | all others |");
    REQUIRE(others != std::string::npos);
    CHECK(tables.find("|      13 |", others) == std::string::npos);
}

TEST_CASE("GPUs of several kinds, without names, or none") {
    Profile profile = gpu_sample_profile();
    profile.gpu_devices.push_back({0, 2, "", 0, 0, 0, 0});
    profile.gpu_devices.push_back({0, 3, "NVIDIA\nA100", 0, 0, 0, 0});
    profile.run.visible_gpus.clear();
    std::string tables = tables_of(profile);
    CHECK(contains(tables, "Using 2 GPUs: NVIDIA H200\n"
                           "Using 1 GPUs: (their name is not known)\n"
                           "Using 1 GPUs: NVIDIA\\nA100\n+--"));
    profile.gpu_devices.clear();
    profile.gpu_streams.clear();
    profile.gpu_work.clear();
    tables = tables_of(profile);
    CHECK(contains(tables, "Using 0 GPUs: no work was seen on any\n"));
    CHECK_FALSE(contains(tables, "ratio"));
    CHECK_FALSE(contains(tables, "GPU kernels"));
    // Without device work, all calls count as other calls.
    CHECK(cuda_times(profile).other_ns == 2'000'000'000);
}

TEST_CASE("impossible figures are still printed") {
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    Profile profile = with_ranks(3);
    for (std::int64_t time : {longest, least}) {
        for (PathGpuWork& work : profile.gpu_work) {
            work.count = work.bytes = work.timely = work.by_rank.fewest = work.by_rank.most = most;
            work.ns = work.shortest_ns = work.longest_ns = work.waited_ns = time;
        }
        for (GpuStreamFigures& stream : profile.gpu_streams)
            stream.kernel_ns = stream.copy_ns = stream.span_ns = time;
        for (GpuDeviceFigures& device : profile.gpu_devices)
            device.kernel_ns = device.copy_ns = device.overlap_ns = device.span_ns = time;
        CHECK(contains(tables_of(profile), "GPU streams"));
        CHECK(contains(log_of(profile), "Total CUDA time:"));
    }
}

TEST_CASE("many call paths that copy, and many kernels") {
    Profile profile = gpu_sample_profile();
    for (std::uint32_t i = 0; i < 30; i++) {
        Path path = profile.paths[4];
        path.stid = 100 + i;
        profile.paths.push_back(path);
        PathGpuWork copy = profile.gpu_work[1];
        copy.path = 9 + i;
        profile.gpu_work.push_back(copy);
        PathGpuWork kernel = profile.gpu_work[5];
        kernel.path = 9 + i;
        profile.gpu_work.push_back(kernel);
    }
    const std::string tables = tables_of(profile);
    CHECK(contains(tables, "    (22 more kernels)\n"));
    CHECK(contains(tables, "(11 more call paths with copies)\n"));
}
