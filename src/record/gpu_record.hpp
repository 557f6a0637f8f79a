// GPU calls and GPU work, as stored in memory with the call trees, and in their file.
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

// What a call calls. Its address is the key of the nodes of such calls (NodeKind::gpu).
struct GpuCallName {
    GpuApi api;
    std::uint32_t callback;     // CUPTI's number of the function (CBID), or openacc_callback()
    const char* function;       // "cudaMemcpyAsync", "openacc_12_18_compute_construct"
    const char* kernel;         // mangled name of the kernel that it launches; nullptr: none
    GpuCallName* next_created;  // of CUDA
    // Of OpenACC where its construct is, as far as that is reported: the source file, the function
    // that contains it, as in the symbol table, and its first line, or 0.
    const char* file = nullptr;
    const char* within = nullptr;
    std::uint32_t line = 0;
};

// What the path of such a call is named after.
inline const char* gpu_symbol(const GpuCallName& name) {
    return name.kernel ? name.kernel : name.function;
}

// The work of one device launched by the calls of one path; kernels by name, because a graph has
// several.
struct GpuPathWork {
    const Node* node;    // of the call; nullptr: it is not known
    const char* kernel;  // mangled; nullptr: no kernel
    std::uint32_t device;
    GpuWork work;
    std::uint64_t count, ns, shortest_ns, longest_ns, bytes;
    std::uint64_t timely;     // of `count`: those whose wait is known
    std::uint64_t waited_ns;  // from the beginning of the call to the start on the device; sum
    GpuPathWork* next_created;
    std::uint32_t number_in_trace = 0;  // from 1; 0: the trace does not know it
};

struct GpuStream {
    std::uint32_t device, context, stream;                     // CUPTI's numbers
    std::uint64_t kernels, kernel_ns, copies, copy_ns, bytes;  // memsets count as copies
    std::uint64_t first_ns, last_ns;  // start of the first piece of work, end of the last
    GpuStream* next_created;
    std::uint32_t number_in_trace = 0;  // of its track, from 1; 0: it has none
};

// Times when at least one kernel, at least one copy, and both at once were under way.
struct GpuDevice {
    std::uint32_t number;
    char name[68];  // "NVIDIA H200"; empty if unknown
    std::uint64_t kernel_ns, copy_ns, overlap_ns;
    std::uint64_t first_ns, last_ns;
    GpuDevice* next_created;
    std::uint32_t number_in_trace =
        0;  // of the track of what has no stream, from 1; 0: it has none
};

// What the constructs of one path moved to and from one device, and allocated there.
struct ConstructTransfers {
    const Node* node;  // a construct of OpenACC or OpenMP
    std::int32_t device;
    std::uint64_t count[construct_bytes];  // of transfers and allocations, by ConstructBytes
    std::uint64_t bytes[construct_bytes];
    ConstructTransfers* next_created;
};

// A device that constructs were meant for, by the number that its model gives it.
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
    std::uint64_t records;         // of work that was done
    std::uint64_t dropped;         // that CUPTI had no room for
    std::uint64_t unmatched;       // whose call is not known
    std::uint64_t unfinished;      // whose work was under way at the end of the run
    std::uint64_t callback_ticks;  // spent in callbacks and on records
    std::uint64_t openacc_ticks;   // spent in callbacks of OpenACC
};

}  // namespace vftrace
