// GPU calls and GPU work, as stored in memory with the call trees, and in the tree file.
//
//   ProcessRecord::gpu ── names ──> GpuCallName ...      (keys of the nodes of calls)
//        │              ├─ work ───> GpuPathWork ...      work launched by the calls of one path
//        │              ├─ streams > GpuStream ...
//        │              └─ devices > GpuDevice ...
//
// Lists grow at their end and are never shortened. Code that adds to a list or to its figures holds
// the lock of gpu/activity.cpp; readers may read at any time. All times are in nanoseconds of the
// clock of the device's records.
#pragma once

#include <cstdint>

#include "record/gpu_work.hpp"
#include "record/node.hpp"

namespace vftrace {

// What a call calls. The address of this object is the key of the nodes of such calls
// (NodeKind::gpu).
struct GpuCallName {
    GpuApi api;
    std::uint32_t callback;     // CUPTI's number of the function (CBID), or openacc_callback()
    const char* function;       // "cudaMemcpyAsync", "openacc_12_18_compute_construct"
    const char* kernel;         // mangled name of the launched kernel; nullptr: none
    GpuCallName* next_created;  // of CUDA
    // For OpenACC the position of the construct, as far as it is reported: the source file, the
    // function that contains it, as in the symbol table, and its first line, or 0.
    const char* file = nullptr;
    const char* within = nullptr;
    std::uint32_t line = 0;
};

// The symbol from which the path of such a call gets its name.
inline const char* gpu_symbol(const GpuCallName& name) {
    return name.kernel ? name.kernel : name.function;
}

// The work of one device launched by the calls of one path; one object per kernel name, because a
// graph has several kernels.
struct GpuPathWork {
    const Node* node;    // of the call; nullptr: unknown
    const char* kernel;  // mangled; nullptr: no kernel
    std::uint32_t device;
    GpuWork work;
    std::uint64_t count, ns, shortest_ns, longest_ns, bytes;
    std::uint64_t timely;     // of `count`: those for which the wait is known
    std::uint64_t waited_ns;  // from the beginning of the call to the start on the device; sum
    GpuPathWork* next_created;
    std::uint32_t number_in_trace = 0;  // from 1; 0: not in the trace
};

struct GpuStream {
    std::uint32_t device, context, stream;                     // CUPTI's numbers
    std::uint64_t kernels, kernel_ns, copies, copy_ns, bytes;  // memsets count as copies
    std::uint64_t first_ns, last_ns;  // start of the first piece of work, end of the last
    GpuStream* next_created;
    std::uint32_t number_in_trace = 0;  // of its track, from 1; 0: none
};

// The times during which at least one kernel, at least one copy, and both at once were active.
struct GpuDevice {
    std::uint32_t number;
    char name[68];  // "NVIDIA H200"; empty if unknown
    std::uint64_t kernel_ns, copy_ns, overlap_ns;
    std::uint64_t first_ns, last_ns;
    GpuDevice* next_created;
    std::uint32_t number_in_trace =
        0;  // of the track of the work without a stream, from 1; 0: there is none
};

// The data that the constructs of one path moved to and from one device, and allocated there.
struct ConstructTransfers {
    const Node* node;  // a construct of OpenACC or OpenMP
    std::int32_t device;
    std::uint64_t count[construct_bytes];  // of transfers and allocations, by ConstructBytes
    std::uint64_t bytes[construct_bytes];
    ConstructTransfers* next_created;
};

// A target device of constructs, identified by the number that its programming model gives it.
struct ConstructDevice {
    ProgrammingModel model;
    std::uint8_t is_host;  // the program's own processor
    std::int32_t number;
    ConstructDevice* next_created;
};

struct GpuRecord {
    GpuCallName* names;
    GpuPathWork* work;
    GpuStream* streams;
    GpuDevice* devices;
    ConstructTransfers* transfers;
    ConstructDevice* construct_devices;
    std::uint64_t records;         // of completed work
    std::uint64_t dropped;         // records for which CUPTI did not have room
    std::uint64_t unmatched;       // records for which the call is unknown
    std::uint64_t unfinished;      // records of work still active at the end of the run
    std::uint64_t callback_ticks;  // spent in callbacks and on records
    std::uint64_t openacc_ticks;   // spent in callbacks of OpenACC
};

}  // namespace vftrace
