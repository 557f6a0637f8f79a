// vftrace store: keeps the figures of many runs in one file, for vftrace history.
#include <algorithm>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/store_file.hpp"
#include "commands/table_printing.hpp"
#include "config/parameter_list.hpp"
#include "history/history_text.hpp"
#include "report/text_table.hpp"
#include "store/run_store.hpp"

namespace vftrace::tools {
namespace {

struct AddArguments {
    std::string store;
    std::vector<std::string> files, parameters;
    RunLabels labels;
};

// NAME=NUMBER
std::vector<RunParameter> parameters_of(const std::vector<std::string>& texts) {
    std::vector<RunParameter> parameters;
    for (const std::string& text : texts) {
        GivenParameter given;
        const std::string problem = parse_parameter(text, given);
        if (!problem.empty() || given.argument != 0)
            throw UsageError(fmt::format("--parameter={}: must be NAME=NUMBER", text));
        add_parameter(parameters, {given.name, given.value});
    }
    return parameters;
}

int add(AddArguments arguments) {
    arguments.labels.parameters = parameters_of(arguments.parameters);
    RunStore store(arguments.store, Database::Access::write);
    std::size_t added = 0, known = 0;
    // Many at a time: a transaction writes a page for each function.
    constexpr std::size_t at_once = 100;
    const std::vector<std::string>& files = arguments.files;
    for (std::size_t begin = 0; begin < files.size(); begin += at_once) {
        RunStore::Additions additions(store);
        for (std::size_t i = begin; i < std::min(files.size(), begin + at_once); i++)
            additions.add(read_profile(files[i]), files[i], arguments.labels) ? added++ : known++;
        additions.commit();
    }
    show("{}: {} run{} added", arguments.store, added, plural_s(added));
    if (known > 0)
        show(", {} {} there already", known, known == 1 ? "was" : "were");
    show("\n");
    return status_ok;
}

int list(const std::string& file) {
    RunStore store(file, Database::Access::read);
    const std::vector<StoredRun> runs = store.runs({});
    const Column columns[] = {text_column("date", "Date (UTC)", Align::left),
                              text_column("application", "Program", Align::left),
                              text_column("branch", "Branch", Align::left),
                              text_column("commit", "Commit", Align::left),
                              text_column("host", "Host", Align::left),
                              time_column("seconds", "Time[s]"),
                              text_column("file", "Profile", Align::left)};
    const TableSpec spec = {
        .id = "runs", .title = "", .row = "run", .columns = columns, .style = TableStyle::list};
    OutputFile out(STDOUT_FILENO);
    print_table(out, spec, runs.size(), [&](std::size_t i, TableRow& cells) {
        cells.text(moment_text(runs[i].start_unix_ns));
        cells.text(runs[i].application);
        cells.text(runs[i].branch);
        cells.text(runs[i].commit);
        cells.text(runs[i].host);
        cells.number(runs[i].seconds);
        cells.text(runs[i].file);
    });
    close_output(out);
    return status_ok;
}

constexpr const char* examples = R"(Examples:
  vftrace store add heat_all.json --commit $(git rev-parse --short HEAD) --branch main
  vftrace store list
  vftrace history)";

}  // namespace

void add_store_command(const Command& app, int& status) {
    const Command store = app.add_subcommand("store", "Keep the figures of many runs in one file");
    store.require_subcommand();
    store.footer(examples);

    const Command adds = store.add_subcommand("add", "Add the runs of profiles");
    auto arguments = std::make_shared<AddArguments>();
    arguments->store = usual_store();
    adds.add_option("FILE", arguments->files, "Profiles (JSON)").required().type_name("");
    add_store_option(adds, arguments->store);
    adds.add_option("--commit", arguments->labels.commit, "The version of the program")
        .type_name("NAME");
    adds.add_option("--branch", arguments->labels.branch, "Its branch").type_name("NAME");
    adds.add_option("--host", arguments->labels.host,
                    "The machine, instead of the name of the host in the profile")
        .type_name("NAME");
    adds.add_option("--parameter", arguments->parameters,
                    "A parameter of the runs, in addition to those of their profiles; may be "
                    "repeated")
        .type_name("NAME=NUMBER")
        .one_value();
    adds.callback([arguments, &status] { status = add(*arguments); });

    const Command lists = store.add_subcommand("list", "List the runs");
    auto file = std::make_shared<std::string>(usual_store());
    add_store_option(lists, *file);
    lists.callback([file, &status] { status = list(*file); });
}

}  // namespace vftrace::tools
