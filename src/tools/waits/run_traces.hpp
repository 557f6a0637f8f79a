// The traces of the ranks of a run together: one clock, one set of call paths. For tools.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "export/clock_alignment.hpp"
#include "profile/profile.hpp"
#include "readers/vfd_reader.hpp"
#include "waits/wait.hpp"

namespace vftrace {

// The reason why the traces cannot be analysed, in one line.
class WaitsError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct RankTrace {
    std::unique_ptr<VfdFile> file;
    std::uint32_t rank = 0;  // in MPI_COMM_WORLD
    AlignedClock clock;
    std::int64_t clock_error_ns = 0;           // largest error of its times
    std::vector<std::uint32_t> path_of_stack;  // in RunTraces::paths()

    std::int64_t begin_ns() const { return clock(0); }
    std::int64_t end_ns() const;
};

class RunTraces {
  public:
    static constexpr std::uint32_t no_rank = 0xffffffff;
    // The remaining difference of clocks that were compared exactly: both count from readings that
    // take some hundred nanoseconds.
    static constexpr std::int64_t reading_error_ns = 1000;

    // Opens the files. Throws WaitsError if they are not ranks of one run, if two are from the same
    // rank, or if the differences of their clocks or their MPI operations are unknown; throws
    // VfdError for a file that cannot be read.
    explicit RunTraces(const std::vector<std::string>& files);

    const std::vector<RankTrace>& ranks() const { return ranks_; }  // sorted by rank
    // Index into ranks() of a rank in MPI_COMM_WORLD; no_rank if there is no trace of it.
    std::uint32_t index_of(std::int32_t rank) const {
        return rank >= 0 && static_cast<std::uint32_t>(rank) < index_of_rank_.size()
                   ? index_of_rank_[static_cast<std::uint32_t>(rank)]
                   : no_rank;
    }
    // The number of processes of the run, with or without a trace.
    std::uint32_t processes() const { return processes_; }
    ClockSource clock_source() const { return clock_source_; }
    // Functions and call paths of all ranks, without figures, and the data about the run.
    const Profile& paths() const { return paths_; }

    // The shortest wait of one rank for another that can be distinguished from an error of the
    // clocks.
    std::int64_t least_wait_ns(std::uint32_t a, std::uint32_t b) const {
        return ranks_[a].clock_error_ns + ranks_[b].clock_error_ns + reading_error_ns;
    }

  private:
    void open(const std::vector<std::string>& files);
    void check_that_they_belong_together() const;
    void check_operations() const;
    void align();
    void unite_paths();

    std::vector<RankTrace> ranks_;
    std::vector<std::uint32_t> index_of_rank_;
    std::uint32_t processes_ = 0;
    ClockSource clock_source_ = ClockSource::own_start;
    Profile paths_;
};

}  // namespace vftrace
