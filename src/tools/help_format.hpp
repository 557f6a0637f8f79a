// The layout of --help: descriptions are wrapped on a terminal, and commands that run a program
// show that in their usage line.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

namespace vftrace::tools {

// Commands inherit it from the command above them. If standard output is not a terminal, each
// option takes one line, which the completions of zsh and fish read.
class HelpFormat : public CLI::Formatter {
  public:
    // `forms`: what follows the name of the command in its usage lines, one for each way to call
    // it; if there is none, CLI11 makes the line from the options.
    explicit HelpFormat(std::vector<std::string> forms = {});

    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;

  private:
    std::vector<std::string> forms_;
};

}  // namespace vftrace::tools
