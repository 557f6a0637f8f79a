// Messages about errors in a command line.
#include "tools/usage.hpp"

#include <algorithm>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "config/advice.hpp"

namespace vftrace::tools {
namespace {

// "vftrace config check".
std::string whole_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent ? whole_name(*parent) + ' ' + command.get_name() : command.get_name();
}

// The innermost command on the command line.
const CLI::App& command_asked_for(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    return *command;
}

UsageError unknown_command(const CLI::App& command, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* candidate : command.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(candidate->get_name());
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string whole = whole_name(command);
    return UsageError(fmt::format("\"{0} {1}\" is not a command{2} (see {0} --help)", whole, name,
                                  did_you_mean(closest(name, candidates))));
}

// The error for words that CLI11 could not assign to any argument.
UsageError unexpected(const CLI::App& command) {
    const std::vector<std::string> extras = command.remaining(true);
    for (const std::string& extra : extras)
        if (extra.starts_with('-'))
            return unknown_option(command, extra.substr(0, extra.find('=')));
    return UsageError(fmt::format("unexpected argument \"{1}\" (see {0} --help)",
                                  whole_name(command), extras.empty() ? "" : extras.front()));
}

// "Could not convert: PID = abc" -> "PID: "abc" is not an integer, or is out of range": all values
// that are converted are integers.
std::string conversion_text(const std::string& text) {
    constexpr std::string_view start = "Could not convert: ", middle = " = ";
    const std::size_t at = text.find(middle);
    if (!text.starts_with(start) || at == std::string::npos)
        return text;
    return fmt::format("{}: \"{}\" is not an integer, or is out of range",
                       text.substr(start.size(), at - start.size()),
                       text.substr(at + middle.size()));
}

}  // namespace

std::string did_you_mean(std::string_view suggestion) {
    return suggestion.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", suggestion);
}

std::string NumberCheck::operator()(const std::string& text) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_right = !text.empty() && *end == '\0' && value >= least && value <= most;
    return is_right ? std::string() : fmt::format("\"{}\" is not {}", text, what);
}

void reject_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        auto is_meant = [&](const CLI::App* candidate) { return candidate->check_name(argument); };
        if (argument.starts_with('-') || command->get_require_subcommand_min() == 0)
            return;
        const std::vector<const CLI::App*> found = command->get_subcommands(is_meant);
        if (found.empty())
            throw unknown_command(*command, argument);
        command = found.front();
    }
}

UsageError unknown_option(const CLI::App& command, const std::string& option) {
    std::vector<std::string> names;
    for (const CLI::Option* known : command.get_options())
        for (const std::string& name : known->get_lnames())
            names.push_back("--" + name);
    // Compares names without the dashes, which would make all of them look similar.
    const std::size_t dashes = std::min(option.find_first_not_of('-'), option.size());
    std::vector<std::string_view> candidates;
    candidates.reserve(names.size());
    for (const std::string& name : names)
        candidates.push_back(std::string_view(name).substr(2));
    const std::string_view similar = closest(option.substr(dashes), candidates);
    return UsageError(
        fmt::format("unknown option {}{} (see {} --help)", option,
                    did_you_mean(similar.empty() ? std::string() : fmt::format("--{}", similar)),
                    whole_name(command)));
}

UsageError usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = command_asked_for(app);
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
        return unexpected(command);
    return UsageError(
        fmt::format("{} (see {} --help)", conversion_text(error.what()), whole_name(command)));
}

}  // namespace vftrace::tools
