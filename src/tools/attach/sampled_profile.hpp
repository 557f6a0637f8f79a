// The profile of processes that were sampled from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attach/sampled_process.hpp"
#include "config/options.hpp"

namespace vftrace {

// Why a record ends.
enum class SampleEnd : std::uint8_t {
    requested,  // the process continues
    exec,       // it continues as another program
    ended       // it has ended; how is known to its parent only
};

struct FinishedSamples {
    std::unique_ptr<SampledProcess> process;
    SampleEnd end = SampleEnd::requested;
    std::size_t threads_left_out = 0;  // for which there were no descriptors
};

// Ranks of one job, or a single process.
using SampledJob = std::vector<FinishedSamples*>;
std::vector<SampledJob> jobs_of(std::vector<FinishedSamples>& finished);

// Writes the logs and the JSON file, as a program that was started by `vftrace run` would have, and
// returns their paths. `directory`: "" for the working directory. Throws TreeFileError if that is
// not possible: then none is written.
std::vector<std::string> write_sampled_job(const SampledJob& job, const Options& options,
                                           const std::string& directory);

}  // namespace vftrace
