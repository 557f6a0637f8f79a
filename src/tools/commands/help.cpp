// vftrace help: the manual page of a command, or what its --help prints.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/command_output.hpp"
#include "commands/commands.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

// What `man` is to open: the page of this installation, wherever it was moved to, otherwise the one
// that man finds by itself. Nothing if neither page exists, or if man is not installed.
std::optional<std::string> manual_page(const std::string& name) {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* suffix : {".1", ".1.gz"}) {
        const fs::path page = here / ".." / "share" / "man" / "man1" / (name + suffix);
        if (!here.empty() && fs::is_regular_file(page, error))
            return fs::weakly_canonical(page, error).string();
    }
    std::optional<std::string> found = output_of({"/usr/bin/env", "man", "-w", "1", name}, {});
    if (!found || found->empty() || found->front() != '/')
        return std::nullopt;
    return found->substr(0, found->find('\n'));
}

// Returns only if man is not installed.
void open_page(const std::string& page) {
    std::fflush(stdout);
    execlp("man", "man", "-l", page.c_str(), static_cast<char*>(nullptr));
}

}  // namespace

void add_help_command(const Command& app) {
    const Command command = app.add_subcommand("help", "Show the manual page of a command");
    auto words = std::make_shared<std::vector<std::string>>();
    command
        .add_option("COMMAND", *words, "Command whose page is shown (default: the page of vftrace)")
        .type_name("");
    command.callback([app, words] {
        const std::string help = app.help_of(*words);
        const std::string name = words->empty() ? "vftrace" : "vftrace-" + words->front();
        if (const std::optional<std::string> page = manual_page(name))
            open_page(*page);
        fmt::print("{}", help);
    });
}

}  // namespace vftrace::tools
