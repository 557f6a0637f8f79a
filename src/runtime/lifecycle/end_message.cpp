#include "lifecycle/end_message.hpp"

#include <optional>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "config/run_variable.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/run.hpp"
#include "mpi/mpi_state.hpp"
#include "report/inlining_advice.hpp"
#include "report/summary_line.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

// Never destroyed: the end of the process reads them.
const std::string* line;
const std::string* report;
// The advice and the files to which it refers; nullptr without advice.
const std::string *advice, *profile_file, *filter_file;
long teller;

bool is_first_task() {
    return mpi_process.used ? mpi_process.rank == 0
                            : run->task_suffix.empty() || run->task_suffix == "_task0";
}

// Whether functions have hooks that are calls in their code, inserted before inlining.
bool has_hooks_against_inlining() {
    for (const ThreadRecord* thread = process_record->threads; thread; thread = thread->next)
        for (const Node* node = thread->root; node; node = node->next_created)
            if (node->kind == NodeKind::function &&
                !(node->flags & (node_prologue | node_sampled)) && node->calls > 0)
                return true;
    return false;
}

void note_advice(const Profile& profile, const std::string& base) {
    const std::optional<InliningAdvice> found = inlining_advice(profile);
    if (!found || !has_hooks_against_inlining())
        return;
    advice = new std::string(
        format("this build runs about %.1f times as long as without hooks, which prevent the "
               "compiler from inlining %u short function%s",
               found->times_as_long, found->functions, plural_s(found->functions)));
    profile_file = new std::string(base + "all.json");
    filter_file = new std::string(base + "all.filter");
}

}  // namespace

void note_end_message(const Profile& profile, const std::string& base) {
    const Options& options = run->configuration.options;
    if (!is_first_task() || process_record->forked)
        return;
    teller = process_record->pid;
    if (options.end_summary_line && run_ends_at_terminal())
        line = new std::string(summary_line(profile, base + "all.log"));
    if (line)
        note_advice(profile, base);
    if (options.end_report && options.json)
        report = new std::string(base + "all.json");
    else if (options.end_report)
        message("end.report: a report needs the JSON file (option json)");
}

void report_end_message() {
    if (teller == 0 || seccomp_filter_was_noted() || teller != syscall(SYS_getpid))
        return;
    teller = 0;
    if (report)
        start_report(report->c_str());
    if (line)
        message("%s", line->c_str());
    if (!advice)
        return;
    message("%s", advice->c_str());
    constexpr const char* wrappers =
        "vftrace-cc, vftrace-c++ and vftrace-fc insert hooks after inlining";
    if (run->configuration.options.json &&
        start_filter(profile_file->c_str(), filter_file->c_str()))
        message("%s; gcc -finstrument-functions @%s leaves them out", wrappers,
                filter_file->c_str());
    else
        message("%s", wrappers);
}

}  // namespace vftrace
