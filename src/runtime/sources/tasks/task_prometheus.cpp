#include "tasks/task_prometheus.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/guarded.hpp"
#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/output_file.hpp"
#include "config/options.hpp"
#include "service/service_thread.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

// The value of the option, made absolute because programs may change their directory. nullptr: no
// file is requested.
const std::string* pattern;
std::size_t most_types;
std::uint32_t rank_by_launcher;

std::uint32_t own_rank() {
    return process_record->uses_mpi ? process_record->rank : rank_by_launcher;
}

// Inserts the part that distinguishes the file of this process from others before the suffix
// ".prom"; only used if the pattern does not determine its place.
void add_distinction(std::string& path, const std::string& what) {
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    const bool has_end = dot != path.npos && dot > slash + 1;
    path.insert(has_end ? dot : path.size(), '.' + what);
}

std::string own_path() {
    const std::string rank = std::to_string(own_rank()), process = std::to_string(getpid());
    std::string path;
    bool has_rank = false, has_process = false;
    for (std::size_t i = 0; i < pattern->size(); i++) {
        const char letter = (*pattern)[i];
        const char next = letter == '%' && i + 1 < pattern->size() ? (*pattern)[i + 1] : '\0';
        i += next == 'r' || next == 'p' || next == '%';
        if (next == 'r')
            path += rank;
        else if (next == 'p')
            path += process;
        else
            path += letter;
        has_rank |= next == 'r';
        has_process |= next == 'p';
    }
    if (!has_rank && !has_process && own_rank() > 0)
        add_distinction(path, rank);
    if (!has_process && process_record->forked)
        add_distinction(path, process);
    return path;
}

// Copies the types with the most time, so that other queries need not wait for the file.
void note_types(const LiveTaskRanks& all, std::vector<LiveTaskRank>& most) {
    for (const LiveTaskRank* rank : all.sorted_by(&LiveTaskRank::with_children_ns))
        if (most.size() < most_types && rank->with_children_ns > 0)
            most.push_back(*rank);
}

void write_file(const std::vector<LiveTaskRank>& ranks) {
    const std::string rank = std::to_string(own_rank()), path = own_path();
    OutputFile file(path);
    file.write(prometheus_text(ranks, process_record->ranks > 1 ? &rank : nullptr));
    const int error = file.close();
    if (error != 0 && error != EBADF)  // the program has closed descriptors that it did not open
        VFTRACE_MESSAGE_ONCE("task.prometheus_file: cannot write %s: %s (reported once)",
                             path.c_str(), std::strerror(error));
}

void note_and_write(bool at_end) {
    run_guarded([at_end] {
        std::vector<LiveTaskRank> ranks;
        bool are_tasks = false;
        const auto note = [&](const LiveTaskRanks& all, std::uint64_t) {
            are_tasks = !all.all().empty();
            note_types(all, ranks);
        };
        ask_tasks(note, at_end);
        if (are_tasks)
            write_file(ranks);
    });
}

TimedWork work = {.interval_ns = 0, .run = [] { note_and_write(false); }, .writes_files = true};

}  // namespace

void prepare_task_prometheus(const Options& options) {
    if (options.task_prometheus_file.empty())
        return;
    char here[PATH_MAX];
    const bool is_absolute = options.task_prometheus_file.starts_with('/');
    pattern = new std::string(is_absolute || !getcwd(here, sizeof here)
                                  ? options.task_prometheus_file
                                  : here + ('/' + options.task_prometheus_file));
    constexpr double shortest = 0.1;
    work.interval_ns = interval_ns(options.task_prometheus_interval, shortest);
    most_types = static_cast<std::size_t>(options.task_prometheus_top);
    const char* rank = launcher_rank(environ);
    rank_by_launcher = rank ? static_cast<std::uint32_t>(std::strtoul(rank, nullptr, 10)) : 0;
}

void start_task_prometheus() {
    if (!pattern)
        return;
    if (const int error = every(work))
        message("task.prometheus_file: cannot start the thread that writes the file: %s",
                std::strerror(error));
}

void end_task_prometheus() {
    if (pattern)
        note_and_write(true);
}

}  // namespace vftrace
