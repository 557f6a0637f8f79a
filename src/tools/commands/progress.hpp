// A progress bar on stderr for long commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace vftrace::tools {

// Draws only if stderr is a terminal, and not before the work has taken a second; erases what it
// drew at its end. `wanted` false: never draws (the command's output goes to the same terminal).
class Progress {
  public:
    // `what` is printed before the bar: "heat_0.vfd".
    explicit Progress(const std::string& what, bool wanted = true);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // In any unit. Usually costs one comparison, so it may be called for each sample.
    void update(std::uint64_t done, std::uint64_t total) {
        if (done >= next_)
            draw(done, total);
    }

  private:
    void draw(std::uint64_t done, std::uint64_t total);

    std::string what_;
    std::uint64_t next_ = 0;  // nothing needs to be done below this
    std::chrono::steady_clock::time_point due_;
    bool drawn_ = false;
};

}  // namespace vftrace::tools
