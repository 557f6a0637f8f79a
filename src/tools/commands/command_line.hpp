// The command line: commands, their options, and reading them. CLI11 does the work behind this
// narrow interface, because its headers take several seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

// An option, a flag or a positional argument of a command, which owns it. The functions that return
// an Option return this one, so that calls can be chained.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    // What --help shows for the value, such as FILE.
    Option type_name(const std::string& name) const;
    Option required() const;
    // The words that are accepted.
    Option one_of(const std::vector<std::string>& words) const;
    Option check(const NumberCheck& check) const;
    // The function returns the error in a value, empty if there is none.
    Option check(std::string (*error_in)(const std::string& value)) const;
    Option excludes(Option other) const;
    Option needs(Option other) const;
    // --help shows the value that the variable has now.
    Option show_default() const;
    // Each occurrence of an option with a list as value adds one element; otherwise it adds all
    // words that follow.
    Option one_value() const;
    // --help does not show it.
    Option hidden() const;

    // Whether it is on the command line.
    bool given() const;
    // With dashes: "--format"; "FILE" if positional.
    std::string name() const;

  private:
    CLI::Option* option_;
};

// vftrace itself or one of its commands, owned by a CommandLine.
class Command {
  public:
    explicit Command(CLI::App* app) : app_(app) {}

    Command add_subcommand(const std::string& name, const std::string& description) const;
    // `name`: "--format", "-f,--format", or without dashes that of a positional argument. The value
    // is written to the variable. Defined for strings, numbers, optional ones of these, and
    // vectors.
    template <class Value>
    Option add_option(const std::string& name, Value& value,
                      const std::string& description = {}) const;
    // "!--no-pager" sets its variable to false; "--sample{1000}" is an option with a value that may
    // be left out and then is 1000.
    Option add_flag(const std::string& name, bool& value,
                    const std::string& description = {}) const;
    Option add_flag(const std::string& name, std::string& value,
                    const std::string& description) const;

    // What is shown after the options by --help.
    void footer(const std::string& text) const;
    // What follows the name of the command in its usage lines, one for each way to call it.
    void usage(const std::vector<std::string>& forms) const;
    // One of its commands must follow.
    void require_subcommand() const;
    // Everything from the first word that is not an option on belongs to another program.
    void prefix_command() const;
    // Called when the command line has been read and contains this command.
    void callback(std::function<void()> carry_out) const;

    // Words on the command line that belong to no option.
    std::vector<std::string> remaining() const;
    std::vector<Option> options() const;
    // "unknown option --smaple; did you mean ...", for an option that this command does not have.
    UsageError unknown_option(const std::string& option) const;
    // What --help prints for the command below this one that the words name, or for this one if
    // there are none. Throws UsageError if there is no such command.
    std::string help_of(const std::vector<std::string>& words) const;

  private:
    CLI::App* app_;
};

// A program's command line, with --help and --version.
class CommandLine {
  public:
    CommandLine(const std::string& name, const std::string& description);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    Command root() const;
    // Sets the variables of options and calls back the commands that the arguments (without the
    // program's name) contain. Returns false if it only printed help or the version. Throws
    // UsageError.
    bool read(const std::vector<std::string>& arguments);

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace vftrace::tools
