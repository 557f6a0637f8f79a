// The measurements of one process, as stored in memory and, by default, in a file that outlives it.
//
//   ProcessRecord ── threads ──> ThreadRecord ── next ──> ThreadRecord ...
//        │                            ├─ root ──> Node ── next_created ──> Node ...
//        │                            └─ segments ──> StackSegment ── frames ──> Frame, Frame ...
//        └─ modules
//
// The record is the start of the file, if there is one (tree/tree_memory.hpp); everything that can
// be reached from it is in the file too. Pointers are addresses in the process: the extents map the
// memory to which they point to positions in the file. Code that reads the file of another process
// trusts nothing in it (recover/). The frame above the last open one does not have a stack address,
// so that a reader finds the calls that were open when the process died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/clock.hpp"
#include "record/address_rows.hpp"
#include "record/annotation_rows.hpp"
#include "record/earlier_section.hpp"
#include "record/file_rows.hpp"
#include "record/heap_figures.hpp"
#include "record/hook_costs.hpp"
#include "record/latencies.hpp"
#include "record/loaded_module.hpp"
#include "record/lock_waits.hpp"
#include "record/node.hpp"
#include "record/parameter_record.hpp"
#include "record/placement_rows.hpp"
#include "record/record_list.hpp"
#include "record/sample_clock.hpp"

namespace vftrace {

// How an open activation is to be closed. Stored in Frame::start in place of a time: a processor
// whose clock is below 16 ticks has not booted yet.
enum FrameKind : std::uint64_t {
    frame_base = 0,      // bottom of a segment; never closed
    frame_nested = 1,    // direct recursion: its time is in an outer frame of the same node
    frame_untimed = 2,   // one of the calls between the timed ones of a thinned node
    frame_timed = 3,     // timed in `slow_start`: other clock, first on another stack
    frame_thinned = 4,   // the same; it represents Node::stride calls
    frame_fold = 5,      // the same, entered through an alias of the node, which gets the time
    frame_overflow = 6,  // deeper than the frames reach; the thread counts further levels
    frame_paused = 7,    // top of the stack between pause and resume
    frame_starting = 8,  // on the stack, but its clock has not been read yet
    // In a program that is sampled: represents the functions that lead to the frame above it. It is
    // not an activation of its node, and is removed together with the frame above it.
    frame_callers = 9,
    frame_last_kind = 15
};

// Whether the time of the activation is not measured; most exits that are not timed are of these
// kinds.
constexpr bool is_timeless(std::uint64_t start) { return start - frame_nested <= 1; }

struct Frame {
    Node* node;
    std::uint64_t start;   // ticks at entry, or a FrameKind
    std::uintptr_t stack;  // canonical frame address of the entry hook; 0: not open (any longer)
    std::uint64_t slow_start;  // ticks at entry if `start` is a FrameKind
};

// The range of addresses that one of the thread's stacks occupies, with the activations on it.
struct StackSegment {
    std::uintptr_t low, high;
    Frame* frames;         // frames[0] is the frame_base; frames[capacity] is for frame_overflow
    std::size_t capacity;  // frames that have memory
    std::size_t reserved;  // frames that it may have
    Frame* top;            // valid while the segment is not the current one
    StackSegment* interrupted;   // the current segment when the first activation here began
    StackSegment* next;          // next segment of the same thread
    std::uint64_t suspended_at;  // ticks when another stack continued; 0: not suspended
    bool of_signals;             // the thread's sigaltstack
    bool takes_addresses;        // for more frames, when it grows; else it has them already
};

// Why a function is not recorded (any longer), and what happened to its hooks.
enum class Unwanted : std::uint8_t {
    over_budget,  // measuring it was too expensive
    excluded      // by a filter
};
enum class HooksLeft : std::uint8_t { none, some, all };  // some: in other functions, by inlining
struct UnwantedFunction {
    std::uintptr_t key;    // its address, while its module is loaded
    std::uint64_t moment;  // ticks
    std::uint16_t module;  // index of LoadedModule
    Unwanted why;
    HooksLeft hooks_left;  // those that could not be removed, and only count
};

// How often a function that has lost its hooks had been called per call of its caller; recorded
// only if this ratio had been stable.
struct CallRatio {
    std::uint32_t node;  // Node::number
    float calls;
};

// A set of processors, by the kernel's numbers; all zeros: not known.
struct ProcessorSet {
    static constexpr std::size_t most = 1024, bits = 64;
    std::uint64_t words[most / bits];

    // While the thread may store its set.
    bool has(std::size_t processor) const {
        const std::uint64_t word = __atomic_load_n(&words[processor / bits], __ATOMIC_RELAXED);
        return word >> processor % bits & 1;
    }
};

struct ThreadMessages;  // record/message_figures.hpp
struct SeriesRecord;    // record/series.hpp
struct SideTable;       // record/side_table.hpp
struct GpuRecord;       // record/gpu_record.hpp

// One thread's tree. The trees of threads that have ended are used for later threads with the same
// start.
struct ThreadRecord {
    Node* root;  // "init"; calls on behalf of other threads' nodes are in a NodeKind::graft
    StackSegment* segments;      // of all stacks on which the thread runs
    ThreadMessages* messages;    // of MPI; nullptr until the first one
    SideTable* side_tables;      // figures of sources; nullptr until the first one
    ThreadAddresses addresses;   // at which its samples were taken
    ThreadLockWaits lock_waits;  // for which locks it waited
    ThreadLatencies latencies;   // how long its calls took
    ThreadHeap heap;             // what it has allocated
    ThreadFiles files;           // what its calls did with files
    ThreadPlacement placement;   // which large blocks it touched first, and which it uses
    const Node* start;  // the NodeKind::thread below which the thread was created, or nullptr
    std::uint64_t dropped_calls;  // calls that could not be recorded
    std::uint64_t samples;        // of the call stack
    std::uint64_t other_samples;  // their time is measured by the clock, or is not to be recorded
    std::uint64_t lost_samples;   // taken during our own work
    std::uint64_t review_ticks;   // of reviews and changes of code; not part of any path's time
    std::uint64_t kernel_ns;      // represented by samples of the kernel's work, without lost ones
    std::uint64_t interrupted_ticks;  // without a processor, because others used it
    std::uint64_t interruptions;      // how often
    std::uint64_t threads;      // number of threads that have used this tree, one after another
    std::uint64_t lived_ticks;  // life time of those that have ended
    std::uint64_t started;      // ticks; of the latest thread
    // Of threads that ran tasks: their processor time since they began to record, and, of the
    // latest thread, the part before that; in tasks; and ticks in tasks of which only the duration
    // was measured (runtime/sources/tasks/task_processor.hpp).
    std::uint64_t processor_ns, processor_before_ns;
    std::uint64_t task_processor_ns, task_ticks;
    std::uint64_t paused_ticks;  // pauses of the process by which starts of frames were moved
    std::uint32_t number;        // in the order of registration, from 0
    std::uint32_t node_count;
    std::uint32_t nodes_at_removal;  // node_count when the first function lost its hooks; 0: never
    RecordList<CallRatio> call_ratios;  // of its nodes that have lost their hooks
    std::uint64_t handle;               // pthread_t of the latest thread
    std::int32_t tid;                   // the kernel's number of the latest thread
    ProcessorSet processors;            // on which the latest thread could run at its end
    // The lowest number among the processors of their core, if they are all of one; 0: the core is
    // not known, else the number + 1.
    std::uint32_t core;
    std::uint8_t in_use;         // 0: the thread has ended
    std::uint8_t is_worker;      // created by an OpenMP run-time library for its teams
    std::uint8_t name_in_trace;  // the trace file has the name
    char name[16];               // given by the program, or empty
    // Where the end of what is open will be stored: a thread that OpenMP keeps for later teams is
    // not notified when a region ends. nullptr, or 0 there: it continues.
    const std::uint64_t* open_until;
    const Node* latest_in_trace;  // latest node that the trace file describes; nullptr: none
    ThreadRecord* next;
};

// The time until which what is open on a thread continues, at most `now`.
inline std::uint64_t end_of_open(const ThreadRecord& record, std::uint64_t now) {
    const std::uint64_t* until = __atomic_load_n(&record.open_until, __ATOMIC_ACQUIRE);
    std::uint64_t end = until ? __atomic_load_n(until, __ATOMIC_ACQUIRE) : 0;
    return end && end < now ? end : now;
}

// A piece of the file and the address at which the process mapped it.
struct FileExtent {
    std::uint64_t address, offset, bytes;  // bytes is set last
};

enum class ProcessState : std::uint32_t {
    running,    // or killed without being able to record it
    writing,    // an ordinary end: the process is writing its profile itself
    signal,     // killed by signal ProcessRecord::end_code
    exit_call,  // _exit, _Exit: ends with exit status end_code
    written,    // an ordinary end, and the profile is written: the file is not needed any more
    unwritten   // an ordinary end, but the profile could not be written
};

// What `vftrace start` and `vftrace stop` request from a process, and its answer. `request` is the
// only word of the file that another process writes.
enum class RemoteRequest : std::uint8_t { none, start, stop };
struct RemoteControl {
    // A RemoteRequest in the lowest byte; the rest is a number that distinguishes requests.
    std::uint32_t request;
    std::uint32_t answered;  // the latest request that has been carried out
    std::uint8_t listens;    // a thread of the process checks for requests
};
constexpr RemoteRequest kind_of_request(std::uint32_t request) {
    return RemoteRequest(request & 0xff);
}

inline constexpr char process_record_magic[8] = {'v', 'f', 't', 'r', 'e', 'e', '\n', '\0'};
struct ProcessRecord {
    char magic[8];
    std::uint32_t layout;
    std::uint32_t record_bytes;  // sizeof(ProcessRecord)
    ProcessRecord* address;      // in the process

    std::int64_t pid;
    std::int64_t parent_pid;  // for an MPI rank the launcher's, the same for all ranks on a host
    std::uint64_t pid_namespace;  // inode of /proc/self/ns/pid: where these numbers are valid
    std::uint64_t process_start;  // clock ticks after boot (/proc/PID/stat, field 22)
    std::int64_t library_start_unix_ns;
    std::int64_t start_unix_ns;  // of recording
    ClockReading start;
    ClockReading latest;                // a later reading, for readers on another machine
    HookCosts hook_costs;               // at the start
    std::uint64_t sample_period_ns;     // 0: the program is not sampled
    std::uint64_t processor_ns_before;  // processor time of all threads when recording began
    std::uint64_t processor_ns;         // and when it ended; 0: unknown
    KernelCodeId kernel_code;           // its addresses are among those of the modules
    SampleClock sample_clock;
    std::uint8_t sampled_beside_hooks;  // in addition to hooks; else instead of hooks
    std::uint8_t processor_ticks;       // false: all times are nanoseconds
    std::uint8_t uses_mpi;
    std::uint8_t forked;      // a child process without exec: files have its pid in their names
    std::uint8_t incomplete;  // memory outside the file had to be used
    std::uint8_t threads_went_on;  // at the end, because they could not be stopped
    std::uint32_t rank, ranks;
    const char* host;
    const char* job;  // the launcher's name for the job, or empty
    const char* application;
    const char* command_line;
    const char* output_base;  // absolute, without suffix
    const char* task_suffix;  // follows it if MPI is not used: distinguishes copies of a program
    const char* trace_file;  // absolute path of the .tmpvfd to which events are written, or nullptr
    const char* config_source;
    const char* config_text;  // the whole configuration as JSON

    ThreadRecord* threads;       // the one registered last
    std::uint32_t thread_count;  // records
    ModuleTable modules;
    RecordList<UnwantedFunction> unwanted;
    GpuRecord* gpu;          // nullptr: no GPU was used
    SideTable* side_tables;  // figures of the whole process; nullptr until the first one
    SeriesRecord* series;    // its figures over time
    RecordList<EarlierSectionRecord> earlier_sections;  // complete before the first event
    RecordList<ParameterRecord> parameters;             // of the run; the names are distinct
    std::uint32_t address_rows;                         // of all threads
    std::uint64_t review_ticks;          // spent on limiting the cost: reviews, changes of code
    std::uint64_t section_memory_ticks;  // spent on reading the memory for sections
    AnnotationRow* annotations;          // for other tools; nullptr: none
    FileRecord* files;                   // with which its calls worked; nullptr: none
    std::uint64_t read_outside, written_outside;  // bytes, by calls that are not in any path
    std::uint64_t own_read, own_written;          // by those of the library
    std::uint64_t memory_peaks;  // moments when more was allocated and not freed than ever before
    std::uint64_t section_memory_left_out;  // sections for which it was not read, because of that
    std::uint64_t library_start_ticks;      // of our own start and end, within the run

    ProcessState state;
    std::int32_t end_code;
    std::uint64_t end_ticks;
    std::int64_t end_unix_ns;
    std::uint64_t paused_ticks;   // of the whole process, up to the last resume
    std::uint64_t pause_started;  // 0: it is not paused
    RemoteControl control;

    // Most extents are stored in separate pages, because there may be tens of thousands.
    static constexpr std::uint32_t extents_per_page = 4096 / sizeof(FileExtent);
    static constexpr std::uint32_t max_extent_pages = 300;
    std::uint64_t file_bytes;                      // handed out so far
    std::uint32_t extent_count;                    // the first one is the record's own
    FileExtent first_extents[8];                   // further ones are in the pages
    std::uint64_t extent_pages[max_extent_pages];  // their offsets in the file, 0: none yet
};
static_assert(sizeof(ProcessRecord) <= 4096);

// Distinguishes versions of the file by what usually changes, the sizes. The initial value must be
// increased when something else changes.
inline constexpr std::uint32_t process_record_layout = [] {
    std::uint32_t layout = 8;
    for (std::size_t size : {sizeof(ProcessRecord), sizeof(ThreadRecord), sizeof(StackSegment),
                             sizeof(Frame), sizeof(Node), sizeof(LoadedModule)})
        layout = layout * 1009 + static_cast<std::uint32_t>(size);
    return layout;
}();

// Whether there is anything for a profile. Threads alone do not count: launchers have them too.
inline bool anything_recorded(const ProcessRecord& process) {
    for (const ThreadRecord* thread = process.threads; thread; thread = thread->next)
        for (const Node* node = thread->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
            if (node->kind != NodeKind::root && node->kind != NodeKind::thread &&
                node->kind != NodeKind::graft)
                return true;
    return process.unwanted.count > 0;  // everything that there was has been filtered
}

}  // namespace vftrace
