// Messages about sections while they last, at times that the test sets.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "sections/live_printer.hpp"

using namespace vftrace;

namespace {

constexpr std::int64_t one_second = 1'000'000'000;

// A program whose sections begin and end at the test's request.
class Program {
  public:
    explicit Program(LiveStyle style, std::string prefix = "")
        : printer_(style, one_second, prefix) {}

    void begin(const char* message, bool prints_dots = true) {
        open_.push_back({&nodes_[open_.size()], start_of_call_.size(), 0, 0, message, prints_dots});
        start_of_call_.push_back(now_);
    }
    void end() { open_.pop_back(); }
    // What the printer prints when it looks this many seconds later.
    std::string after(double seconds) {
        now_ += static_cast<std::int64_t>(seconds * one_second);
        for (LiveSection& section : open_)
            section.open_ns = now_ - start_of_call_[section.call];
        return printer_.look(open_, {now_, 2}, [&](const LiveSection& section) {
            return 1e-9 * static_cast<double>(now_ - start_of_call_[section.call]);
        });
    }
    LivePrinter& printer() { return printer_; }

  private:
    LivePrinter printer_;
    std::vector<LiveSection> open_;
    std::vector<std::int64_t> start_of_call_;
    char nodes_[16] = {};
    std::int64_t now_ = 0;
};

}  // namespace

TEST_CASE("a long section gets its message, dots and figures") {
    Program program(LiveStyle::terminal);
    program.begin("Cleaning the Dog");
    CHECK(program.after(0.0).empty());
    program.begin("Soaping the Dog");
    CHECK(program.after(0.5).empty());
    CHECK(program.after(0.5) == "Cleaning the Dog\n  Soaping the Dog");
    CHECK(program.after(0.5).empty());
    CHECK(program.after(0.5) == ".");
    CHECK(program.after(1.0) == ".");
    program.end();
    CHECK(program.after(0.1) == " [  3.10 s] [    2 MB]\n");
    CHECK(program.after(0.8).empty());
    CHECK(program.after(0.2) == "Still Cleaning the Dog");
    CHECK(program.after(1.0) == ".");
    program.end();
    CHECK(program.after(0.0) == " [  5.10 s] [    2 MB]\n");
    CHECK(program.printer().end_line().empty());
}

TEST_CASE("short sections are not reported") {
    Program program(LiveStyle::terminal);
    for (int i = 0; i < 100; i++) {
        program.begin("Working");
        CHECK(program.after(0.1).empty());
        program.end();
        CHECK(program.after(0.1).empty());
    }
}

TEST_CASE("a section without dots gets its message in time, below that of its parent") {
    for (const LiveStyle style : {LiveStyle::terminal, LiveStyle::lines}) {
        Program program(style);
        program.begin("Cleaning the Dog", false);
        program.begin("Rinsing the Dog", false);
        CHECK(program.after(0.1).empty());
        const bool lines = style == LiveStyle::lines;
        CHECK(program.after(5.0) == (lines
                                         ? "[+5.1 s] Cleaning the Dog\n[+5.1 s]   Rinsing the Dog\n"
                                         : "Cleaning the Dog\n  Rinsing the Dog"));
        CHECK(program.after(5.0).empty());  // no dots
        program.end();
        CHECK(program.after(0.0) ==
              (lines ? "[+10.1 s]   Finished Rinsing the Dog [ 10.10 s] [    2 MB]\n"
                     : " [ 10.10 s] [    2 MB]\n"));
    }
}

TEST_CASE("without a terminal there is one line per event") {
    Program program(LiveStyle::lines, "[3] ");
    program.begin("Cleaning");
    program.after(0.0);
    CHECK(program.after(1.0) == "[+1.0 s] [3] Cleaning\n");
    CHECK(program.after(1.0).empty());
    program.begin("Soaping");
    program.after(0.0);
    CHECK(program.after(1.0) == "[+3.0 s] [3]   Soaping\n");
    program.end();
    CHECK(program.after(0.5) == "[+3.5 s] [3]   Finished Soaping [  1.50 s] [    2 MB]\n");
    CHECK(program.after(3.0).empty());
    program.end();
    CHECK(program.after(0.0) == "[+6.5 s] [3] Finished Cleaning [  6.50 s] [    2 MB]\n");
}

TEST_CASE("a line that grows is ended before another one") {
    Program program(LiveStyle::terminal);
    program.begin("Cleaning");
    program.after(0.0);
    CHECK(program.after(1.0) == "Cleaning");
    CHECK(program.printer().report_finished("Growing", 0.5, {0, 200}) ==
          "\n  Growing [  0.50 s] [  200 MB]\n");
    CHECK(program.after(1.0) == "Still Cleaning");
    CHECK(program.printer().end_line() == "\n");
    CHECK(program.printer().end_line().empty());
    program.end();
    CHECK(program.after(0.0) == "Finished Cleaning [  2.00 s] [    2 MB]\n");
}

TEST_CASE("a message is one line, whatever it holds") {
    Program program(LiveStyle::terminal);
    program.begin("two\nlines \xff");
    program.after(0.0);
    CHECK(program.after(1.0) == "two\\nlines \xEF\xBF\xBD");
}

TEST_CASE("another call of the same section is another one") {
    Program program(LiveStyle::terminal);
    program.begin("Cleaning");
    program.after(0.0);
    CHECK(program.after(1.0) == "Cleaning");
    program.end();
    program.begin("Cleaning");
    CHECK(program.after(0.1) == " [  1.10 s] [    2 MB]\n");
    CHECK(program.after(0.5).empty());
    CHECK(program.after(0.6) == "Cleaning");
}
