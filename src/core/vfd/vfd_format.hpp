// The bytes of a vfd file: version 3 as written by Vftrace 2.0, and our extension after its last
// table. doc/vfd-format.md describes both in full.
//
//   header | samples of thread 0 and all messages | stacks | threads | hwprof | extension
//
// Integers are those of the machine that wrote the file, without padding. Readers of version 3
// ignore everything after the hwprof table.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace vftrace {

inline constexpr std::int32_t vfd_version = 3;

// After version, package string (length, text), and the two dates (length, text, text):
struct [[gnu::packed]] VfdNumbers {
    std::int64_t interval_ns;
    std::int32_t processes, rank, threads;
    double runtime_s;
    std::uint32_t function_samples, message_samples, stacks, counters, observables;
    std::int64_t samples_offset, stacks_offset, threads_offset, hwprof_offset;
};
static_assert(sizeof(VfdNumbers) == 80);

enum class VfdSampleKind : std::int32_t { enter = 0, exit = 1, message = 2 };

// Readings of all counters follow, a std::int64_t each.
struct [[gnu::packed]] VfdFunctionSample {
    VfdSampleKind kind;
    std::int32_t stack;
    std::int64_t ns;
};
static_assert(sizeof(VfdFunctionSample) == 16);

struct [[gnu::packed]] VfdMessageSample {
    VfdSampleKind kind;
    std::int32_t receives;  // 0 if sent
    std::int32_t peer, datatype, count, type_bytes, tag;
    std::int64_t start_ns, end_ns;
    std::int32_t stack, thread;
};
static_assert(sizeof(VfdMessageSample) == 52);

// Indexed by VfdMessageSample::datatype. MPI_DERIVED_TYPE is -1; all others MPI_UNDEFINED_TYPE.
inline constexpr std::string_view vfd_datatypes[] = {
#define VFTRACE_MPI_DATATYPE(name, open_mpi, mpich, mpi_abi) #name,
#include "record/mpi_datatypes.inc"
#undef VFTRACE_MPI_DATATYPE
};
inline constexpr std::int32_t vfd_derived_type = -1;

// The name of VfdMessageSample::datatype.
constexpr std::string_view vfd_datatype_name(std::int32_t datatype) {
    if (datatype == vfd_derived_type)
        return "MPI_DERIVED_TYPE";
    return datatype >= 0 && static_cast<std::uint32_t>(datatype) < std::size(vfd_datatypes)
               ? vfd_datatypes[static_cast<std::uint32_t>(datatype)]
               : "MPI_UNDEFINED_TYPE";
}

// The extension: VfdExtensionHeader, then sections, each a VfdSectionHeader and its payload, then
// VfdExtensionFooter, which ends the file. Unknown sections are skipped.
inline constexpr char vfd_extension_magic[8] = {'V', 'F', 'D', 'E', 'X', 'T', '\n', '\1'};
struct [[gnu::packed]] VfdExtensionHeader {
    char magic[8];
};
struct [[gnu::packed]] VfdExtensionFooter {
    std::int64_t extension_offset;
    char magic[8];
};

enum class VfdSection : std::uint32_t {
    run = 1,           // texts: VfdRunText
    threads = 2,       // VfdThread and name, repeated, in the order of the thread table
    samples = 3,       // function samples (as in version 3) of the thread `detail`; not of thread 0
    clock = 4,         // VfdClock
    modules = 5,       // std::uint32_t length, path, std::uint32_t length, build-id; repeated
    functions = 6,     // VfdFunction and texts, repeated
    stacks = 7,        // std::uint32_t per stack: index of its function in section `functions`
    counters = 8,      // std::uint32_t length, unit, for each counter
    gaps = 9,          // VfdGap, repeated: where events are missing, or the program waited
    tracks = 10,       // std::uint64_t pieces of work that are missing; VfdTrack and the device's
                       // name, repeated
    kernels = 11,      // two texts per kernel: symbol, demangled name
    device_work = 12,  // VfdDeviceWork, repeated, in the order of start times
    call_samples = 13,   // VfdCallSample, repeated, of the thread `detail`
    kinds = 14,          // std::uint32_t length, word, for each VfdFunction::kind from 0 on
    task_moments = 15,   // VfdTaskMoment, repeated, of the thread `detail`
    communicators = 16,  // std::uint64_t identity; then, in packed numbers, the number of ranks,
                         // how many of them follow, and these, each plus 1; repeated
    operations = 17,     // packed numbers: vfd/operation_section.hpp
    left_out = 18,       // VfdLeftOut, repeated, of the thread `detail`
};

struct [[gnu::packed]] VfdSectionHeader {
    VfdSection section;
    std::uint32_t detail;
    std::uint64_t bytes;  // of the payload
};

// Section run: std::uint32_t length and bytes of each of these, without NUL. Later versions may
// append further ones.
enum class VfdRunText : std::uint32_t { application, command_line, host, configuration, count };

struct [[gnu::packed]] VfdThread {
    std::int32_t parent;       // as in the thread table
    std::int32_t number;       // the kernel's
    std::uint32_t flags;       // 1: a worker of OpenMP
    std::uint64_t samples;     // of functions
    std::uint32_t name_bytes;  // the name follows
};

// Times in a file count from the start of its process. start_monotonic_ns + offset is that moment
// in rank 0's CLOCK_MONOTONIC; the offset drifts from begin to end.
struct [[gnu::packed]] VfdClock {
    std::int64_t start_unix_ns, start_monotonic_ns;
    std::int32_t measured;  // number of measurements of offsets: 0, 1 (in `begin`) or 2
    // Times of the process (as for samples), offsets, errors.
    std::int64_t begin_ns, begin_offset_ns, begin_error_ns;
    std::int64_t end_ns, end_offset_ns, end_error_ns;
};

struct [[gnu::packed]] VfdFunction {
    std::uint32_t kind;    // index into section `kinds`, or NodeKind without it
    std::uint32_t module;  // index into section `modules`, or 0xffffffff
    std::uint64_t offset;  // address - load bias
    std::uint32_t line;
    // Then std::uint32_t length and bytes of: symbol, demangled name, source file.
};

struct [[gnu::packed]] VfdGap {
    std::uint32_t thread;
    std::uint32_t waited;  // 1: the program waited; 0: events were dropped
    std::int64_t start_ns, end_ns;
    std::uint64_t events;  // missing ones
};

// The work of a GPU stream, with CUPTI's numbers of device, context and stream; `stream` is
// vfd_no_stream for pages of managed memory, which migrate automatically.
struct [[gnu::packed]] VfdTrack {
    std::uint32_t device, context, stream;
    std::uint64_t pieces;  // of work
    // Then std::uint32_t length and bytes of the device's name.
};
inline constexpr std::uint32_t vfd_no_stream = 0xffffffff;

// A piece of work of a GPU. Pieces of one track can overlap.
struct [[gnu::packed]] VfdDeviceWork {
    std::int64_t start_ns, end_ns;
    std::int64_t call_ns;  // begin of the call that launched it; -1 if not known
    std::uint64_t bytes;   // copied, set or moved
    std::uint32_t track;
    std::int32_t stack, thread;  // of that call; -1 if not known
    std::uint32_t work;          // GpuWork
    std::uint32_t kernel;        // index into section `kernels`, or 0xffffffff
};
static_assert(sizeof(VfdDeviceWork) == 52);

// The thread was found in a function without hooks: its calls are not recorded.
struct [[gnu::packed]] VfdCallSample {
    std::uint32_t stack;
    std::int64_t ns;
};
static_assert(sizeof(VfdCallSample) == 12);

// Entries and exits between two function samples of the thread that were left out because of the
// interval between samples.
struct [[gnu::packed]] VfdLeftOut {
    std::uint32_t stack;  // the innermost stack known to have been open throughout, or vfd_no_stack
    std::int64_t ns;      // of the later sample, or the end of the run
    std::uint64_t events;
};
static_assert(sizeof(VfdLeftOut) == 20);
inline constexpr std::uint32_t vfd_no_stack = 0xffffffff;

// An event of an asynchronous task.
struct [[gnu::packed]] VfdTaskMoment {
    std::uint32_t stack;
    std::int64_t ns;
    std::uint64_t task;    // unique within the process
    std::uint32_t moment;  // TaskMoment
};
static_assert(sizeof(VfdTaskMoment) == 24);

// A rank's part in an MPI operation. In the file it is a series of packed numbers
// (record/packed_words.hpp), in the order of start times: its kind, the time since the start of the
// operation before, the time to its end, the completing call if that is a different one, and the
// rest.
struct VfdOperation {
    static constexpr std::uint32_t send = 0, receive = 1, collectives = 2;
    static constexpr std::uint64_t completed_by_another = 16;  // added to `what`

    std::uint32_t what = send;  // or, from `collectives` on, CollectiveShape
    std::int64_t start_ns = 0;  // of the call that started it
    std::int64_t end_ns = 0;    // of the call that noticed its completion
    std::int64_t enter_ns = 0;  // when that call began: start_ns if it is the same
    std::uint32_t completing_stack = 0, completing_thread = 0;
    std::uint32_t stack = 0, thread = 0;
    std::uint32_t communicator = 0;  // index into section `communicators`
    std::int32_t peer = -1;          // or root, in MPI_COMM_WORLD; -1 if not in it, or none
    std::int32_t tag = 0;            // of a message
    std::uint64_t bytes = 0;         // of a message
    std::uint64_t number = 0;        // of a collective, in its communicator

    bool is_collective() const { return what >= collectives; }
};

}  // namespace vftrace
