// A process that is watched while it runs, using only its tree file: its threads, their open calls
// with their start times, and the figures of its call paths.
//
// Reading costs the process nothing. Each refresh() reads what the threads have counted since the
// last one; the shape of the tree, which never changes, is read only once (live/live_tree.hpp).
//
//     LiveNames names;
//     LiveProcess process(find_process(pid), names);
//     process.refresh();
//     for (const LiveThread& thread : process.threads())
//         if (!thread.open.empty())
//             names.path_text(thread.open.back().path), thread.open.back().seconds ...
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "live/find_processes.hpp"
#include "live/live_functions.hpp"
#include "live/live_paths.hpp"
#include "recover/mark_file.hpp"

namespace vftrace {

// The functions and call paths that all processes that are watched together share.
struct LiveNames {
    LiveFunctions functions;
    LivePaths paths;

    const LiveFunction& function_of(std::uint32_t path) const {
        return functions[paths[path].function];
    }
    // "MPI_Allreduce < norm < solve < main", innermost function first, without the root.
    std::string path_text(std::uint32_t path) const;
};

// A call that has not ended.
struct OpenCall {
    std::uint32_t path;  // of LivePaths; the called function is that of the path
    double seconds;      // since it began
    // The hooks have not recorded when it began (thinned calls, direct recursion). It has been seen
    // open for `seconds`, so it has lasted at least as long.
    bool at_least;
};

struct LiveThread {
    std::uint32_t number;  // in the order of registration, from 0
    std::int32_t tid;      // in the process namespace of the process
    std::string name;      // given by the program or the kernel, or empty
    bool in_use;           // false: it has ended
    bool is_worker;        // created by an OpenMP run-time library for its teams
    bool paused;           // the program has paused recording
    std::string state;     // see text_of_thread_state(); empty if it is not known
    // Calls that were counted on the thread, without polls. While this number grows, the thread
    // makes progress.
    std::uint64_t calls;
    std::uint64_t polls;                   // calls that only asked MPI and found nothing to do
    std::array<double, times_in> seconds;  // by TimeIn
    std::vector<OpenCall> open;            // of the stack that it runs on; outermost first
};

// Data that do not change, or only when the process initializes MPI.
struct LiveFacts {
    std::int64_t pid = 0;      // in the process namespace of the caller
    std::int64_t own_pid = 0;  // in that of the process
    std::int64_t parent_pid = 0;
    std::uint64_t pid_namespace = 0;
    bool uses_mpi = false;
    std::uint32_t rank = 0, ranks = 1;
    std::string host, job, application, command_line, output_base, tree_file;
    std::int64_t start_unix_ns = 0;  // of recording
};

class LiveTree;
struct ProcessRecord;

class LiveProcess {
  public:
    // Does not read the tree yet. Throws NotWatchable.
    LiveProcess(FoundProcess found, LiveNames& names);
    ~LiveProcess();
    LiveProcess(const LiveProcess&) = delete;
    LiveProcess& operator=(const LiveProcess&) = delete;

    // Reads everything that has changed. Once the result is not `running`, it no longer changes,
    // and neither do the figures that were read last.
    Presence refresh();
    Presence presence() const { return presence_; }
    // Why it is not running, in one line that begins with the process id; "" if it is.
    const std::string& problem() const { return problem_; }

    const LiveFacts& facts() const { return facts_; }
    double elapsed_seconds() const;  // since recording began
    bool writes_profile() const;     // it is ending
    std::uint32_t filtered_functions() const;

    const std::vector<LiveThread>& threads() const;
    const LiveTree& tree() const { return *tree_; }
    LiveTree& tree() { return *tree_; }

    // The figures of the process at the mark that `vftrace mark` has set, if one was set since the
    // last call; else nullptr. Without a new mark, this takes one system call.
    std::unique_ptr<LiveTree> new_mark();

  private:
    void read();
    void look_for_it();
    void set_facts();
    void give_up(Presence why, const std::string& text);

    FoundProcess found_;
    LiveNames& names_;
    std::string mark_file_;
    std::optional<MarkStamp> mark_;  // the last mark that was read
    LiveFacts facts_;
    Presence presence_ = Presence::running;
    std::string problem_;
    std::unique_ptr<LiveTree> tree_;
};

}  // namespace vftrace
