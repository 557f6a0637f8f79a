// vftrace mcp: lets programs that speak the Model Context Protocol read profiles.
//
// Each call of a tool is a command of its own in another process: one that crashes, takes too long
// or needs too much memory because of a damaged file does not end the conversation.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/child_process.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "mcp/session.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_answer_bytes = std::size_t{48} << 10,
                      most_message_bytes = std::size_t{4} << 20;
constexpr double most_command_seconds = 120;
constexpr std::string_view profile_suffix = "_all.json";

struct McpArguments {
    std::vector<std::string> folders;
    bool allow_run = false;
    double run_seconds = 600;
};

std::string left_out_text(const CapturedOutput& output) {
    return output.left_out == 0
               ? std::string()
               : fmt::format("\n(cut: {} more bytes; ask for fewer rows)\n", output.left_out);
}

// The end of what a program printed.
std::string tail_of(const CapturedOutput& output) {
    constexpr std::size_t most_bytes = 4096;
    const std::size_t all = output.text.size() + output.left_out;
    const std::string_view text = output.text;
    if (text.size() <= most_bytes)
        return fmt::format("{} bytes:\n{}\n", all, text);
    return fmt::format("{} bytes, here the first {}:\n{}\n", all, most_bytes,
                       text.substr(0, most_bytes));
}

class CommandHost final : public ToolHost {
  public:
    explicit CommandHost(const McpArguments& arguments) : run_seconds_(arguments.run_seconds) {
        for (const std::string& folder : arguments.folders) {
            std::error_code error;
            fs::path path = fs::canonical(folder, error);
            if (!error && !fs::is_directory(path, error) && !error)
                error = std::make_error_code(std::errc::not_a_directory);
            if (error)
                throw CommandError(fmt::format("{}: {}", folder, error.message()));
            folders_.push_back(std::move(path));
        }
    }

    ToolAnswer carry_out(const Tool& tool, const ToolCall& call) override {
        switch (tool.does) {
        case Tool::Does::list_files:
            return list_profiles();
        case Tool::Does::run_program:
            return run(call.program);
        case Tool::Does::command:
            break;
        }
        std::vector<std::string> words = call.words;
        for (const std::string& file : call.files)
            words.push_back(file_in_folders(file));
        return run_command(std::move(words));
    }

  private:
    // The file that a client names, as an absolute path without symbolic links. Throws CommandError
    // if it is not in one of the folders.
    std::string file_in_folders(const std::string& name) const {
        std::error_code error;
        const fs::path path = fs::canonical(folders_.front() / name, error);
        const bool is_inside =
            !error && std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
                return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end())
                           .first == folder.end();
            });
        // The same for files that do not exist and those elsewhere: nothing is said about these.
        if (!is_inside || !fs::is_regular_file(path, error) || path.extension() != ".json")
            throw CommandError(fmt::format("{}: there is no such profile in the folders of this "
                                           "server; the tool profiles lists them",
                                           printable(name)));
        return path.string();
    }

    static ToolAnswer run_command(std::vector<std::string> words) {
        words.insert(words.begin(), own_command());
        const CapturedOutput output =
            capture_child(words, {most_answer_bytes, most_command_seconds});
        if (output.timed_out)
            return {fmt::format("the command took more than {:g} s", most_command_seconds), true};
        // 1: it worked, and found something.
        const bool failed = output.status != status_ok && output.status != status_found_errors;
        std::string text = output.text + left_out_text(output);
        if (failed && text.empty())
            text = fmt::format("the command ended with status {}", output.status);
        return {std::move(text), failed};
    }

    ToolAnswer list_profiles() const {
        constexpr std::size_t most_files = 100, most_seen = 100'000;
        struct File {
            fs::file_time_type time;
            std::string path;
        };
        std::vector<File> files;
        std::size_t seen = 0;
        for (const fs::path& folder : folders_) {
            std::error_code error;
            fs::recursive_directory_iterator at(
                folder, fs::directory_options::skip_permission_denied, error);
            for (; !error && at != fs::recursive_directory_iterator() && seen < most_seen;
                 at.increment(error), seen++) {
                std::error_code problem;
                if (at->path().string().ends_with(profile_suffix) && !at->is_symlink(problem) &&
                    at->is_regular_file(problem))
                    files.push_back({at->last_write_time(problem), at->path().string()});
            }
        }
        std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
            return a.time != b.time ? a.time > b.time : a.path < b.path;
        });
        std::string text;
        for (std::size_t i = 0; i < std::min(files.size(), most_files); i++)
            text += printable(files[i].path) + '\n';
        if (files.size() > most_files)
            text += fmt::format("({} more)\n", files.size() - most_files);
        if (seen >= most_seen)
            text += fmt::format("(only {} files and folders were looked at)\n", most_seen);
        return {text.empty() ? "no profiles\n" : text, false};
    }

    // In the first folder, which also gets the profile.
    ToolAnswer run(const std::vector<std::string>& program) const {
        std::string folder = (folders_.front() / "vftrace-run-XXXXXX").string();
        if (!mkdtemp(folder.data()))
            throw CommandError(fmt::format("{}: {}", folder, std::strerror(errno)));
        std::vector<std::string> words{own_command(),        "run",  "--sample",
                                       "--output-directory", folder, "--"};
        words.insert(words.end(), program.begin(), program.end());
        const CapturedOutput output =
            capture_child(words, {most_answer_bytes, run_seconds_}, folders_.front().string());
        std::string text = output.timed_out
                               ? fmt::format("The program was ended after {:g} s.\n", run_seconds_)
                               : fmt::format("The program ended with status {}.\n", output.status);
        std::size_t profiles = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (const std::string file = entry.path().string(); file.ends_with(profile_suffix)) {
                text += run_command({"report", "--brief", file}).text + '\n';
                profiles++;
            }
        if (profiles == 0) {
            text += "There is no profile.\n";
            std::error_code ignored;
            fs::remove(folder, ignored);  // if it is empty
        }
        text += "The program printed " + tail_of(output);
        return {std::move(text), profiles == 0};
    }

    std::vector<fs::path> folders_;
    double run_seconds_;
};

// Lines of standard input.
class Messages {
  public:
    // Returns false at the end. A line that is too long is cut to nothing: not valid JSON.
    bool next(std::string& line) {
        for (;;) {
            if (const std::size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
                line = too_long_ ? std::string() : buffer_.substr(0, end);
                too_long_ = false;
                buffer_.erase(0, end + 1);
                searched_ = 0;
                return true;
            }
            searched_ = buffer_.size();
            if (buffer_.size() > most_message_bytes) {
                buffer_.clear();
                searched_ = 0;
                too_long_ = true;
            }
            if (!read_more()) {
                line = std::exchange(buffer_, {});
                searched_ = 0;
                return !line.empty();
            }
        }
    }

  private:
    bool read_more() {
        char bytes[1 << 16];
        ssize_t length = 0;
        while ((length = read(STDIN_FILENO, bytes, sizeof bytes)) < 0 && errno == EINTR) {
        }
        if (length > 0)
            buffer_.append(bytes, static_cast<std::size_t>(length));
        return length > 0;
    }

    std::string buffer_;
    std::size_t searched_ = 0;
    bool too_long_ = false;
};

bool write_line(std::string text) {
    text += '\n';
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t written = write(STDOUT_FILENO, rest.data(), rest.size());
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

int serve(McpArguments arguments) {
    if (arguments.folders.empty())
        arguments.folders.emplace_back(".");
    CommandHost host(arguments);
    McpSession session(tools_of_server(arguments.allow_run), host);
    Messages messages;
    for (std::string line; messages.next(line);) {
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        const std::string answer = session.answer(line);
        if (!answer.empty() && !write_line(answer))
            throw CommandError(fmt::format("standard output: {}", std::strerror(errno)));
    }
    return status_ok;
}

constexpr const char* examples = R"(Examples:
  vftrace mcp ~/profiles
  claude mcp add vftrace -- vftrace mcp ~/profiles
  vftrace mcp --allow-run ~/heat

The messages of the protocol are lines of standard input and output. See doc/agents.md.)";

}  // namespace

void add_mcp_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("mcp", "Answer questions about profiles in the Model Context Protocol");
    auto arguments = std::make_shared<McpArguments>();
    command
        .add_option("FOLDER", arguments->folders,
                    "Folders whose profiles may be read, with those below (default: the current "
                    "one)")
        .type_name("");
    command.add_flag("--allow-run", arguments->allow_run,
                     "Also offer the tool run, which runs any program, in the first folder");
    command
        .add_option("--run-timeout", arguments->run_seconds,
                    "End programs that the tool run started after this time")
        .check(NumberCheck{"a number of seconds (1 to 1e9)", 1, 1e9})
        .type_name("SECONDS")
        .show_default();
    command.usage({"[OPTIONS] [FOLDER...]"});
    command.footer(examples);
    command.callback([arguments, &status] { status = serve(*arguments); });
}

}  // namespace vftrace::tools
