// The figures above all panes: for all watched processes, in the chosen span of time.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "live/live_model.hpp"
#include "top/view_state.hpp"

namespace vftrace {

struct HeadFigures {
    std::string program;                       // its name, the number of processes, the host
    double elapsed = 0;                        // seconds
    std::uint32_t processes = 0, running = 0;  // watched processes; of them
    bool uses_mpi = false;
    std::uint32_t ranks = 0;  // of the job, on all hosts
    std::uint32_t threads = 0;
    double calls_per_second = 0;
    std::array<double, times_in> shares{};  // per cent, by TimeIn
    double overhead = 0;                    // per cent of the recorded time
    std::uint32_t filtered = 0;             // functions, in the process with the most
    std::size_t paths = 0;
};

HeadFigures head_figures(const LiveModel& model, TimeSpan span);

}  // namespace vftrace
