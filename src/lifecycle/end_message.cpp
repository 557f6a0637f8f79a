// What a run says at its end.
#include "lifecycle/end_message.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.hpp"
#include "config/run_variable.hpp"
#include "lifecycle/recovery.hpp"
#include "lifecycle/run.hpp"
#include "mpi/session.hpp"
#include "report/summary_line.hpp"
#include "tree/process_record.hpp"

namespace vftrace {
namespace {

// Never destroyed: the end of the process reads them.
const std::string* line;
const std::string* report;
long teller;

bool is_first_task() {
    return mpi_process.used ? mpi_process.rank == 0
                            : run->task_suffix.empty() || run->task_suffix == "_task0";
}

}  // namespace

void note_end_message(const Profile& profile, const std::string& base) {
    const Options& options = run->configuration.options;
    if (!is_first_task() || process_record->forked)
        return;
    teller = syscall(SYS_getpid);
    if (options.end_summary_line && run_ends_at_terminal())
        line = new std::string(summary_line(profile, base + "all.log"));
    if (options.end_report && options.json)
        report = new std::string(base + "all.json");
    else if (options.end_report)
        message("end.report: there is no report without the JSON file (option json)");
}

void tell_end_message() {
    if (teller == 0 || teller != syscall(SYS_getpid))
        return;
    teller = 0;
    if (report)
        start_report(report->c_str());
    if (line)
        message("%s", line->c_str());
}

}  // namespace vftrace
