// On which processors each thread could run.
#include "report/tables.hpp"

#include <algorithm>
#include <vector>

#include "profile/binding.hpp"
#include "profile/waiting.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;

// How many other busy threads of the host may use one of the processors.
std::uint64_t others_there(const BusyThread& own, const std::vector<BusyThread>& threads) {
    std::size_t count = 0;
    for (const BusyThread& other : threads)
        if (other.host == own.host &&
            std::find_first_of(other.processors.begin(), other.processors.end(),
                               own.processors.begin(),
                               own.processors.end()) != other.processors.end())
            count += other.count;
    return count - 1;
}

}  // namespace

bool has_binding(const Profile& profile) {
    return std::any_of(profile.threads.begin(), profile.threads.end(),
                       [](const ThreadFigures& thread) { return !thread.processors.empty(); });
}

void write_binding_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out) {
    static constexpr Column columns[] = {text_column("host", "Host"),
                                         count_column("rank", "Rank"),
                                         count_column("thread", "Thread"),
                                         text_column("name", "Name"),
                                         count_column("threads", "Threads"),
                                         text_column("processors", "Processors", Align::left),
                                         count_column("number", "Number"),
                                         text_column("core", "Core"),
                                         percent_column("running", "Running[%]"),
                                         percent_column("displaced", "Displaced[%]"),
                                         count_column("others", "Other busy threads there")};
    const std::vector<BusyThread> busy = busy_threads(profile);
    std::vector<const ThreadFigures*> rows;
    for (const ThreadFigures& thread : profile.threads)
        if (!thread.processors.empty())
            rows.push_back(&thread);
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "binding",
                            .title = "Binding of threads to processors",
                            .intro = "",
                            .row = "thread",
                            .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const ThreadFigures& thread = *rows[i];
        const ThreadStates states = states_of(profile, thread);
        const auto own = std::find_if(busy.begin(), busy.end(),
                                      [&](const BusyThread& one) { return one.thread == &thread; });
        cells.text(text.shown(host_of_rank(profile, thread.rank)));
        cells.integer(thread.rank);
        cells.integer(thread.number);
        cells.text(text.shown(thread.name));
        cells.integer(thread.threads);
        cells.text(text.shown(thread.processors));
        cells.integer(processors_of(thread.processors).size());
        cells.text(text.shown(thread.core));
        if (states.was_watched()) {
            cells.number(100 * states.running_ns / states.watched_ns);
            cells.number(100 * states.displaced_ns / states.watched_ns);
        } else {
            cells.blank();
            cells.blank();
        }
        if (own != busy.end())
            cells.integer(others_there(*own, busy));
        else
            cells.blank();
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
