// The request to `vftrace model`, and its output.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vftrace::tools {

struct ModelArguments {
    std::vector<std::string> files;
    std::vector<std::string> parameters;  // NAME=VALUE[,VALUE]...: one, or one per file
    std::vector<std::string> where;       // NAME=VALUE[,NAME=VALUE]...
    std::vector<std::string> predict;     // the same
    std::vector<std::string> without;     // names
    std::vector<std::string> metrics;
    std::string analysis;             // file of an analysis of parameters; empty if none
    std::vector<std::string> before;  // files of other runs, to compare with
    std::string statistic = "mean";
    std::string max_power = "4";
    std::string powers, logs;  // lists; empty: the usual ones
    bool times_ranks = false;
    bool tree = false;
    std::string sort = "growth";
    std::optional<std::size_t> limit;
    double min_share_percent = 0.1;
    bool any_build = false;
    std::string format = "text";
};

inline constexpr std::size_t usual_models = 25;  // rows of a table as text

// Reads the files, finds the models and prints them. Throws CommandError, and the exceptions of the
// readers.
void print_models(const ModelArguments& arguments);

}  // namespace vftrace::tools
