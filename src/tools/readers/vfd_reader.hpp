// Reads vfd files of this version and of Vftrace 2.0. For tools.
//
// Every count, length and offset is checked against the file before it is used: a truncated,
// damaged or hostile file leads to a VfdError. Tables are kept in memory, and samples are streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "profile/display_names.hpp"
#include "profile/profile.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace {

// An error, as one line that names the file.
class VfdError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct VfdHeader {
    std::int32_t version = 0;
    std::string package;               // "Vftrace 2.0.0"
    std::string start_date, end_date;  // in the format of ctime()
    VfdNumbers numbers{};
};

struct VfdStack {
    std::uint32_t parent = no_index;  // less than the stack's own index; no_index for the first
    std::string name;                 // without the '*' of precise functions
    bool precise = false;
    std::uint32_t function = no_index;  // index into VfdExtension::functions
};

// The displayed name of a stack if the extension does not have its function: its name, with a mark
// if it is that of the root but the stack is not.
inline std::string_view display_name(const VfdStack& stack) {
    const bool like_the_root = stack.parent != no_index && stack.name == root_name;
    return like_the_root ? name_like_the_root(NodeKind::function) : std::string_view(stack.name);
}

struct VfdCounter {
    std::string name, symbol, unit;
};
struct VfdObservable {
    std::string name, formula, unit;
};

struct VfdThreadInfo {
    std::int32_t parent = -1;
    std::int32_t number = 0;
    bool openmp_worker = false;
    std::uint64_t samples = 0;  // of functions
    std::string name;
};

// A stream of a GPU, with CUPTI's numbers.
struct VfdTrackInfo {
    std::uint32_t device = 0, context = 0;
    std::uint32_t stream = 0;  // vfd_no_stream for managed memory
    std::uint64_t pieces = 0;  // of work
    std::string device_name;
};

// A communicator of MPI.
struct VfdCommunicator {
    std::uint64_t identity = 0;         // the same in the files of all of its ranks
    std::uint32_t size = 0;             // 0 if its members are unknown
    std::vector<std::int32_t> ranks{};  // in MPI_COMM_WORLD, -1: not in it; empty: rank i is i
};

// The data of the extension; mostly empty in files without one.
struct VfdExtension {
    bool present = false;
    std::string application, command_line, host, configuration;
    std::optional<VfdClock> clock;
    std::vector<Module> modules;
    std::vector<Function> functions;
    std::vector<VfdGap> gaps;
    std::vector<VfdTrackInfo> tracks;
    std::vector<Function> kernels;   // only with their names
    std::uint64_t missing_work = 0;  // pieces of GPU work for which there was no room
    std::vector<VfdCommunicator> communicators;
    bool has_operations = false;  // false: no MPI, or an older version
};

// One sample of either kind.
struct VfdSample {
    VfdSampleKind kind = VfdSampleKind::enter;
    std::uint32_t stack = 0;
    std::int64_t ns = 0;  // for a message its start
    // Readings of a function sample, valid until the next one. Empty if Vftrace 2.0 did not write
    // any, as in samples of MPI_..._sync (mpi.show_sync_time).
    std::span<const std::int64_t> counters;
    VfdMessageSample message{};  // for messages
};

class VfdSampleStream;
template <class Entry>
class VfdThreadStream;
using VfdCallSampleStream = VfdThreadStream<VfdCallSample>;
using VfdTaskMomentStream = VfdThreadStream<VfdTaskMoment>;
using VfdLeftOutStream = VfdThreadStream<VfdLeftOut>;
class VfdWorkStream;
class VfdOperationStream;

class VfdFile {
  public:
    // Throws VfdError.
    explicit VfdFile(const std::string& path);
    ~VfdFile();
    VfdFile(const VfdFile&) = delete;
    VfdFile& operator=(const VfdFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t bytes() const { return bytes_; }
    const VfdHeader& header() const { return header_; }
    // [0] is "init", which always exists.
    const std::vector<VfdStack>& stacks() const { return stacks_; }
    // The number of threads in the header, at least one.
    const std::vector<VfdThreadInfo>& threads() const { return threads_; }
    const std::vector<VfdCounter>& counters() const { return counters_; }
    const std::vector<VfdObservable>& observables() const { return observables_; }
    const VfdExtension& extension() const { return extension_; }

    // "leaf<...<init", with "*" after precise ones on request.
    std::string stack_text(std::uint32_t stack, bool mark_precise = false) const;

    // The samples of one thread in the file's order. Thread 0's contain the messages of all
    // threads. Several streams can be open at once. Memory: a buffer of 1 MiB each.
    VfdSampleStream samples(std::uint32_t thread = 0) const;

    // The samples that found the thread in functions without hooks, in the order of time; otherwise
    // as above.
    VfdCallSampleStream call_samples(std::uint32_t thread) const;
    std::uint64_t call_sample_count(std::uint32_t thread) const;

    // The events of tasks on the thread; otherwise as above.
    VfdTaskMomentStream task_moments(std::uint32_t thread) const;
    std::uint64_t task_moment_count(std::uint32_t thread) const;

    // What the interval left out between the thread's function samples; otherwise as above. Empty
    // for threads all of whose events were recorded, and in older files.
    VfdLeftOutStream left_out(std::uint32_t thread) const;
    // Entries and exits; 0 if it is not known.
    std::uint64_t left_out_events(std::uint32_t thread) const;
    // Whether the list of what was left out is missing: the file is thinned and was written by
    // another version.
    bool hides_what_was_left_out() const;

    // The work of all GPUs in the order of start times; otherwise as above.
    VfdWorkStream device_work() const;

    // The MPI operations, in the order of start times; otherwise as above.
    VfdOperationStream operations() const;

  private:
    friend class VfdSampleStream;
    template <class Entry>
    friend class VfdThreadStream;
    friend class VfdWorkStream;
    friend class VfdOperationStream;
    struct Section {
        std::uint64_t begin = 0, end = 0;  // in the file
        // unknown_samples if there are more than 2^32 - 1, which the 32 bits in the header cannot
        // hold.
        std::uint64_t function_samples = 0, message_samples = 0;
        bool lacks_sync_readings = false;  // see VfdSample::counters
    };
    static constexpr std::uint64_t unknown_samples = ~std::uint64_t{0};

    VfdFile() = default;
    void read_tables();
    void read_extension(std::uint64_t tables_end);
    void check_samples_of_first_thread();
    void check_samples_of_other_threads();
    std::uint64_t function_sample_bytes() const;

    std::string path_;
    int descriptor_ = -1;
    std::uint64_t bytes_ = 0;
    VfdHeader header_;
    std::vector<VfdStack> stacks_;
    std::vector<VfdThreadInfo> threads_;
    std::vector<VfdCounter> counters_;
    std::vector<VfdObservable> observables_;
    VfdExtension extension_;
    std::vector<Section> samples_of_;  // by thread
    struct Extent {
        std::uint64_t begin = 0, end = 0;
        std::uint64_t bytes() const { return end - begin; }
    };
    std::vector<Extent> call_samples_of_, task_moments_of_, left_out_of_;  // by thread
    Extent device_work_, operations_;
};

class VfdSampleStream {
  public:
    VfdSampleStream(VfdSampleStream&&) noexcept;
    ~VfdSampleStream();
    // Returns false at the end. Throws VfdError for a damaged sample. The kinds, stacks and threads
    // in samples are valid.
    bool next(VfdSample& sample);
    // Bytes read so far, and the total, for progress.
    std::uint64_t position() const;
    std::uint64_t size() const;

  private:
    friend class VfdFile;
    struct State;
    explicit VfdSampleStream(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// The lists that each thread has in addition to its function samples.
template <class Entry>
class VfdThreadStream {
  public:
    VfdThreadStream(VfdThreadStream&&) noexcept;
    ~VfdThreadStream();
    // Returns false at the end. Throws VfdError for damaged entries. Stacks and other indices in
    // entries are valid, and times do not decrease.
    bool next(Entry& entry);

  private:
    friend class VfdFile;
    struct State;
    explicit VfdThreadStream(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

class VfdWorkStream {
  public:
    VfdWorkStream(VfdWorkStream&&) noexcept;
    ~VfdWorkStream();
    // Returns false at the end. Throws VfdError for damaged work. Tracks, kinds and, if they are
    // known, stacks, threads and kernels in pieces of work are valid indices.
    bool next(VfdDeviceWork& work);
    // Bytes read so far, and the total, for progress.
    std::uint64_t position() const;
    std::uint64_t size() const;

  private:
    friend class VfdFile;
    struct State;
    explicit VfdWorkStream(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

class VfdOperationStream {
  public:
    VfdOperationStream(VfdOperationStream&&) noexcept;
    ~VfdOperationStream();
    // Returns false at the end. Throws VfdError for a damaged operation. Stacks, threads and
    // communicators in operations are valid indices, start times do not decrease, and no end is
    // before its start.
    bool next(VfdOperation& operation);
    // Bytes read so far, and the total, for progress.
    std::uint64_t position() const;
    std::uint64_t size() const;

  private:
    friend class VfdFile;
    struct State;
    explicit VfdOperationStream(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace vftrace
