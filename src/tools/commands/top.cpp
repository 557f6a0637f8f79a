// vftrace top: a live view of processes that are being profiled.
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <langinfo.h>
#include <memory>
#include <string_view>
#include <thread>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/saved_profile.hpp"
#include "commands/top_target.hpp"
#include "live/live_session.hpp"
#include "top/batch.hpp"
#include "top/keys.hpp"
#include "top/pane_rows.hpp"
#include "top/panes.hpp"
#include "top/render.hpp"
#include "top/screen.hpp"

namespace vftrace::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

struct TopArguments {
    TopTarget target;
    double interval = 1;
    bool once = false, json = false, no_color = false, full_names = false, merge = false;
    std::uint64_t batch = 0, limit = 20;
    std::string pane, sort, span, search, output;
    bool ascending = false;
};

// Rows and names are cut by the width of their characters, which depends on the locale.
void use_utf8() {
    std::setlocale(LC_CTYPE, "");
    if (std::string_view(nl_langinfo(CODESET)) != "UTF-8")
        std::setlocale(LC_CTYPE, "C.UTF-8");
}

std::string words_of_panes() {
    std::string words;
    for (const PaneKind& kind : pane_kinds)
        words += (words.empty() ? "" : ", ") + std::string(kind.word);
    return words;
}

ViewState view_of(const TopArguments& arguments) {
    ViewState view;
    const bool in_terminal = !arguments.once && arguments.batch == 0;
    const std::optional<PaneId> pane = !arguments.pane.empty() ? pane_of(arguments.pane)
                                       : arguments.target.job && in_terminal ? PaneId::rollcall
                                                                             : PaneId::functions;
    if (!pane)
        throw UsageError(
            fmt::format("top --pane: \"{}\" is not a pane: {}", arguments.pane, words_of_panes()));
    view.pane = *pane;
    const PaneKind& kind = pane_kinds[view.pane_index()];
    if (!arguments.sort.empty()) {
        std::string known;
        bool found = false;
        for (std::size_t i = 0; i < kind.columns.size(); i++) {
            known += (i > 0 ? ", " : "") + std::string(kind.columns[i].id);
            if (kind.columns[i].id == arguments.sort) {
                view.sorted_by[view.pane_index()] = static_cast<std::uint8_t>(i);
                found = true;
            }
        }
        if (!found)
            throw UsageError(fmt::format("top --sort: \"{}\" is not a column of the pane {}: {}",
                                         arguments.sort, kind.word, known));
    }
    const std::uint8_t by = view.sorted_by[view.pane_index()];
    view.reversed[view.pane_index()] = arguments.ascending && !kind.columns[by].ascending;
    view.span = arguments.span == "mark" ? TimeSpan::mark
                : arguments.span == "start" || (arguments.span.empty() && arguments.once)
                    ? TimeSpan::start
                    : TimeSpan::interval;
    view.search = arguments.search;
    const Search search(view.search);
    if (!search.problem().empty())
        throw UsageError("top --search: " + search.problem());
    view.full_names = arguments.full_names;
    view.merged_threads = arguments.merge;
    return view;
}

// Ranks that start later than others are looked for from time to time.
class Watch {
  public:
    explicit Watch(const TopTarget& target) : target_(target) {
        for (const FoundProcess& process : processes_of(target))
            add(process);
    }

    void refresh() {
        session.refresh();
        const Clock::time_point now = Clock::now();
        if (!wants_more() || now < next_search_)
            return;
        constexpr auto between_searches = std::chrono::seconds(10);
        next_search_ = now + between_searches;
        try {
            for (const FoundProcess& process : processes_of(target_))
                if (!session.has(process.pid))
                    add(process);
        } catch (const CommandError&) {
            // All have ended.
        }
    }

    LiveSession session;

  private:
    void add(const FoundProcess& process) {
        try {
            session.add(process);
        } catch (const NotWatchable& error) {
            throw CommandError(error.what());
        }
    }

    bool wants_more() const {
        const LiveModel& model = session.model();
        return target_.job && !model.processes.empty() &&
               model.running() < model.processes.front().facts.ranks;
    }

    TopTarget target_;
    Clock::time_point next_search_ = Clock::now();
};

int print(const TopArguments& arguments, const ViewState& view, Watch& watch) {
    const std::uint64_t frames = arguments.once ? 1 : arguments.batch;
    const auto between = std::chrono::duration<double>(arguments.interval);
    for (std::uint64_t frame = 0;; frame++) {
        watch.refresh();
        const LiveModel& model = watch.session.model();
        // The first figures of an interval exist when it is over.
        const bool waits = frame == 0 && view.span == TimeSpan::interval;
        if (view.span == TimeSpan::mark && !model.has_mark)
            throw CommandError("top --span: no mark was set; vftrace mark sets one");
        if (!waits || model.running() == 0) {
            const std::string text = arguments.json
                                         ? json_of(model, view, arguments.limit,
                                                   static_cast<double>(unix_time_ns()) * 1e-9) +
                                               "\n"
                                         : text_of(model, view, arguments.limit);
            fmt::print("{}{}", text, arguments.json ? "" : "\n");
            if (std::fflush(stdout) != 0)
                return status_ok;  // main() reports why
        }
        if (frame + (view.span == TimeSpan::interval ? 0 : 1) >= frames || model.running() == 0)
            return status_ok;
        std::this_thread::sleep_for(between);
    }
}

std::vector<std::int64_t> running_pids(const LiveModel& model) {
    std::vector<std::int64_t> pids;
    for (const ModelProcess& process : model.processes)
        if (process.presence == Presence::running)
            pids.push_back(process.facts.pid);
    return pids;
}

void save(ViewState& view, const LiveModel& model, bool page, const std::string& directory) {
    const SavedProfile saved = save_profile(running_pids(model), page, directory);
    view.message = saved.message;
    view.message_is_error = !saved.worked;
}

int show(const TopArguments& arguments, ViewState view, Watch& watch) {
    const char* no_color = std::getenv("NO_COLOR");
    const bool colors = !arguments.no_color && !(no_color && *no_color);
    std::unique_ptr<Screen> screen;
    try {
        screen = open_screen(colors);
    } catch (const NoScreen& error) {
        throw CommandError(fmt::format("top: {}", error.what()));
    }
    const auto between =
        duration_cast<Clock::duration>(std::chrono::duration<double>(arguments.interval));
    Clock::time_point next = Clock::now();
    while (true) {
        if (Clock::now() >= next) {
            if (!view.frozen)
                watch.refresh();
            keep_in_range(view, watch.session.model(), screen->rows());
            next = std::max(next + between, Clock::now());
        }
        const LiveModel& model = watch.session.model();
        screen->paint(render(model, view, screen->rows(), screen->columns()));
        const auto left = duration_cast<milliseconds>(next - Clock::now()).count();
        const char32_t key =
            screen->key(static_cast<int>(std::clamp<long>(left + 1, 0, 3'600'000)));
        switch (press(view, model, key, screen->rows())) {
        case KeyCommand::quit:
            return status_ok;
        case KeyCommand::mark:
            watch.session.mark();
            break;
        case KeyCommand::snapshot:
        case KeyCommand::page:
            view.message = "saving ...";
            screen->paint(render(model, view, screen->rows(), screen->columns()));
            save(view, model, key == 'p', arguments.output);
            break;
        case KeyCommand::none:
            break;
        }
    }
}

int top(TopArguments& arguments) {
    use_utf8();
    arguments.once = arguments.once || (arguments.json && arguments.batch == 0);
    const ViewState view = view_of(arguments);
    Watch watch(arguments.target);
    return arguments.once || arguments.batch > 0 ? print(arguments, view, watch)
                                                 : show(arguments, view, watch);
}

}  // namespace

void add_top_command(const Command& app, int& status) {
    const Command command = app.add_subcommand("top", "Watch processes while they run");
    auto arguments = std::make_shared<TopArguments>();
    command
        .add_option("PID|NAME", arguments->target.who,
                    "A process, or all with the name of a program (default: the one process or "
                    "job that is profiled on this host)")
        .type_name("");
    command.add_flag("--job", arguments->target.job,
                     "Include all ranks of the process's MPI job that run on this host");
    command
        .add_option("--interval", arguments->interval, "Seconds between two updates (default: 1)")
        .check(NumberCheck{"a number of seconds (0.1 to 3600)", 0.1, 3600})
        .type_name("SECONDS");
    command.add_flag("--once", arguments->once, "Print the figures since the start, and exit");
    command
        .add_option("--batch", arguments->batch,
                    "Print the figures of this number of intervals, one after the other, and exit")
        .check(NumberCheck{"a number of intervals (1 or more)", 1, 1e18})
        .type_name("N");
    command.add_flag(
        "--json", arguments->json,
        "Print one JSON object per line instead of text; implies --once unless --batch is given");
    command
        .add_option("--pane", arguments->pane, "What to show first, or print: " + words_of_panes())
        .type_name("PANE");
    command.add_option("--sort", arguments->sort, "Sort by this column of the pane")
        .type_name("COLUMN");
    command.add_flag("--ascending", arguments->ascending, "Reverse the order");
    command.add_option("--limit", arguments->limit, "Print this number of rows (default: 20)")
        .check(number_of_rows)
        .type_name("N");
    command.add_option("--search", arguments->search, "Show only what matches a regular expression")
        .type_name("REGEX");
    command
        .add_option(
            "--span", arguments->span,
            "Show figures of the last interval, since the start, or since the mark that vftrace "
            "mark set")
        .one_of({"interval", "start", "mark"})
        .type_name("SPAN");
    command.add_flag("--full-names", arguments->full_names,
                     "Show names of C++ functions with parameters");
    command.add_flag("--merge-threads", arguments->merge,
                     "Show one row for threads whose names differ in digits only");
    command.add_flag("--no-color", arguments->no_color,
                     "Do not use colours; the environment variable NO_COLOR does the same");
    command
        .add_option(
            "--output", arguments->output,
            "Directory for saved snapshots and report pages (default: the one that the process "
            "uses)")
        .type_name("DIR");
    command.callback([arguments, &status] { status = top(*arguments); });
}

}  // namespace vftrace::tools
