// vftrace rollcall: where each rank of a job is, and whether it hangs.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/host_ranks.hpp"
#include "commands/job_hosts.hpp"
#include "commands/recovery_commands.hpp"
#include "commands/remote_readers.hpp"
#include "commands/roll_call_json.hpp"
#include "rollcall/roll_call.hpp"

namespace vftrace::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Two readings show which ranks compute, and how long calls without a recorded beginning last.
constexpr std::chrono::milliseconds between_looks{200};

struct RollCallArguments {
    std::vector<std::string> targets;  // process ids, or tree files
    std::string job, hosts;
    ReaderSettings settings;
    std::size_t most_groups = 10;
    bool reader = false, json = false;
};

std::optional<std::int64_t> number_in(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number <= 0)
        return std::nullopt;
    return number;
}

// A folder represents the tree files in it.
void add_files_of(const std::string& path, std::vector<std::string>& files) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
        return files.push_back(path);
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
        if (entry.path().extension() == ".tree")
            found.push_back(entry.path().string());
    if (found.empty())
        throw CommandError(fmt::format("{}: does not contain a tree file", path));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
}

void add_targets(const RollCallArguments& arguments, HostRanks& ranks) {
    std::vector<std::int64_t> pids;
    std::vector<std::string> files;
    for (const std::string& target : arguments.targets)
        if (const auto pid = number_in(target))
            pids.push_back(*pid);
        else
            add_files_of(target, files);
    ranks.add_processes(pids);
    ranks.add_files(files);
}

// The hosts of the job that this process does not examine itself.
std::vector<std::string> other_hosts(const RollCallArguments& arguments, ReaderSettings& settings,
                                     const HostRanks& local) {
    std::vector<std::string> hosts;
    if (!arguments.targets.empty() && !arguments.reader)
        return hosts;
    JobHosts found;
    if (!arguments.reader)
        found = find_job_hosts(arguments.job, local.any_pid());
    hosts = arguments.hosts.empty() ? found.hosts : hosts_in(arguments.hosts);
    if (settings.launcher.empty())
        settings.launcher = found.launcher.empty() ? "ssh" : found.launcher;
    if (!arguments.reader)
        std::erase_if(hosts, [own = own_host_name()](const std::string& host) {
            return is_same_host(host, own) || host == "localhost";
        });
    return hosts;
}

std::string local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm fields{};
    char text[32] = "";
    localtime_r(&now, &fields);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &fields);
    return text;
}

void print(const RollCallArguments& arguments, const RollCall& call, double stuck_s) {
    if (arguments.json) {
        fmt::print("{}\n", json_of(call));
    } else {
        fmt::print("Roll call of {} at {}: {} of {} rank{}{}\n{}",
                   call.application.empty() ? "a job" : printable(call.application), local_time(),
                   call.count(), std::max(call.expected, call.count()),
                   plural_s(std::max(call.expected, call.count())),
                   stuck_s > 0
                       ? fmt::format("; none has made progress for {}", duration_text(stuck_s))
                       : "",
                   call.words(arguments.most_groups));
    }
    std::fflush(stdout);
}

void send(const RollCall& call) {
    const std::string text = call.encode(most_bytes_of_message);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

std::string none_here() {
    return fmt::format("{}: no rank of the job is profiled on this host", own_host_name());
}

int call_once(const RollCallArguments& arguments, HostRanks& ranks, RemoteReaders* remote) {
    ranks.refresh();
    if (ranks.any_runs()) {
        std::this_thread::sleep_for(between_looks);
        ranks.refresh();
    }
    RollCall call = ranks.roll_call();
    if (remote) {
        remote->await_all();
        remote->add_to(call);
    }
    if (arguments.reader) {
        if (call.count() == 0 && call.problems.empty())
            call.problems.push_back(none_here());
        send(call);
        return status_ok;
    }
    if (call.count() == 0) {
        std::string text = "no profiled process of the job was found";
        for (const std::string& problem : call.problems)
            text += "\n" + problem;
        throw CommandError(text);
    }
    print(arguments, call, 0);
    return status_ok;
}

// Watches until the job has ended.
int watch(const RollCallArguments& arguments, HostRanks& ranks, RemoteReaders* remote) {
    const double wanted = arguments.settings.watch;
    const std::chrono::duration<double> pause(std::clamp(wanted / 10, 0.1, 5.0));
    bool reported = false, sent_any = false;
    Clock::time_point sent{};
    while (ranks.any_runs() || (remote && remote->any_left())) {
        ranks.refresh();
        const auto next = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
        if (remote)
            remote->read_until(next);
        std::this_thread::sleep_until(next);
        bool stuck = ranks.all_stuck(wanted);
        RollCall call = ranks.roll_call();
        if (remote)
            stuck = remote->add_to(call) && stuck;
        call.stuck = stuck;
        if (arguments.reader) {
            // At most one message per second, and only changes.
            if ((!sent_any || stuck != reported) &&
                Clock::now() - sent >= std::chrono::seconds(1)) {
                send(call);
                sent = Clock::now();
                sent_any = true;
                reported = stuck;
            }
            continue;
        }
        if (stuck && !reported && call.count() > 0)
            print(arguments, call, wanted);
        reported = stuck;
    }
    if (arguments.reader && !sent_any) {
        RollCall call = ranks.roll_call();
        call.stuck = true;
        if (call.count() == 0 && call.problems.empty())
            call.problems.push_back(none_here());
        send(call);
    }
    return status_ok;
}

// A batch script may start this command before the job.
void wait_for_job(const RollCallArguments& arguments, std::optional<HostRanks>& ranks) {
    for (;;) {
        ranks.emplace(arguments.settings.levels);
        ranks->add_job(arguments.job, configured_tree_directory());
        if (!ranks->empty())
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

int roll_call(const RollCallArguments& arguments) {
    if (arguments.reader) {
        std::fwrite(reader_is_here.data(), 1, reader_is_here.size(), stdout);
        std::fflush(stdout);
    }
    std::optional<HostRanks> ranks(std::in_place, arguments.settings.levels);
    const bool watches = arguments.settings.watch > 0;
    ReaderSettings settings = arguments.settings;
    const bool elsewhere = !arguments.hosts.empty();
    try {
        if (!arguments.targets.empty())
            add_targets(arguments, *ranks);
        else if (watches && !elsewhere && !arguments.reader)
            wait_for_job(arguments, ranks);
        else
            ranks->add_job(arguments.job, configured_tree_directory());
    } catch (const CommandError& error) {
        if (!arguments.reader)
            throw;
        RollCall call;
        call.problems.push_back(error.what());
        send(call);
        return status_failed;
    }
    settings.job = arguments.job.empty() ? ranks->job() : arguments.job;
    const std::vector<std::string> hosts = other_hosts(arguments, settings, *ranks);
    std::unique_ptr<RemoteReaders> remote;
    if (!hosts.empty())
        remote = std::make_unique<RemoteReaders>(hosts, settings);
    return watches ? watch(arguments, *ranks, remote.get())
                   : call_once(arguments, *ranks, remote.get());
}

}  // namespace

void add_rollcall_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("rollcall", "Show where each rank of a running job is");
    auto arguments = std::make_shared<RollCallArguments>();
    ReaderSettings& settings = arguments->settings;
    command
        .add_option("PID|FILE", arguments->targets,
                    "Processes of this host, or tree files, also those of processes that have "
                    "ended (default: the job that runs here)")
        .type_name("");
    command
        .add_option("--job", arguments->job,
                    "The job, if several run: its number in the batch system, its name in the "
                    "launcher, or the name of its program")
        .type_name("JOB");
    command
        .add_option("--hosts", arguments->hosts,
                    "Hosts of the job, as n1,n[3-8], or @FILE with one per line (default: found "
                    "automatically)")
        .type_name("LIST");
    command
        .add_option(
            "--launcher", settings.launcher,
            "How to run a reader on another host: srun, mpirun, ssh, or another command, in "
            "which the host replaces {host} or is appended, followed by the reader's command "
            "line (default: found automatically)")
        .type_name("HOW");
    command
        .add_option("--timeout", settings.timeout,
                    "Seconds to wait for the answer of a host (default: 20)")
        .check(NumberCheck{"a number of seconds", 0.1, 1e6})
        .type_name("SECONDS");
    command
        .add_option("--watch", settings.watch,
                    "Wait, and print a roll call whenever no rank has made progress for this long; "
                    "end with the job")
        .check(NumberCheck{"a number of seconds", 0.1, 1e6})
        .type_name("SECONDS");
    command
        .add_option(
            "--depth", settings.levels,
            "Number of functions of a path that distinguish places, and are shown (default: 4)")
        .check(NumberCheck{"a number of functions", 1, 1000})
        .type_name("N");
    command.add_option("--limit", arguments->most_groups, "Number of places shown (default: 10)")
        .check(NumberCheck{"a number of places", 1, 1e6})
        .type_name("N");
    command.add_flag("--json", arguments->json, "Print one line of JSON per roll call");
    command.add_flag("--reader", arguments->reader).hidden();  // for readers on other hosts
    command.callback([arguments, &status] { status = roll_call(*arguments); });
}

}  // namespace vftrace::tools
