// The only file that includes CLI11.
#include "commands/command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/version.hpp"
#include "commands/help_format.hpp"
#include "config/advice.hpp"

namespace vftrace::tools {
namespace {

// Commands inherit it from the command above them.
class HelpFormat : public CLI::Formatter {
  public:
    explicit HelpFormat(std::vector<std::string> forms = {}) : forms_(std::move(forms)) {}

    std::string make_usage(const CLI::App* app, std::string name) const override {
        if (forms_.empty())
            return Formatter::make_usage(app, std::move(name));
        std::string lines;
        for (const std::string& form : forms_)
            lines += (lines.empty() ? "Usage: " : "       ") + name + ' ' + form + '\n';
        return lines;
    }
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        return help_of_option(make_option_name(option, is_positional), make_option_opts(option),
                              make_option_desc(option));
    }

  private:
    std::vector<std::string> forms_;
};

// "vftrace config check".
std::string whole_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent ? whole_name(*parent) + ' ' + command.get_name() : command.get_name();
}

std::string see_help(const CLI::App& command) {
    return " (see " + whole_name(command) + " --help)";
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
    return UsageError('"' + whole_name(command) + ' ' + name + "\" is not a command" +
                      did_you_mean(closest(name, candidates)) + see_help(command));
}

UsageError unknown_option_of(const CLI::App& command, const std::string& option) {
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
    return UsageError("unknown option " + option +
                      did_you_mean(similar.empty() ? "" : "--" + std::string(similar)) +
                      see_help(command));
}

// The error for words that CLI11 could not assign to any argument.
UsageError unexpected(const CLI::App& command) {
    const std::vector<std::string> extras = command.remaining(true);
    for (const std::string& extra : extras)
        if (extra.starts_with('-'))
            return unknown_option_of(command, extra.substr(0, extra.find('=')));
    return UsageError("unexpected argument \"" + (extras.empty() ? std::string() : extras.front()) +
                      '"' + see_help(command));
}

// "Could not convert: PID = abc" -> "PID: "abc" is not an integer, or is out of range": all values
// that are converted are integers.
std::string conversion_text(const std::string& text) {
    constexpr std::string_view start = "Could not convert: ", middle = " = ";
    const std::size_t at = text.find(middle);
    if (!text.starts_with(start) || at == std::string::npos)
        return text;
    return text.substr(start.size(), at - start.size()) + ": \"" + text.substr(at + middle.size()) +
           "\" is not an integer, or is out of range";
}

// CLI11's error in our words.
UsageError usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App& command = command_asked_for(app);
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
        return unexpected(command);
    return UsageError(conversion_text(error.what()) + see_help(command));
}

// Throws UsageError if the first words are not a command: CLI11 would only say that one is
// required.
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

}  // namespace

std::string did_you_mean(std::string_view suggestion) {
    return suggestion.empty() ? std::string()
                              : "; did you mean \"" + std::string(suggestion) + "\"?";
}

std::string NumberCheck::operator()(const std::string& text) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_right = !text.empty() && *end == '\0' && value >= least && value <= most;
    return is_right ? std::string() : '"' + text + "\" is not " + what;
}

Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::required() const { return Option(option_->required()); }
Option Option::one_of(const std::vector<std::string>& words) const {
    return Option(option_->check(CLI::IsMember(words)));
}
Option Option::check(const NumberCheck& check) const { return Option(option_->check(check)); }
Option Option::check(std::string (*error_in)(const std::string&)) const {
    return Option(option_->check(error_in));
}
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::one_value() const { return Option(option_->allow_extra_args(false)); }
Option Option::hidden() const {
    return Option(option_->group(std::string()));  // a group without a name is not shown
}
bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
    return Command(app_->add_subcommand(name, description));
}

template <class Value>
Option Command::add_option(const std::string& name, Value& value,
                           const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::string>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::int64_t>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::int64_t>&,
                                    const std::string&) const;

Option Command::add_flag(const std::string& name, bool& value,
                         const std::string& description) const {
    return Option(app_->add_flag(name, value, description));
}
Option Command::add_flag(const std::string& name, std::string& value,
                         const std::string& description) const {
    return Option(app_->add_flag(name, value, description));
}

void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::usage(const std::vector<std::string>& forms) const {
    app_->formatter(std::make_shared<HelpFormat>(forms));
}
void Command::require_subcommand() const { app_->require_subcommand(1); }
void Command::prefix_command() const { app_->prefix_command(); }
void Command::callback(std::function<void()> carry_out) const {
    app_->callback(std::move(carry_out));
}
std::vector<std::string> Command::remaining() const { return app_->remaining(); }

std::vector<Option> Command::options() const {
    std::vector<Option> options;
    for (CLI::Option* option : app_->get_options())
        options.emplace_back(option);
    return options;
}

UsageError Command::unknown_option(const std::string& option) const {
    return unknown_option_of(*app_, option);
}

std::string Command::help_of(const std::vector<std::string>& words) const {
    if (words.empty())  // app_->help() would print the help of a command that is being carried out
        return app_->get_formatter()->make_help(app_, app_->get_name(), CLI::AppFormatMode::Normal);
    reject_unknown_command(*app_, words);
    CLI::App* meant = app_;
    std::string above;
    for (const std::string& word : words) {
        above += (above.empty() ? "" : " ") + meant->get_name();
        meant = meant->get_subcommand(word);
    }
    return meant->help(above);
}

CommandLine::CommandLine(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->set_version_flag("--version", std::string("vftrace ") + version);
    app_->formatter(std::make_shared<HelpFormat>());
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() const { return Command(app_.get()); }

bool CommandLine::read(const std::vector<std::string>& arguments) {
    reject_unknown_command(*app_, arguments);
    try {
        // CLI11 wants them in reverse order.
        app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& end) {
        if (end.get_exit_code() != 0)
            throw usage_error(*app_, end);
        app_->exit(end);  // prints what --help or --version asks for
        return false;
    }
    return true;
}

}  // namespace vftrace::tools
