// vftrace history: how times and calls have developed over the runs of a store, and since when they
// are different.
#include <langinfo.h>
#include <locale.h>
#include <memory>
#include <string_view>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/store_file.hpp"
#include "commands/table_printing.hpp"
#include "history/history_text.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

struct HistoryArguments {
    std::string store, function;
    RunFilter filter;
    std::size_t limit = 20;
    std::size_t check = 0;
    bool json = false;
};

bool terminal_shows_utf8() {
    const locale_t user = newlocale(LC_CTYPE_MASK, "", nullptr);
    const bool utf8 = user && std::string_view(nl_langinfo_l(CODESET, user)) == "UTF-8";
    if (user)
        freelocale(user);
    return utf8;
}

std::string one_function(RunStore& store, const std::string& name) {
    const std::vector<std::string> names = store.functions_named(name);
    if (names.size() == 1)
        return names.front();
    if (names.empty())
        throw CommandError(
            fmt::format("the store has no function whose name contains \"{}\"", printable(name)));
    throw CommandError(fmt::format("{} functions have a name with \"{}\": {}, {}{}", names.size(),
                                   printable(name), printable(names[0]), printable(names[1]),
                                   names.size() > 2 ? ", ..." : ""));
}

RunFilter filter_of(RunStore& store, RunFilter filter) {
    const std::vector<std::string> applications = store.applications();
    if (applications.empty())
        throw CommandError("the store has no runs: vftrace store add FILE adds them");
    if (!filter.application.empty())
        return filter;
    if (applications.size() > 1)
        throw CommandError(
            fmt::format("the store has runs of {} programs: name one by --application, such as {}",
                        applications.size(), printable(applications.front())));
    filter.application = applications.front();
    return filter;
}

// Whether a change for the worse began in one of the latest runs.
bool is_worse(const RunHistory& history, std::size_t latest) {
    const std::size_t first = history.runs.size() - std::min(latest, history.runs.size());
    const auto is_latest = [&](const StoredRun& run) {
        for (std::size_t i = first; i < history.runs.size(); i++)
            if (history.runs[i].id == run.id)
                return true;
        return false;
    };
    return (!history.times.empty() && history.times.back().is_slower() &&
            is_latest(history.times.back().run)) ||
           std::any_of(history.calls.begin(), history.calls.end(), [&](const CallsChange& change) {
               return change.after > change.before && is_latest(change.run);
           });
}

int history(const HistoryArguments& arguments) {
    RunStore store(arguments.store, Database::Access::read);
    const RunHistory runs = history_of(store, filter_of(store, arguments.filter));
    if (runs.runs.empty())
        throw CommandError("the store has no such runs");
    HistoryLook look;
    look.most_runs = arguments.limit;
    look.blocks = isatty(STDOUT_FILENO) && terminal_shows_utf8();
    OutputFile out(STDOUT_FILENO);
    TextTables tables(out);
    if (arguments.function.empty()) {
        arguments.json ? write_history_json(runs, out) : write_history(runs, look, tables);
    } else {
        const FunctionHistory function =
            history_of_function(store, runs, one_function(store, arguments.function));
        arguments.json ? write_history_json(runs, function, out)
                       : write_history(runs, function, look, tables);
    }
    close_output(out);
    return arguments.check > 0 && is_worse(runs, arguments.check) ? status_found_errors : status_ok;
}

constexpr const char* examples = R"(Examples:
  vftrace history
  vftrace history stencil --limit 50
  vftrace history --branch main --check 5

Exit status: 0; 1 if --check is given and the run became slower, or calls more, in one of the
latest N runs; 2 if the store cannot be read or an argument is wrong.)";

}  // namespace

void add_history_command(const Command& app, int& status) {
    const Command command = app.add_subcommand(
        "history", "Show how times and calls have developed over the runs of a store");
    auto arguments = std::make_shared<HistoryArguments>();
    arguments->store = usual_store();
    command
        .add_option("FUNCTION", arguments->function,
                    "Show this function, by its name or a part of it, instead of whole runs")
        .type_name("");
    add_store_option(command, arguments->store);
    command
        .add_option("--application", arguments->filter.application,
                    "Only runs of this program; needed if the store has several")
        .type_name("NAME");
    command.add_option("--branch", arguments->filter.branch, "Only runs of this branch")
        .type_name("NAME");
    command.add_option("--host", arguments->filter.host, "Only runs on this machine")
        .type_name("NAME");
    command.add_option("--limit", arguments->limit, "Print only this number of runs, the latest")
        .check(number_of_rows)
        .type_name("N")
        .show_default();
    command
        .add_option("--check", arguments->check,
                    "End with status 1 if a change for the worse began in one of the latest N runs")
        .check(number_of_rows)
        .type_name("N");
    command.add_flag("--json", arguments->json, "Print JSON, of all runs");
    command.usage({"[OPTIONS] [FUNCTION]"});
    command.footer(examples);
    command.callback([arguments, &status] { status = history(*arguments); });
}

}  // namespace vftrace::tools
