// The record of a process, with its threads and their trees, rebuilt from its trace (.tmpvfd).
//
// The result can be passed to code that trusts its input (collate/), like that of RecoveredProcess.
// Calls and times are counted from the events; a trace with an interval only has some of them.
// Damaged chunks are left out; the paths that they described, and those below, are missing.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "profile/paths_of_nodes.hpp"
#include "record/gpu_record.hpp"
#include "record/process_record.hpp"
#include "vfd/trace_descriptions.hpp"
#include "vfd/trace_file_reader.hpp"

namespace vftrace {

class TracedProcess {
  public:
    // Reads all chunks; notes in `file` which ones are damaged.
    explicit TracedProcess(TraceFileReader& file);
    TracedProcess(const TracedProcess&) = delete;
    TracedProcess& operator=(const TracedProcess&) = delete;

    // False if the trace does not identify its process; the record is empty then.
    bool is_known() const { return is_known_; }
    // Texts are never nullptr. Node::number and the lists of nodes are as a process would have
    // them; their numbers in the trace are in the tables below.
    const ProcessRecord& record() const { return record_; }
    std::int64_t sample_interval_ns() const { return process_.sample_interval_ns; }

    // The latest moment, in ticks, of an event or of writing.
    std::uint64_t latest_ticks() const { return latest_ticks_; }

    // Counts calls and times, for which the end of the run has to be known: open calls end then,
    // and later events do not count. To be called once.
    void count_events(std::uint64_t end_ticks);

    // Converts paths that are indexed by this record's node numbers to the numbers in the trace.
    PathsOfNodes in_trace(const PathsOfNodes& nodes) const;

  private:
    static constexpr std::uint32_t unknown = 0xffffffff;
    struct Open {
        Node* node;
        std::uint64_t start;  // minus the paused time until then
        const Node* caller;   // nullptr if none
    };
    struct Thread {
        ThreadRecord record{};
        std::deque<Node> nodes;
        std::vector<std::uint32_t> number_of;  // by number in the trace: index into nodes
        std::uint64_t first_event = 0, last_event = 0;
        // While events are counted:
        std::vector<Open> open;
        std::vector<std::uint32_t> open_count;  // by index into nodes
        std::vector<std::uint64_t> ticks;       // likewise; differences may temporarily be below 0
        std::uint64_t not_running = 0;          // ticks that the thread was paused, or waited
        bool after_left_out = false;            // since the latest event
    };
    struct Target {
        std::uint32_t thread, node;        // of the pointer
        std::uint32_t of_thread, of_node;  // what it points to
    };
    class EventCounter;

    void read_process(const TraceProcess& process, const TraceTexts& texts);
    void add_module(const TraceModule& module, std::string_view path);
    bool add_path(const TracePath& path, std::string_view text);
    bool add_root(const TracePath& path, std::string_view text);
    void read_latest_events();
    void connect();
    Thread* thread_of(std::uint32_t number) {
        return number < threads_.size() && threads_[number].record.root ? &threads_[number]
                                                                        : nullptr;
    }
    Node* node_of(std::uint32_t thread, std::uint32_t number);
    const char* keep_text(std::string_view text) {
        return texts_.emplace_back(text.substr(0, text.find('\0'))).c_str();
    }
    // The level is in the byte before the name (section_level()).
    const char* keep_section_name(std::string_view name, std::uint64_t level) {
        const std::uint64_t known_level = std::min<std::uint64_t>(level, last_section_level);
        std::string& text = texts_.emplace_back(1, static_cast<char>(known_level));
        return text.append(name.substr(0, name.find('\0'))).c_str() + 1;
    }

    TraceFileReader& file_;
    bool is_known_ = false;
    TraceProcess process_{};
    ProcessRecord record_{};
    std::vector<LoadedModule> modules_;
    std::vector<bool> module_is_known_;
    std::deque<Thread> threads_;  // by number in the trace; those without a root are not known
    std::vector<Target> targets_;
    std::deque<std::string> texts_;
    std::deque<GpuCallName> gpu_names_;
    std::uint64_t latest_ticks_ = 0;
    std::size_t room_for_numbers_;
};

}  // namespace vftrace
