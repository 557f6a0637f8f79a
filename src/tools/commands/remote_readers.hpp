// Readers of roll calls on other hosts, each started by the job's launcher.
//
// They form a tree: each reader starts some further ones and passes on their results with its own,
// so no process communicates with more than `branches` others at a time. A reader first reports
// that it has been started; then it sends at most one roll call per second, of at most 64 kB. In a
// hung job, hosts may be dead: if one does not start its reader, the next host takes over those
// below it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "rollcall/roll_call.hpp"

namespace vftrace::tools {

inline constexpr std::size_t most_bytes_of_message = 64 * 1000;
inline constexpr std::size_t branches = 8;
// The first line that a reader prints.
inline constexpr std::string_view reader_is_here = "rollcall reader\n";

// The data passed to all readers of a roll call.
struct ReaderSettings {
    std::string launcher, job;
    std::size_t levels = 4;
    double timeout = 20;  // seconds to answer in; readers allow those below them less
    double watch = 0;     // 0: one roll call
};

class RemoteReaders {
  public:
    // Starts a reader on the first host of each part of the list, and has it start the rest of that
    // part.
    RemoteReaders(const std::vector<std::string>& hosts, const ReaderSettings& settings);
    // Ends the readers that are still running.
    ~RemoteReaders();
    RemoteReaders(const RemoteReaders&) = delete;
    RemoteReaders& operator=(const RemoteReaders&) = delete;

    // Reads the readers' output until then, or until each has sent something new.
    void read_until(std::chrono::steady_clock::time_point end);
    // The same, until each has sent a roll call or has ended; those that have done neither become
    // problems.
    void await_all();

    // Adds their latest roll calls to `call`. Returns whether all of them are stuck.
    bool add_to(RollCall& call) const;
    bool any_left() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Reader {
        std::string host;
        std::vector<std::string> further;  // hosts below it
        // When it will be replaced if it has not sent anything and hosts are below it.
        Clock::time_point start_by;
        pid_t process = 0;
        int output = -1;  // -1 if it has ended
        std::string unread;
        RollCall latest;
        bool is_here = false, has_answered = false, is_new = false;
        bool is_replaced = false;  // by others, one of which is on the same host
        std::string problem;       // why it will not answer
    };
    void start(const std::string& host, std::vector<std::string> further);
    void take(Reader& reader);
    void end(Reader& reader);
    // For each host that has not started its reader, has the next host take over.
    void replace_missing();

    ReaderSettings settings_;
    Clock::time_point end_;  // the latest time to answer
    std::vector<std::unique_ptr<Reader>> readers_;
};

}  // namespace vftrace::tools
