#include "commands/remote_readers.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/child_process.hpp"
#include "commands/commands.hpp"
#include "commands/job_hosts.hpp"

namespace vftrace::tools {
namespace {

using Seconds = std::chrono::duration<double>;

// The readers below a reader have this share of its time.
constexpr double share_of_timeout = 0.75;
// The share of the remaining time that a host has to start its reader, if other hosts are below it.
constexpr double share_to_start = 0.25;

const std::string could_not_run = "a reader could not be run there";

}  // namespace

RemoteReaders::RemoteReaders(const std::vector<std::string>& hosts, const ReaderSettings& settings)
    : settings_(settings),
      end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(settings.timeout))) {
    const std::size_t parts = std::min(hosts.size(), branches);
    readers_.reserve(parts);
    for (std::size_t part = 0; part < parts; part++) {
        const auto begin = hosts.begin() + static_cast<std::ptrdiff_t>(part * hosts.size() / parts);
        const auto end =
            hosts.begin() + static_cast<std::ptrdiff_t>((part + 1) * hosts.size() / parts);
        start(*begin, {begin + 1, end});
    }
}

RemoteReaders::~RemoteReaders() {
    for (const auto& reader : readers_)
        end(*reader);
}

void RemoteReaders::start(const std::string& host, std::vector<std::string> further) {
    Reader& reader = *readers_.emplace_back(std::make_unique<Reader>());
    reader.host = host;
    reader.further = std::move(further);
    const Clock::time_point now = Clock::now();
    const double seconds = settings_.watch > 0 ? settings_.timeout : Seconds(end_ - now).count();
    reader.start_by =
        now + std::chrono::duration_cast<Clock::duration>(Seconds(seconds * share_to_start));
    std::vector<std::string> command{own_command(), "rollcall", "--reader", "--depth",
                                     std::to_string(settings_.levels)};
    const auto add = [&](const char* name, const std::string& value) {
        command.insert(command.end(), {name, value});
    };
    if (!settings_.job.empty())
        add("--job", settings_.job);
    if (settings_.watch > 0)
        add("--watch", fmt::format("{}", settings_.watch));
    add("--timeout", fmt::format("{:.3f}", std::max(seconds * share_of_timeout, 0.1)));
    if (!reader.further.empty()) {
        add("--launcher", settings_.launcher);
        add("--hosts", joined(reader.further, ","));
    }
    const std::vector<std::string> words =
        launch_on(reader.host, settings_.launcher, settings_.job, command);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const std::string& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to it
    argv.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw CommandError(fmt::format("a pipe: {}", std::strerror(errno)));
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    // A separate process group: everything that the launcher has started is ended with it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int error =
        posix_spawn(&reader.process, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        throw CommandError(fmt::format("{}: {}", words[0], std::strerror(error)));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    reader.output = ends[0];
}

// Complete messages end with a line that begins with RollCall::end_line.
void RemoteReaders::take(Reader& reader) {
    char buffer[16 * 1024];
    const ssize_t length = read(reader.output, buffer, sizeof buffer);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length <= 0)
        return end(reader);
    reader.unread.append(buffer, static_cast<std::size_t>(length));
    reader.is_here = reader.is_here || reader.unread.find(reader_is_here) != std::string::npos;
    const std::string mark = fmt::format("\n{}\t", RollCall::end_line);
    for (std::size_t at; (at = reader.unread.find(mark)) != std::string::npos;) {
        const std::size_t line_end = reader.unread.find('\n', at + 1);
        if (line_end == std::string::npos)
            break;
        // Output of the launcher comes before it.
        const std::size_t head = reader.unread.rfind("rollcall 1\t", at);
        RollCall call;
        if (head != std::string::npos &&
            RollCall::decode(std::string_view(reader.unread).substr(head, line_end + 1 - head),
                             call)) {
            reader.latest = call;
            reader.is_here = reader.has_answered = reader.is_new = true;
        }
        reader.unread.erase(0, line_end + 1);
    }
    if (reader.unread.size() > 2 * most_bytes_of_message)
        reader.unread.clear();
}

void RemoteReaders::end(Reader& reader) {
    if (reader.output >= 0)
        close(reader.output);
    reader.output = -1;
    if (reader.process <= 0)
        return;
    kill(-reader.process, SIGTERM);
    constexpr int attempts = 50;
    int status = 0;
    for (int i = 0; i < attempts; i++) {
        if (waitpid(reader.process, &status, WNOHANG) != 0) {
            reader.process = 0;
            return;
        }
        usleep(10'000);
    }
    kill(-reader.process, SIGKILL);
    waitpid(reader.process, &status, 0);
    reader.process = 0;
}

void RemoteReaders::replace_missing() {
    for (std::size_t i = 0; i < readers_.size(); i++) {  // start() adds some
        Reader& reader = *readers_[i];
        if (!reader.problem.empty() || reader.is_replaced || reader.has_answered)
            continue;
        const bool is_slow = reader.output >= 0 && !reader.is_here && !reader.further.empty() &&
                             Clock::now() >= reader.start_by;
        if (reader.output < 0)
            reader.problem = could_not_run;
        else if (!is_slow)
            continue;
        end(reader);
        const std::vector<std::string> further = std::exchange(reader.further, {});
        if (is_slow) {  // it may still answer, for its own host
            reader.is_replaced = true;
            start(reader.host, {});
        }
        if (!further.empty())
            start(further.front(), {further.begin() + 1, further.end()});
    }
}

void RemoteReaders::read_until(Clock::time_point end_of_wait) {
    for (const auto& reader : readers_)
        reader->is_new = false;
    for (;;) {
        replace_missing();
        std::vector<pollfd> waits;
        std::vector<Reader*> of;
        Clock::time_point next = end_of_wait;
        for (const auto& reader : readers_)
            if (reader->output >= 0 && !reader->is_new) {
                waits.push_back({reader->output, POLLIN, 0});
                of.push_back(reader.get());
                if (!reader->is_here && !reader->further.empty())
                    next = std::min(next, reader->start_by);
            }
        if (waits.empty() || Clock::now() >= end_of_wait)
            return;
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::max(next - Clock::now(), Clock::duration::zero()));
        if (poll(waits.data(), waits.size(), static_cast<int>(rest.count()) + 1) <= 0)
            continue;
        for (std::size_t i = 0; i < waits.size(); i++)
            if (waits[i].revents != 0)
                take(*of[i]);
    }
}

void RemoteReaders::await_all() {
    read_until(end_);
    for (const auto& reader : readers_)
        if (!reader->has_answered && !reader->is_replaced && reader->problem.empty()) {
            reader->problem = reader->output < 0
                                  ? could_not_run
                                  : fmt::format("no answer within {:.0f} s", settings_.timeout);
            end(*reader);
        }
}

bool RemoteReaders::add_to(RollCall& call) const {
    bool all_stuck = true;
    for (const auto& reader : readers_) {
        if (reader->is_replaced) {
            continue;
        } else if (reader->has_answered) {
            call.merge(reader->latest);
            // Ended ranks do not make progress either.
            all_stuck = all_stuck && (reader->latest.stuck || reader->output < 0);
        } else if (!reader->problem.empty()) {
            const std::size_t below = reader->further.size();
            call.problems.push_back(fmt::format(
                "{}{}: {}", reader->host,
                below == 0
                    ? ""
                    : fmt::format(" and {} more host{} that it reads", below, plural_s(below)),
                reader->problem));
        } else {
            all_stuck = false;
        }
    }
    return all_stuck;
}

bool RemoteReaders::any_left() const {
    return std::any_of(readers_.begin(), readers_.end(),
                       [](const auto& reader) { return reader->output >= 0; });
}

}  // namespace vftrace::tools
