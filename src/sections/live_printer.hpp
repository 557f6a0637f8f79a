// What is printed about long sections while they run, and when.
//
//     Cleaning the Dog
//       Soaping the Dog... [  0.90 s] [    2 MB]
//     Still Cleaning the Dog.. [  1.70 s] [    2 MB]
//
// It knows nothing about threads, clocks and files: its input is the list of open sections, its
// output is text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vftrace {

// A section that is open and has a message. Those of a thread, the outermost one first.
struct LiveSection {
    const void* node;  // and which of its calls: together they identify it
    std::uint64_t call;
    std::int64_t open_ns;  // how long it has been open
    std::uint64_t closed;  // ticks of the node's calls before
    const char* message;
    bool prints_dots;
};

enum class LiveStyle : std::uint8_t {
    terminal,  // lines grow while a section lasts
    lines      // one line an event, with the time since the run began
};

class LivePrinter {
  public:
    // `limit_ns`: what takes longer is reported, and a dot more each time. `prefix`: of each line.
    LivePrinter(LiveStyle style, std::int64_t limit_ns, std::string prefix = "")
        : style_(style), limit_ns_(limit_ns), prefix_(std::move(prefix)) {}

    // These sections are open now. `seconds_of(section)`: how long one of the last look's that is
    // over has taken. Returns what is to be printed, all at once.
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
        tell_innermost(moment);
        return text_;
    }

    // A section that was not seen has ended, and took long or made memory grow.
    std::string tell_finished(const char* message, double seconds, const Moment& moment);

    // The line that is not complete, if there is one, gets its end: something else is printed.
    std::string end_line();

  private:
    struct Open {
        LiveSection section;
        std::int64_t latest_ns;  // when it began, or something was printed of it or in it
        bool printed = false;
        bool has_line = false;  // the line that is growing is about it
    };
    void tell_innermost(const Moment& moment);
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
