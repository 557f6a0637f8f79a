#include "sections/live_printer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {

void LivePrinter::begin_line(std::size_t depth, const char* word, const char* message,
                             const Moment& moment) {
    close_growing_line();
    if (style_ == LiveStyle::lines)
        append_format(text_, "[+%.1f s] ", 1e-9 * static_cast<double>(moment.now_ns));
    text_ += prefix_;
    constexpr std::size_t indent = 2;
    text_.append(indent * depth, ' ');
    text_ += word;
    text_ += printable(message);
}

void LivePrinter::close_growing_line() {
    if (line_is_growing_)
        text_ += '\n';
    line_is_growing_ = false;
    for (Open& open : open_)
        open.has_line = false;
}

void LivePrinter::figures(double seconds, const Moment& moment) {
    append_format(text_, " [%6.2f s]", seconds);
    if (moment.memory_mb >= 0)
        append_format(text_, " [%5.0f MB]", moment.memory_mb);
    text_ += '\n';
}

// Reports the innermost section, with the sections around it that have not been reported.
void LivePrinter::report_innermost(const Moment& moment) {
    if (open_.empty())
        return;
    Open& last = open_.back();
    if (moment.now_ns < last.latest_ns + limit_ns_)
        return;
    last.latest_ns = moment.now_ns;
    if (last.has_line) {
        if (last.section.prints_dots)
            text_ += '.';
        return;
    }
    if (style_ == LiveStyle::lines && last.printed)
        return;
    for (std::size_t i = 0; i < open_.size(); i++) {
        const bool is_last = i + 1 == open_.size();
        if (!is_last && open_[i].printed)
            continue;
        begin_line(i, open_[i].printed ? "Still " : "", open_[i].section.message, moment);
        open_[i].printed = true;
        line_is_growing_ = style_ == LiveStyle::terminal && is_last;
        if (!line_is_growing_)
            text_ += '\n';
    }
    last.has_line = line_is_growing_;
}

void LivePrinter::finish(const Open& open, double seconds, const Moment& moment) {
    constexpr double ns = 1e-9;
    const bool took_long = seconds >= ns * static_cast<double>(limit_ns_);
    if (!open.printed && !took_long)
        return;
    if (!open.has_line)
        begin_line(open_.size() - 1, open.printed ? "Finished " : "", open.section.message, moment);
    figures(seconds, moment);
    line_is_growing_ = false;
    // The enclosing section continues from here.
    if (open_.size() > 1)
        open_[open_.size() - 2].latest_ns = moment.now_ns;
}

std::string LivePrinter::report_finished(const char* message, double seconds,
                                         const Moment& moment) {
    text_.clear();
    begin_line(open_.size(), "", message, moment);
    figures(seconds, moment);
    return text_;
}

std::string LivePrinter::end_line() {
    text_.clear();
    close_growing_line();
    return text_;
}

}  // namespace vftrace
