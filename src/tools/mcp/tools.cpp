#include "mcp/tools.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

using Kind = ArgumentKind;
using Does = Tool::Does;

constexpr ToolArgument profile = {"file", Kind::file, true, "",
                                  "Profile: a JSON file that vftrace wrote (NAME_all.json)"};

std::string_view text_of(const JsonValue& value) {
    return {value.GetString(), value.GetStringLength()};
}

const char* kind_text(Kind kind) {
    switch (kind) {
    case Kind::whole_number:
        return "a whole number from 1 to 1000000";
    case Kind::number:
        return "a number from 0 to 1000000";
    case Kind::words:
        return "a list of strings, at least one";
    default:
        return "a string that is not empty";
    }
}

// Words and paths cannot contain a NUL, and one that begins with a dash would be taken for an
// option.
bool is_word(const JsonValue& value) {
    return value.IsString() && value.GetStringLength() > 0 &&
           text_of(value).find('\0') == std::string_view::npos;
}

bool is_of_kind(const JsonValue& value, Kind kind) {
    constexpr double most = 1e6;
    switch (kind) {
    case Kind::whole_number:
        return value.IsUint64() && value.GetUint64() >= 1 && value.GetDouble() <= most;
    case Kind::number:
        return value.IsNumber() && value.GetDouble() >= 0 && value.GetDouble() <= most;
    case Kind::words:
        return value.IsArray() && !value.Empty() &&
               std::all_of(value.Begin(), value.End(), [](const JsonValue& word) {
                   return word.IsString() && text_of(word).find('\0') == std::string_view::npos;
               });
    default:
        return is_word(value);
    }
}

void add(const ToolArgument& argument, const JsonValue& value, ToolCall& call) {
    if (argument.kind == Kind::words) {
        for (const JsonValue& word : value.GetArray())
            call.program.emplace_back(text_of(word));
        return;
    }
    std::string text = argument.kind == Kind::whole_number ? std::to_string(value.GetUint64())
                       : argument.kind == Kind::number     ? fmt::format("{}", value.GetDouble())
                                                           : std::string(text_of(value));
    if (argument.kind == Kind::file)
        call.files.push_back(std::move(text));
    else  // in one word, so that a value is never taken for an option
        call.words.push_back(fmt::format("{}={}", argument.option, text));
}

}  // namespace

std::vector<Tool> tools_of_server(bool may_run) {
    std::vector<Tool> tools = {
        {"profiles",
         "Lists the profiles in the folders that this server may read, newest first.",
         Does::list_files,
         {},
         {}},
        {"brief",
         "The most important facts of a profile, in at most 60 lines: run, quality of the "
         "measurement, findings with their evidence, the functions with most own time. Start here.",
         Does::command,
         {"report", "--brief"},
         {profile,
          {"functions", Kind::whole_number, false, "--limit",
           "How many functions to list (default: 10)"}}},
        {"function",
         "One function: own and total time, calls, callers, callees, source lines, spread over "
         "ranks, call paths.",
         Does::command,
         {"report"},
         {profile,
          {"name", Kind::text, true, "--function",
           "Its name as other tools print it, or a part of it that no other function has"}}},
        {"path",
         "One call path, by the number that the tool function prints.",
         Does::command,
         {"report"},
         {profile, {"id", Kind::text, true, "--path", "The number of the path, such as 7f36b5"}}},
        {"findings",
         "What seems to be wrong with the program, each with its evidence, how certain it is, what "
         "it could save at most, and the next step; and how reliable the measurement is.",
         Does::command,
         {"report", "--findings"},
         {profile}},
        {"lines",
         "The source lines with most time.",
         Does::command,
         {"report", "--lines"},
         {profile,
          {"limit", Kind::whole_number, false, "--limit", "How many lines (default: 20)"}}},
        {"ranks",
         "How the time of call paths differs between the ranks of an MPI program.",
         Does::command,
         {"report", "--imbalances", "--table=profile"},
         {profile, {"limit", Kind::whole_number, false, "--limit", "How many rows (default: 20)"}}},
        {"compare",
         "What became slower or faster from one profile to another, by function. A single run of "
         "each says little: times vary from run to run, calls do not.",
         Does::command,
         {"diff"},
         {{"old", Kind::file, true, "", "Profile of the earlier version"},
          {"new", Kind::file, true, "", "Profile of the later version"},
          {"threshold", Kind::number, false, "--threshold",
           "Mark what is slower by more than this many per cent"},
          {"limit", Kind::whole_number, false, "--limit", "How many rows (default: 50)"}}},
    };
    if (may_run)
        tools.push_back({"run",
                         "Runs a program and profiles it by samples. Returns the brief of the "
                         "profile, and what the program printed.",
                         Does::run_program,
                         {},
                         {{"command", Kind::words, true, "",
                           "The program and its arguments, one string each; no shell is used"}}});
    return tools;
}

ToolCall call_of_tool(const Tool& tool, const JsonValue* arguments) {
    if (arguments && !arguments->IsObject())
        throw ToolArgumentError("arguments: must be an object");
    ToolCall call;
    call.words = tool.command;
    for (const ToolArgument& argument : tool.arguments) {
        const auto* const value = arguments && arguments->HasMember(argument.name)
                                      ? &(*arguments)[argument.name]
                                      : nullptr;
        if (!value && argument.required)
            throw ToolArgumentError(fmt::format("{}: the argument \"{}\" is missing: {}", tool.name,
                                                argument.name, argument.description));
        if (value && !is_of_kind(*value, argument.kind))
            throw ToolArgumentError(fmt::format("{}: the argument \"{}\" must be {}", tool.name,
                                                argument.name, kind_text(argument.kind)));
        if (value)
            add(argument, *value, call);
    }
    if (!arguments)
        return call;
    for (const auto& member : arguments->GetObject()) {
        const std::string_view name = text_of(member.name);
        if (std::none_of(tool.arguments.begin(), tool.arguments.end(),
                         [&](const ToolArgument& argument) { return name == argument.name; }))
            throw ToolArgumentError(
                fmt::format("{}: there is no argument \"{}\"", tool.name, printable(name)));
    }
    return call;
}

}  // namespace vftrace
