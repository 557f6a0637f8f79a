// Readers of roll calls on other hosts, each started by the job's launcher.
//
// They form a tree: each reader starts some further ones and passes on their results with its own,
// so no process communicates with more than `branches` others. A reader sends at most one roll call
// per second, of at most 64 kB.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "rollcall/roll_call.hpp"

namespace vftrace::tools {

inline constexpr std::size_t most_bytes_of_message = 64 * 1000;
inline constexpr std::size_t branches = 8;

// The data passed to all readers of a roll call.
struct ReaderSettings {
    std::string launcher, job;
    std::size_t levels = 4;
    double timeout = 20;  // seconds to answer in; of those below them the readers wait less long
    double watch = 0;     // 0: one roll call
};

class RemoteReaders {
  public:
    // Starts a reader on the first of each part of the hosts, and has it start the rest.
    RemoteReaders(const std::vector<std::string>& hosts, const ReaderSettings& settings);
    // Ends those that still run.
    ~RemoteReaders();
    RemoteReaders(const RemoteReaders&) = delete;
    RemoteReaders& operator=(const RemoteReaders&) = delete;

    // Reads what they send until then, or until each has sent something that was not read before.
    void read_until(std::chrono::steady_clock::time_point end);
    // The same, until each has sent a roll call or has ended; those that have not become problems.
    void await_all();

    // What they have sent last, added to `call`. Returns whether all of them are stuck.
    bool add_to(RollCall& call) const;
    bool any_left() const;

  private:
    struct Reader {
        std::string host;
        std::size_t hosts;  // that it answers for
        pid_t process = 0;
        int output = -1;  // -1: it has ended
        std::string unread;
        RollCall latest;
        bool has_answered = false, is_new = false, too_late = false;
    };
    void start(Reader& reader, const std::vector<std::string>& further,
               const ReaderSettings& settings);
    void take(Reader& reader);
    void end(Reader& reader);

    std::vector<std::unique_ptr<Reader>> readers_;
    double timeout_;
};

}  // namespace vftrace::tools
