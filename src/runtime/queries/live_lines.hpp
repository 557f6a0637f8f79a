// Lines on stderr that tell the user of a run what happens in it: which are wanted, and how they
// look. Sections and blocked loops print such lines.
#pragma once

#include <cstdint>
#include <string>

namespace vftrace {

struct Options;       // config/options.hpp
struct ThreadRecord;  // record/process_record.hpp

// Which lines are requested.
enum class LiveScope : std::uint8_t { nothing, first_rank, all };

enum class LiveStyle : std::uint8_t {
    terminal,  // lines grow while a section lasts
    lines      // one line per event, with the time since the run began
};

// Decides scope and style; to be called by each source that prints lines, before the other
// functions.
void prepare_live_lines(const Options& options);
LiveScope live_scope();
LiveStyle live_style();

// `text` as it is, to stderr if that is still the one the program began with.
void print_live_text(const std::string& text);
// "[rank.thread] " if several ranks print, "[thread] " for threads other than the main thread.
std::string live_prefix_of(const ThreadRecord& thread);
// Prints a separate line about a thread. To be called only by the service thread, or after its end.
void print_live_line(const ThreadRecord& thread, const std::string& text);
// Called by print_live_line(): returns what ends the line that grows, or nothing. Defined by
// sections, whose lines grow.
extern std::string (*const end_of_growing_line)();

// The length of a tick of the tree's clock, and of a number of ticks.
double seconds_per_tick();
std::int64_t ns_of_ticks(std::uint64_t ticks);

}  // namespace vftrace
