// vftrace start and vftrace stop: switch the recording of running processes on and off.
#include <chrono>
#include <memory>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "recover/file_image.hpp"
#include "recover/remote_request.hpp"

namespace vftrace::tools {
namespace {

// The process looks for requests ten times per second.
constexpr std::chrono::milliseconds patience{5000};

int switch_all(const std::vector<std::int64_t>& pids, RemoteRequest request) {
    const char* const state = request == RemoteRequest::start ? "on" : "off";
    int status = status_ok;
    for (const std::int64_t pid : pids)
        try {
            const RemoteAnswer answer = send_request(pid, request, patience);
            fmt::print("{}: recording is {}{}\n", pid, state,
                       answer == RemoteAnswer::was_so_before ? ", as before" : "");
        } catch (const TreeFileError& error) {
            remark(error.what());
            status = status_failed;
        }
    return status;
}

void add(const Command& app, int& status, const char* name, const char* description,
         RemoteRequest request) {
    const Command command = app.add_subcommand(name, description);
    auto pids = std::make_shared<std::vector<std::int64_t>>();
    command.add_option("PID", *pids, "Ids of processes that were started with start=off")
        .required()
        .check(NumberCheck{"the id of a process", 1, 0x7fffffff})
        .type_name("");
    command.callback([pids, request, &status] { status = switch_all(*pids, request); });
}

}  // namespace

void add_start_command(const Command& app, int& status) {
    add(app, status, "start", "Switch on recording in running processes", RemoteRequest::start);
}

void add_stop_command(const Command& app, int& status) {
    add(app, status, "stop", "Switch off recording in running processes", RemoteRequest::stop);
}

}  // namespace vftrace::tools
