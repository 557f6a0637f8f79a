// The measurements of one process, as stored in memory and, by default, in a file that outlives it.
//
//   ProcessRecord ── threads ──> ThreadRecord ── next ──> ThreadRecord ...
//        │                            ├─ root ──> Node ── next_created ──> Node ...
//        │                            └─ segments ──> StackSegment ── frames ──> Frame, Frame ...
//        └─ modules
//
// The record is the start of the file, if there is one (tree/tree_memory.hpp); everything that can
// be reached from it is in the file too. Pointers are those of the process: extents() map the
// memory that they point to to positions in the file. Code that reads the file of another process
// trusts nothing in it (recover/). The frame above the last open one has no stack address, so that
// a reader finds the calls that were open when the process died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/clock.hpp"
#include "record/earlier_section.hpp"
#include "record/hook_costs.hpp"
#include "record/loaded_module.hpp"
#include "record/node.hpp"
#include "record/parameter_record.hpp"
#include "record/record_list.hpp"
#include "record/sample_clock.hpp"

namespace vftrace {

// How an open activation is closed. Stored in Frame::start in place of a time: a processor that
// has counted to less than 16 ticks has not booted.
enum FrameKind : std::uint64_t {
    frame_base = 0,      // bottom of a segment; never closed
    frame_nested = 1,    // a recursion: its time is in an outer frame of the same node
    frame_untimed = 2,   // one of the calls between the timed ones of a thinned node
    frame_timed = 3,     // timed in `slow_start`: other clock, first on another stack
    frame_thinned = 4,   // the same; it stands for Node::stride calls
    frame_fold = 5,      // the same, called by an alias of the node, whose time it is
    frame_overflow = 6,  // deeper than the frames reach; the thread counts further levels
    frame_paused = 7,    // top of the stack between pause and resume
    frame_starting = 8,  // on the stack, its clock not read yet
    // Below the frame above it, in a program that is sampled: stands for the functions that have
    // led there. No activation of its node, and taken away with the frame above it.
    frame_callers = 9,
    frame_last_kind = 15
};

// Whether the activation has no time: most exits that are not timed are like this.
constexpr bool is_timeless(std::uint64_t start) { return start - frame_nested <= 1; }

struct Frame {
    Node* node;
    std::uint64_t start;       // ticks at entry, or a FrameKind
    std::uintptr_t stack;      // canonical frame address of the entry hook; 0: not open (any more)
    std::uint64_t slow_start;  // ticks at entry for frames that are a FrameKind
};

// A range of addresses that one stack of the thread occupies, with the activations on it.
struct StackSegment {
    std::uintptr_t low, high;
    Frame* frames;         // frames[0] is the frame_base, frames[capacity] room for frame_overflow
    std::size_t capacity;  // frames that have memory
    std::size_t reserved;  // frames that have addresses
    Frame* top;            // valid while the segment is not the current one
    StackSegment* interrupted;   // current when the first activation here began
    StackSegment* next;          // of the same thread
    std::uint64_t suspended_at;  // ticks when another stack continued; 0: not suspended
    bool of_signals;             // the thread's sigaltstack
};

// Why a function is not recorded (any more), and what became of its hooks.
enum class Unwanted : std::uint8_t {
    over_budget,  // measuring it cost too much
    excluded      // by a filter
};
enum class HooksLeft : std::uint8_t { none, some, all };  // some: in other functions, by inlining
struct UnwantedFunction {
    std::uintptr_t key;    // its address, while its module is loaded
    std::uint64_t moment;  // ticks
    std::uint16_t module;  // index of LoadedModule
    Unwanted why;
    HooksLeft hooks_left;  // that could not be removed, and only count
};

// How often a function that has lost its hooks was called for each call of its caller before, where
// that had not changed.
struct CallRatio {
    std::uint32_t node;  // Node::number
    float calls;
};

struct ThreadMessages;  // record/message_figures.hpp
struct SeriesRecord;    // record/series.hpp
struct SideTable;       // record/side_table.hpp
struct GpuRecord;       // record/gpu_record.hpp

// One thread's tree; those of threads that have ended serve for further ones with the same start.
struct ThreadRecord {
    Node* root;                // "init"; what other threads' nodes call starts in a NodeKind::graft
    StackSegment* segments;    // of all stacks that the thread runs on
    ThreadMessages* messages;  // of MPI; nullptr before the first one
    SideTable* side_tables;    // figures of sources; nullptr before the first one
    const Node* start;         // the NodeKind::thread that the thread was made below, or nullptr
    std::uint64_t dropped_calls;  // calls that could not be recorded
    std::uint64_t samples;        // of the call stack
    std::uint64_t other_samples;  // whose time is in a row by the clock, or was not to be recorded
    std::uint64_t lost_samples;   // that came during our own work
    std::uint64_t review_ticks;   // of reviews and changes of code, which are in no path's time
    std::uint64_t kernel_ns;      // what samples of the kernel's work stand for, the lost ones not
    std::uint64_t interrupted_ticks;  // without a processor, because others had it
    std::uint64_t interruptions;      // how often
    std::uint64_t threads;            // that have used this tree, one after another
    std::uint64_t lived_ticks;        // of those that have ended
    std::uint64_t started;            // ticks; of the last one
    std::uint64_t paused_ticks;  // of the process's, by which the starts of open frames are moved
    std::uint32_t number;        // in the order of registration, from 0
    std::uint32_t node_count;
    std::uint32_t nodes_at_removal;     // when the first function lost its hooks; 0: none has
    RecordList<CallRatio> call_ratios;  // of its nodes that have lost theirs
    std::uint64_t handle;               // pthread_t of the last one
    std::int32_t tid;                   // kernel's number of it
    std::uint8_t in_use;                // 0: the thread has ended
    std::uint8_t is_worker;             // made by an OpenMP run-time library for its teams
    std::uint8_t name_in_trace;         // the trace file has the name
    char name[16];                      // that the program gave it, or empty
    // Where it will stand when what is open ended: a thread that OpenMP keeps for later teams is
    // not notified when a region ends. nullptr, or 0 there: it continues.
    const std::uint64_t* open_until;
    const Node* latest_in_trace;  // node that the trace file describes; nullptr: none
    ThreadRecord* next;
};

// Until when what is open on a thread continues, at most `now`.
inline std::uint64_t end_of_open(const ThreadRecord& record, std::uint64_t now) {
    const std::uint64_t* until = __atomic_load_n(&record.open_until, __ATOMIC_ACQUIRE);
    std::uint64_t end = until ? __atomic_load_n(until, __ATOMIC_ACQUIRE) : 0;
    return end && end < now ? end : now;
}

// A piece of the file and where the process had it mapped.
struct FileExtent {
    std::uint64_t address, offset, bytes;  // bytes is set last
};

enum class ProcessState : std::uint32_t {
    running,    // or killed without being able to say so
    writing,    // an ordinary end: the process is writing its profile itself
    signal,     // dies of signal ProcessRecord::end_code
    exit_call,  // _exit, _Exit: ends with exit status end_code
    written,    // an ordinary end, and the profile is written: what is left of the file has no use
    unwritten   // an ordinary end, but the profile could not be written
};

// What `vftrace start` and `vftrace stop` ask a process for, and its answer. `request` is the one
// word of the file that another process writes.
enum class RemoteRequest : std::uint8_t { none, start, stop };
struct RemoteControl {
    // A RemoteRequest in the lowest byte; the rest is a number that distinguishes requests.
    std::uint32_t request;
    std::uint32_t answered;  // the latest request that has been done
    std::uint8_t listens;    // a thread of the process looks at requests
};
constexpr RemoteRequest kind_of_request(std::uint32_t request) {
    return RemoteRequest(request & 0xff);
}

inline constexpr char process_record_magic[8] = {'v', 'f', 't', 'r', 'e', 'e', '\n', '\0'};
struct ProcessRecord {
    char magic[8];
    std::uint32_t layout;
    std::uint32_t record_bytes;  // sizeof(ProcessRecord)
    ProcessRecord* address;      // where the process has it

    std::int64_t pid;
    std::int64_t parent_pid;      // of an MPI rank the launcher's, which all on a host have
    std::uint64_t pid_namespace;  // inode of /proc/self/ns/pid: whose numbers these are
    std::uint64_t process_start;  // clock ticks after boot (/proc/PID/stat, field 22)
    std::int64_t library_start_unix_ns;
    std::int64_t start_unix_ns;  // of recording
    ClockReading start;
    ClockReading latest;                // some time later, for readers on another machine
    HookCosts hook_costs;               // at the start
    std::uint64_t sample_period_ns;     // 0: the program is not sampled
    std::uint64_t processor_ns_before;  // processor time of all threads when recording began
    std::uint64_t processor_ns;         // and when it ended; 0: not known
    KernelCodeId kernel_code;           // whose addresses are among the modules'
    SampleClock sample_clock;
    std::uint8_t sampled_beside_hooks;  // else instead of hooks
    std::uint8_t processor_ticks;       // false: all times are nanoseconds
    std::uint8_t uses_mpi;
    std::uint8_t forked;      // a child process without exec: files have its pid in their names
    std::uint8_t incomplete;  // memory outside the file had to be used
    std::uint32_t rank, ranks;
    const char* host;
    const char* job;  // the launcher's name for the job, or empty
    const char* application;
    const char* command_line;
    const char* output_base;  // absolute, without suffix
    const char* task_suffix;  // follows it where MPI is not used: distinguishes copies of a program
    const char* trace_file;   // absolute path of the .tmpvfd that its events go to, or nullptr
    const char* config_source;
    const char* config_text;  // the whole configuration as JSON

    ThreadRecord* threads;       // the one registered last
    std::uint32_t thread_count;  // records
    ModuleTable modules;
    RecordList<UnwantedFunction> unwanted;
    GpuRecord* gpu;          // nullptr: no GPU was used
    SideTable* side_tables;  // figures of the whole process; nullptr before the first one
    SeriesRecord* series;    // and over time
    RecordList<EarlierSectionRecord> earlier_sections;  // complete before the first event
    RecordList<ParameterRecord> parameters;             // of the run; names differ
    std::uint64_t review_ticks;  // spent on keeping the cost down: reviews, changes of code

    ProcessState state;
    std::int32_t end_code;
    std::uint64_t end_ticks;
    std::int64_t end_unix_ns;
    std::uint64_t paused_ticks;   // of the whole process, up to the last resume
    std::uint64_t pause_started;  // 0: it is not paused
    RemoteControl control;

    // Extents are found through pages of them, because there may be tens of thousands.
    static constexpr std::uint32_t extents_per_page = 4096 / sizeof(FileExtent);
    static constexpr std::uint32_t max_extent_pages = 300;
    std::uint64_t file_bytes;                      // handed out so far
    std::uint32_t extent_count;                    // the first one is the record's own
    FileExtent first_extents[8];                   // then those in the pages
    std::uint64_t extent_pages[max_extent_pages];  // their offsets in the file, 0: none yet
};
static_assert(sizeof(ProcessRecord) <= 4096);

// Tells versions of the file apart by what usually changes, the sizes. The first factor is to be
// raised when something else does.
inline constexpr std::uint32_t process_record_layout = [] {
    std::uint32_t layout = 6;
    for (std::size_t size : {sizeof(ProcessRecord), sizeof(ThreadRecord), sizeof(StackSegment),
                             sizeof(Frame), sizeof(Node), sizeof(LoadedModule)})
        layout = layout * 1009 + static_cast<std::uint32_t>(size);
    return layout;
}();

// Whether there is a profile to make. Threads alone are nothing: launchers have them too.
inline bool anything_recorded(const ProcessRecord& process) {
    for (const ThreadRecord* thread = process.threads; thread; thread = thread->next)
        for (const Node* node = thread->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
            if (node->kind != NodeKind::root && node->kind != NodeKind::thread &&
                node->kind != NodeKind::graft)
                return true;
    return process.unwanted.count > 0;  // all that there was has been filtered
}

}  // namespace vftrace
