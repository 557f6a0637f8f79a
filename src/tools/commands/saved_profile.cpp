#include "commands/saved_profile.hpp"

#include "base/text.hpp"
#include "commands/child_process.hpp"
#include "commands/commands.hpp"

namespace vftrace::tools {
namespace {

CapturedOutput run_this_command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), own_command());
    try {
        return capture_child(arguments, {});
    } catch (const CommandError& error) {
        return {status_failed, error.what()};
    }
}

// The last line of the text that ends with `end`.
std::string line_with(const std::string& text, std::string_view end) {
    std::string found;
    for (std::string_view line : split(text, '\n'))
        if (trim(line).ends_with(end))
            found = std::string(trim(line));
    return found;
}

SavedProfile failed(const CapturedOutput& answer) {
    std::string line;
    for (std::string_view each : split(answer.text, '\n'))
        if (!trim(each).empty())
            line = std::string(trim(each));
    constexpr std::string_view prefix = "vftrace: ";
    if (line.starts_with(prefix))
        line.erase(0, prefix.size());
    return {false, line.empty() ? "nothing could be saved" : line};
}

}  // namespace

SavedProfile save_profile(const std::vector<std::int64_t>& pids, bool page,
                          const std::string& directory) {
    if (pids.empty())
        return {false, "no process is still running"};
    std::vector<std::string> arguments{"snapshot"};
    for (std::int64_t pid : pids)
        arguments.push_back(std::to_string(pid));
    if (!directory.empty()) {
        arguments.push_back("--output");
        arguments.push_back(directory);
    }
    const CapturedOutput snapshot = run_this_command(arguments);
    const std::string json = line_with(snapshot.text, ".json");
    const std::string log = line_with(snapshot.text, ".log");
    if (snapshot.status != 0 || (json.empty() && log.empty()))
        return failed(snapshot);
    if (!page)
        return {true, "saved " + (log.empty() ? json : log)};
    if (json.empty())
        return {false,
                "a page needs the JSON file, which the program does not write (option json)"};
    const CapturedOutput report = run_this_command({"report", "--html", json});
    const std::string html = line_with(report.text, ".html");
    if (report.status != 0 || html.empty())
        return failed(report);
    return {true, "saved " + html};
}

}  // namespace vftrace::tools
