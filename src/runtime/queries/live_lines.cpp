#include "queries/live_lines.hpp"

#include <unistd.h>

#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "config/options.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

LiveScope scope = LiveScope::nothing;
LiveStyle style;

}  // namespace

void prepare_live_lines(const Options& options) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    style = terminal ? LiveStyle::terminal : LiveStyle::lines;
    const std::string& live = options.section_live;
    if (live == "all")
        scope = LiveScope::all;
    else if ((live == "on" || (live == "auto" && terminal)) && is_speaker(Speaker::job))
        scope = LiveScope::first_rank;
    else
        scope = LiveScope::nothing;
}

LiveScope live_scope() { return scope; }
LiveStyle live_style() { return style; }

// Programs may have closed stderr, or opened another file in its place.
void print_live_text(const std::string& text) {
    if (text.empty() || !stderr_is_ours())
        return;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

std::string live_prefix_of(const ThreadRecord& thread) {
    const bool of_all = scope == LiveScope::all;
    if (!of_all && thread.tid == getpid())
        return "";
    const char* rank = of_all ? launcher_rank(environ) : nullptr;
    return "[" + (rank ? std::string(rank) + "." : "") + std::to_string(thread.number) + "] ";
}

void print_live_line(const ThreadRecord& thread, const std::string& text) {
    std::string line = end_of_growing_line();
    if (style == LiveStyle::lines)
        append_format(
            line, "[+%.1f s] ",
            1e-9 * static_cast<double>(ns_of_ticks(tree_ticks() - process_record->start.ticks)));
    print_live_text(line + live_prefix_of(thread) + printable(text) + '\n');
}

double seconds_per_tick() {
    constexpr double ns = 1e-9;
    return tree_settings.processor_ticks ? ns * nanoseconds_per_tick(process_record->start) : ns;
}

std::int64_t ns_of_ticks(std::uint64_t ticks) {
    static double tick_ns = 0;  // the same for the whole run
    if (tick_ns == 0)
        tick_ns = 1e9 * seconds_per_tick();
    return static_cast<std::int64_t>(tick_ns * static_cast<double>(ticks));
}

}  // namespace vftrace
