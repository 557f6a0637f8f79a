// Messages about errors in a command line.
#pragma once

#include <string>
#include <vector>

#include "tools/commands.hpp"

namespace vftrace::tools {

// The requirements on a number on the command line. CLI11's own check prints its range with all
// digits of a double.
struct NumberCheck {
    const char* what;  // "a number of rows (1 or more)"
    double least, most;

    // The error in the text; empty if there is none.
    std::string operator()(const std::string& text) const;
};
inline constexpr NumberCheck number_of_rows{"a number of rows (1 or more)", 1, 1e18};

// Throws UsageError if the first words are not a command: CLI11 would only say that one is
// required.
void reject_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

// The same for options that a command does not have: "unknown option --smaple; did you mean ..."
UsageError unknown_option(const CLI::App& command, const std::string& option);

// CLI11's error in our words.
UsageError usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace vftrace::tools
