#include "live/live_process.hpp"

#include <fmt/core.h>

#include "live/live_tree.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

Presence kind_of_damage(const std::string& text) {
    return text.ends_with("another version of vftrace") ? Presence::other_version
                                                        : Presence::damaged;
}

}  // namespace

std::string LiveNames::path_text(std::uint32_t path) const {
    std::string text;
    for (; path != no_path && paths[path].parent != no_path; path = paths[path].parent) {
        if (!text.empty())
            text += " < ";
        text += function_of(path).name;
    }
    return text;
}

LiveProcess::LiveProcess(FoundProcess found, LiveNames& names)
    : found_(std::move(found)), names_(names), mark_file_(mark_file_of(found_.tree_file)) {
    facts_.pid = found_.pid;
    facts_.tree_file = found_.tree_file;
    try {
        tree_ = std::make_unique<LiveTree>(found_, names);
        tree_->file().refresh();
    } catch (const NoPermissionError& error) {
        throw NotWatchable(Presence::no_permission,
                           fmt::format("{}: {}", found_.pid, error.what()));
    } catch (const TreeFileError& error) {
        throw NotWatchable(kind_of_damage(error.what()),
                           fmt::format("{}: {}", found_.pid, error.what()));
    }
    set_facts();
}

LiveProcess::~LiveProcess() = default;

Presence LiveProcess::refresh() {
    if (presence_ != Presence::running)
        return presence_;
    try {
        tree_->refresh();
        set_facts();
    } catch (const TreeFileError& error) {
        give_up(kind_of_damage(error.what()), error.what());
    } catch (const std::bad_alloc&) {
        give_up(Presence::damaged, "there is not enough memory to read its tree file");
    }
    look_for_it();
    return presence_;
}

// If a process has ended, this is reported instead of damage to its file.
void LiveProcess::look_for_it() {
    const std::optional<std::uint64_t> start = start_of_process(found_.pid);
    if (!start)
        return give_up(Presence::ended, "has ended");
    if (*start != found_.start)
        return give_up(Presence::replaced, "has ended, and another process now has its id");
    if (presence_ != Presence::running || !tree_->file().is_removed())
        return;
    try {
        if (!tree_mappings(found_.pid, facts_.own_pid).tree)
            give_up(Presence::other_program,
                    fmt::format("has become another program, {}", kernel_name(found_.pid)));
        else if (const FoundProcess now = find_process(found_.pid);
                 now.tree_file != found_.tree_file)
            give_up(Presence::other_program,
                    fmt::format("has become another program, {}", now.name));
    } catch (const std::runtime_error&) {
        // It does not have another file: it is writing its profile, or the file was removed, and
        // can still be read.
    }
}

void LiveProcess::give_up(Presence why, const std::string& text) {
    presence_ = why;
    problem_ = fmt::format("{}: {}", found_.pid, text);
}

std::unique_ptr<LiveTree> LiveProcess::new_mark() {
    const std::optional<MarkStamp> stamp = mark_stamp(mark_file_.c_str());
    if (!stamp || stamp == mark_)
        return nullptr;
    mark_ = stamp;
    if (!has_mark(found_.tree_file, tree_->record()))
        return nullptr;
    try {
        auto marked = std::make_unique<LiveTree>(found_, names_, LiveTree::Of::mark);
        marked->refresh();
        return marked;
    } catch (const std::exception&) {
        return nullptr;  // a damaged one is not a mark
    }
}

void LiveProcess::set_facts() {
    const ProcessRecord& record = tree_->record();
    const auto text = [&](const char* pointer) {
        return tree_->file().text(pointer, 1 << 16).value_or("");
    };
    const bool first = facts_.start_unix_ns == 0 || facts_.application.empty();
    const bool joined = record.uses_mpi && !facts_.uses_mpi;
    if (!first && !joined)
        return;
    facts_.own_pid = record.pid;
    facts_.parent_pid = record.parent_pid;
    facts_.pid_namespace = record.pid_namespace;
    facts_.uses_mpi = record.uses_mpi != 0;
    facts_.ranks = record.ranks == 0 ? 1 : record.ranks;
    facts_.rank = record.rank < facts_.ranks ? record.rank : 0;
    facts_.host = text(record.host);
    facts_.job = text(record.job);
    facts_.application = text(record.application);
    facts_.command_line = text(record.command_line);
    facts_.output_base = text(record.output_base);
    facts_.start_unix_ns = record.start_unix_ns;
}

double LiveProcess::elapsed_seconds() const { return tree_->elapsed_seconds(); }

bool LiveProcess::writes_profile() const { return tree_->record().state != ProcessState::running; }

std::uint32_t LiveProcess::filtered_functions() const { return tree_->record().unwanted.count; }

const std::vector<LiveThread>& LiveProcess::threads() const { return tree_->threads(); }

}  // namespace vftrace
