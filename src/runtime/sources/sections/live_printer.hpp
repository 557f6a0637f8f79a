// What is printed about long sections while they run, and when.
//
//     Cleaning the Dog
//       Soaping the Dog... [  0.90 s] [    2 MB]
//     Still Cleaning the Dog.. [  1.70 s] [    2 MB]
//
// It does not depend on threads, clocks or files: its input is the list of open sections, its
// output is text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "queries/live_lines.hpp"

namespace vftrace {

// An open section with a message. The sections of a thread are sorted outermost first.
struct LiveSection {
    const void* node;  // with `call`, which counts its calls, it identifies the section
    std::uint64_t call;
    std::int64_t open_ns;  // how long it has been open
    std::uint64_t closed;  // ticks of the node's earlier calls
    const char* message;
    bool prints_dots;
};

class LivePrinter {
  public:
    // `limit_ns`: sections that take longer are reported, with one more dot after each further such
    // time. `prefix`: of each line.
    LivePrinter(LiveStyle style, std::int64_t limit_ns, std::string prefix = "")
        : style_(style), limit_ns_(limit_ns), prefix_(std::move(prefix)) {}

    // `open`: the sections that are open now. `seconds_of(section)`: how long a section took that
    // was open at the last look and has ended. Returns all of the text to be printed.
    struct Moment {
        std::int64_t now_ns;  // since the run began
        double memory_mb;     // of the process; negative: not known
    };
    template <class SecondsOf>
    std::string look(std::span<const LiveSection> open, const Moment& moment,
                     SecondsOf seconds_of) {
        text_.clear();
        std::size_t same = 0;
        while (same < open_.size() && same < open.size() &&
               open_[same].section.node == open[same].node &&
               open_[same].section.call == open[same].call)
            same++;
        while (open_.size() > same) {
            finish(open_.back(), seconds_of(open_.back().section), moment);
            open_.pop_back();
        }
        for (; same < open.size(); same++)
            open_.push_back({open[same], moment.now_ns - open[same].open_ns});
        report_innermost(moment);
        return text_;
    }

    // For a section that was not seen open, and in which memory grew.
    std::string report_finished(const char* message, double seconds, const Moment& moment);

    // Returns the end of the line that is incomplete, if there is one, because something else is
    // printed next.
    std::string end_line();

  private:
    struct Open {
        LiveSection section;
        std::int64_t latest_ns;  // its start, or the last print about it or inside it
        bool printed = false;
        bool has_line = false;  // the growing line is about it
    };
    void report_innermost(const Moment& moment);
    void finish(const Open& open, double seconds, const Moment& moment);
    void begin_line(std::size_t depth, const char* word, const char* message, const Moment& moment);
    void figures(double seconds, const Moment& moment);
    void close_growing_line();

    LiveStyle style_;
    std::int64_t limit_ns_;
    std::string prefix_;
    std::vector<Open> open_;
    bool line_is_growing_ = false;
    std::string text_;
};

}  // namespace vftrace
