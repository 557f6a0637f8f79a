// The commands of the store of runs in builds without SQLite.
#include "commands/command_line.hpp"
#include "commands/commands.hpp"

namespace vftrace::tools {
namespace {

void add_command_without_store(const Command& app, const char* name, const char* description) {
    const Command command = app.add_subcommand(name, description);
    command.prefix_command();
    command.callback([] {
        throw CommandError("this vftrace was built without SQLite, which stores of runs need "
                           "(Debian: libsqlite3-dev)");
    });
}

}  // namespace

void add_store_command(const Command& app, int&) {
    add_command_without_store(app, "store", "Keep the figures of many runs in one file");
}

void add_history_command(const Command& app, int&) {
    add_command_without_store(app, "history",
                              "Show how times and calls have developed over the runs of a store");
}

}  // namespace vftrace::tools
