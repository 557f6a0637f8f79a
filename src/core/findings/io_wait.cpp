// The program waits for files, pipes, sockets or a terminal.
#include "base/text.hpp"
#include "findings/rules.hpp"
#include "findings/waiting_paths.hpp"

namespace vftrace {

void find_io_wait(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    const WaitsOfProgram waits = waits_of_program(
        run, {WaitKind::file, WaitKind::pipe, WaitKind::socket, WaitKind::terminal});
    std::optional<RunFinding> finding = finding_about(run, rule, waits, least_share);
    if (!finding)
        return;
    const double files_s = waits_of_program(run, {WaitKind::file}).seconds;
    const bool is_storage = files_s > waits.seconds / 2;
    finding->sentence =
        format("The program waits %s for %s, %s of the time%s.",
               seconds_text(finding->saved_seconds).c_str(),
               is_storage ? "files" : "input from others and for room for its output",
               percent_text(finding->share).c_str(), most_of_it(run, waits).c_str());
    finding->reason = format(
        "It waits %s times, %s on average; that is time in which its thread neither runs nor "
        "could run.",
        count_text(waits.waits).c_str(), seconds_text(waits.mean_seconds()).c_str());
    finding->confidence = Confidence::certain;
    finding->next_step =
        is_storage
            ? "Read and write less often and in larger blocks, or have another thread do it; "
              "\"vftrace report --waiting FILE\" shows where."
            : "Look at the program at the other end of the pipe or connection; \"vftrace "
              "report --waiting FILE\" shows where this one waits.";
    findings.push_back(std::move(*finding));
}

}  // namespace vftrace
