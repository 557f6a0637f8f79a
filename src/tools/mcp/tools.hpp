// The tools of the server: what they are for, what arguments they take, and which command of
// vftrace each of them is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "readers/json_document.hpp"

namespace vftrace {

enum class ArgumentKind : std::uint8_t { file, text, whole_number, number, words };

struct ToolArgument {
    const char* name;
    ArgumentKind kind;
    bool required;
    const char* option;  // that the value follows; "": it is a positional argument
    const char* description;
};

struct Tool {
    enum class Does : std::uint8_t { command, list_files, run_program };
    const char* name;
    const char* description;
    Does does;
    std::vector<std::string> command;  // of vftrace
    std::vector<ToolArgument> arguments;
};

// All tools; `may_run`: with those that run programs.
std::vector<Tool> tools_of_server(bool may_run);

// Arguments that a tool does not take; the text says which ones it does.
class ToolArgumentError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A call of a tool, ready to be carried out.
struct ToolCall {
    std::vector<std::string> words;    // of the command, without positional arguments
    std::vector<std::string> files;    // positional, as the client named them
    std::vector<std::string> program;  // to be run, with its arguments
};

// `arguments`: the object of the client; nullptr if there is none. Throws ToolArgumentError.
ToolCall call_of_tool(const Tool& tool, const JsonValue* arguments);

}  // namespace vftrace
