// "--Cuda Summary--": the CUDA table of Vftrace 2.0, from records of devices.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Calls of one path and what they had GPUs do.
struct CudaRow {
    std::uint32_t path = 0;  // the root: work whose call is not known
    std::uint64_t calls = 0;
    std::int64_t compute_ns = 0;               // of kernels on the device
    std::int64_t memcpy_ns = 0;                // of copies and memsets on the device
    std::int64_t other_ns = 0;                 // in calls that had the device do nothing
    std::uint64_t to_device = 0, to_host = 0;  // bytes
};

// By path, for all paths that are calls of CUDA or had work done.
std::vector<CudaRow> cuda_rows(const Profile& profile);

// For a whole profile, summed over its ranks; nanoseconds.
struct CudaTimes {
    std::int64_t compute_ns = 0, memcpy_ns = 0, other_ns = 0;
};
CudaTimes cuda_times(const Profile& profile);

// Whether the program has used CUDA.
bool uses_gpus(const Profile& profile);

// Writes the GPUs, the table with one row per path, and an empty line.
void write_cuda_summary(const Profile& profile, const PathText& text, const ReportOptions& options,
                        LogScope scope, TableOutput& out);

// "CUDA ratio of memcpy / kernel calls:" for each path that copies, the numbers of its copies, and
// how many there are per launch of a kernel below the same caller. Nothing without copies.
void write_cuda_ratios(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

// "CUPTI CBID names:" the list of the numbers in the table.
void write_cbid_names(const Profile& profile, TableOutput& out);

}  // namespace vftrace
