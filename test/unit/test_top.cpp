// The live view as lines of text, its keys, and its forms without a terminal.
#include <clocale>

#include <catch2/catch.hpp>

#include "live_sample_model.hpp"
#include "top/batch.hpp"
#include "top/keys.hpp"
#include "top/panes.hpp"
#include "top/render.hpp"

using namespace vftrace;
using test::LiveSample;

namespace {

constexpr std::size_t rows = 24, columns = 80;

std::string shown(const LiveModel& model, const ViewState& view, std::size_t height = 14,
                  std::size_t width = columns) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    std::string text;
    for (const Line& line : render(model, view, height, width))
        text += line.text() + "\n";
    return text;
}

ViewState after(const LiveModel& model, std::u32string_view keys) {
    ViewState view;
    for (char32_t key : keys)
        press(view, model, key, rows);
    return view;
}

}  // namespace

TEST_CASE("the live view of functions") {
    const LiveSample sample;
    CHECK(shown(sample.model, ViewState()) ==
          R"(vftrace top  heat (2 processes) on n17  1:02:03
ranks 2/2  threads 4  calls/s 200k  paths 5  overhead 0.5 %  filtered 3
code 25.0 %  MPI 75.0 %  OpenMP waiting 0.0 %  GPU waiting 0.0 %
1 Funcs 2 Tree 3 Threads 4 Ranks 5 Msgs 6 GPUs 7 Sect 8 Tasks 9 Open 0 Job M Mem
5 rows in the last 2.0 s, sorted by t_excl[s]
 excl% t_excl[s] t_incl[s]    calls  calls/s function
  36.4     2.000     2.000        0        0 résumé 网格
  27.3     1.500     1.500     200k     100k MPI_Allreduce
  18.2     1.000     3.500        2      1.0 solve
  18.2     1.000     2.500     200k     100k norm
   0.0     0.000     5.500        0        0 main


? help  q quit  s sort  / search  d span  m mark  Space freeze  w snapshot
)");
}

TEST_CASE("the live view since the start, with full width") {
    const LiveSample sample;
    const std::string text = shown(sample.model, after(sample.model, U"d"), 14, 120);
    CHECK(text.find("5 rows since the start, sorted by t_excl[s]") != text.npos);
    CHECK(text.find("42.8    83.000    83.000        1      0.0 region   résumé 网格") !=
          text.npos);
}

TEST_CASE("the live call tree") {
    const LiveSample sample;
    CHECK(shown(sample.model, after(sample.model, U"2")) ==
          R"(vftrace top  heat (2 processes) on n17  1:02:03
ranks 2/2  threads 4  calls/s 200k  paths 5  overhead 0.5 %  filtered 3
code 25.0 %  MPI 75.0 %  OpenMP waiting 0.0 %  GPU waiting 0.0 %
1 Funcs 2 Tree 3 Threads 4 Ranks 5 Msgs 6 GPUs 7 Sect 8 Tasks 9 Open 0 Job M Mem
5 rows in the last 2.0 s, sorted by t_incl[s]
 incl% t_incl[s] t_excl[s]    calls call path
 100.0     5.500     0.000        0 - main
  63.6     3.500     1.000        2   - solve
  45.5     2.500     1.000     200k     - norm
  27.3     1.500     1.500     200k         MPI_Allreduce
  36.4     2.000     2.000        0     résumé 网格


? help  q quit  s sort  / search  d span  m mark  Space freeze  w snapshot
)");
}

TEST_CASE("rows of the live tree open and close, one or all") {
    const LiveSample sample;
    const auto total = [&](std::u32string_view keys) {
        return pane_table(sample.model, after(sample.model, keys), 0, 100).total;
    };
    CHECK(total(U"2") == 5);
    CHECK(total(U"2\n") == 1);
    CHECK(total(U"2\n\n") == 5);
    CHECK(total(U"2-") == 1);
    CHECK(total(U"2-+") == 5);
    const char32_t left[] = {'2', key_down, key_down, key_left, 0};
    CHECK(total(left) == 4);
}

TEST_CASE("threads show their current call and its duration") {
    const LiveSample sample;
    const std::string text = shown(sample.model, after(sample.model, U"3"));
    CHECK(text.find("   0 0             100  50.0  50.0   0.0 (main)          0.250 "
                    "MPI_Allreduce") != text.npos);
    CHECK(text.find("   1 1             100  50.0  50.0   0.0 worker-1     >=61.000 "
                    "résumé 网格") != text.npos);
    const std::string merged = shown(sample.model, after(sample.model, U"3g"));
    CHECK(merged.find("   2 1             200  50.0  50.0   0.0 worker-*     >=61.000") !=
          merged.npos);
    CHECK(merged.find("   2 all           200  50.0  50.0   0.0 (main)         83.000") !=
          merged.npos);
}

TEST_CASE("the oldest open calls come first") {
    const LiveSample sample;
    const ViewState view = after(sample.model, U"o");
    const PaneTable table = pane_table(sample.model, view, 0, 10);
    REQUIRE(table.rows.size() == 3);
    CHECK(cell_text(table.rows[0].cells[0], CellFormat::seconds) == "83.000");
    CHECK(table.rows[0].cells[3].text == "résumé 网格 < main");
    CHECK(cell_text(table.rows[1].cells[0], CellFormat::seconds) == ">=61.000");
    CHECK(table.rows[2].cells[3].text == "MPI_Allreduce < norm < solve < main");
}

TEST_CASE("messages by rate, with those of collectives separate") {
    const LiveSample sample;
    const PaneTable table = pane_table(sample.model, after(sample.model, U"5"), 0, 10);
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0].cells[0].text == "1");
    CHECK(table.rows[0].cells[1].number == Approx(10));
    CHECK(table.rows[0].cells[2].number == Approx(40'000));
    CHECK(table.rows[1].cells[0].text == "(collectives)");
}

TEST_CASE("a process that has ended is reported") {
    LiveSample sample;
    sample.model.processes[1].presence = Presence::ended;
    sample.model.processes[1].problem = "4001: has ended";
    const std::string text = shown(sample.model, after(sample.model, U"4"));
    CHECK(text.find("1 not running") != text.npos);
    CHECK(text.find("ranks 1/2") != text.npos);
    CHECK(text.find(" ended\n") != text.npos);
}

TEST_CASE("a search shows the matches, and reports errors in the pattern") {
    const LiveSample sample;
    ViewState view = after(sample.model, U"/MPI_|^norm\n");
    CHECK(view.search == "MPI_|^norm");
    CHECK(pane_table(sample.model, view, 0, 10).total == 2);
    press(view, sample.model, '2', rows);  // with the callers that lead there
    CHECK(pane_table(sample.model, view, 0, 10).total == 4);
    press(view, sample.model, key_escape, rows);
    CHECK(view.search.empty());
    view = after(sample.model, U"/(\n");
    CHECK(view.message_is_error);
    CHECK(view.message.find("is not a regular expression") != std::string::npos);
    const char32_t erased[] = {'/', 'a', U'网', key_backspace, key_enter, 0};
    CHECK(after(sample.model, erased).search == "a");
    CHECK(after(sample.model, U"/abc\x1b").search.empty());
    CHECK(shown(sample.model, after(sample.model, U"/nothing\n")).find("Nothing matches.") !=
          std::string::npos);
}

TEST_CASE("s and S step through the columns, and r reverses the order") {
    const LiveSample sample;
    const auto first = [&](std::u32string_view keys) {
        return pane_table(sample.model, after(sample.model, keys), 0, 1).rows[0].cells[6].text;
    };
    CHECK(first(U"") == "résumé 网格");
    CHECK(first(U"r") == "main");
    CHECK(first(U"s") == "main");  // total
    CHECK(first(U"ssssss") == "résumé 网格");
    CHECK(first(U"SSr") == "solve");  // names, from the last one
}

TEST_CASE("the cursor stays among the rows, and they scroll") {
    const LiveSample sample;
    ViewState view;
    for (int i = 0; i < 10; i++)
        press(view, sample.model, key_down, least_rows);
    CHECK(view.selected == 4);
    CHECK(view.first == 2);
    press(view, sample.model, key_home, least_rows);
    CHECK(view.first == 0);
    press(view, sample.model, key_end, least_rows);
    CHECK(view.selected == 4);
    press(view, sample.model, key_page_up, least_rows);
    CHECK(view.selected == 1);
}

TEST_CASE("figures are of an interval, since the start or since the mark") {
    LiveSample sample;
    ViewState view;
    CHECK(press(view, sample.model, 'm', rows) == KeyCommand::mark);
    sample.model.has_mark = true;
    sample.model.since_mark = 60;
    sample.model.marked = sample.model.before;
    CHECK(pane_table(sample.model, view, 0, 1).span == TimeSpan::mark);
    press(view, sample.model, 'd', rows);
    CHECK(pane_table(sample.model, view, 0, 1).span == TimeSpan::interval);
    sample.model.interval = 0;  // right after the start
    CHECK(pane_table(sample.model, view, 0, 1).span == TimeSpan::start);
}

TEST_CASE("every size of terminal has lines that fit") {
    const LiveSample sample;
    std::setlocale(LC_CTYPE, "C.UTF-8");
    for (std::size_t pane = 0; pane < pane_count; pane++)
        for (std::size_t height : {1, 2, 9, 10, 11, 24, 60})
            for (std::size_t width : {1, 5, 39, 40, 41, 79, 80, 81, 200}) {
                ViewState view;
                view.pane = static_cast<PaneId>(pane);
                for (bool help : {false, true}) {
                    view.help = help;
                    const TextFrame frame = render(sample.model, view, height, width);
                    CHECK(frame.size() <= height);
                    for (const Line& line : frame)
                        CHECK(line.width() <= width);
                }
            }
    CHECK(shown(sample.model, ViewState(), 5, 60) == "terminal smaller than 40x10\n");
}

TEST_CASE("the help explains every figure of the head") {
    const LiveSample sample;
    const std::string text = shown(sample.model, after(sample.model, U"?"), 60, 80);
    for (const char* word : {"elapsed", "ranks", "threads", "calls/s", "code", "MPI",
                             "OpenMP waiting", "GPU waiting", "overhead", "filtered"})
        CHECK(text.find(std::string("\n  ") + word) != std::string::npos);
    CHECK_FALSE(after(sample.model, U"?x").help);
}

TEST_CASE("an empty model can be shown") {
    const LiveModel model;
    for (std::size_t pane = 0; pane < pane_count; pane++) {
        ViewState view;
        view.pane = static_cast<PaneId>(pane);
        CHECK(render(model, view, rows, columns).size() == rows);
        CHECK(text_of(model, view, 5).find(pane_kinds[pane].title) != std::string::npos);
        CHECK(json_of(model, view, 5, 0).find("\"rows\":[]") != std::string::npos);
    }
}

TEST_CASE("the live view as one line of JSON") {
    const LiveSample sample;
    const std::string json = json_of(sample.model, after(sample.model, U"o"), 2, 12.5);
    CHECK(json.find('\n') == std::string::npos);
    CHECK(json.starts_with(R"({"time":12.500,"elapsed":3723,"span":"interval","span_seconds":2,)"));
    CHECK(json.find(R"("pane":"open","total_rows":3,"rows":[{"since":83,"since_at_least":false,)"
                    R"("process":"1","thread":0,"in":"résumé 网格 < main"},)") !=
          std::string::npos);
}

TEST_CASE("the width of text is that on the terminal") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    CHECK(columns_of("网格") == 4);
    CHECK(columns_of("e\xcc\x81") == 1);  // a letter and a combining accent
    CHECK(clipped("网格网格", 5) == "网格");
    CHECK(padded("网", 4) == "网  ");
    CHECK(clipped("0123456789abcdef", 10, true) == "0123..cdef");
    CHECK(clipped("a\tb\x01", 80) == "a\\tb\\x01");
    CHECK(columns_of(clipped("\xff\xfe", 80)) == 2);
}

TEST_CASE("numbers fit into their columns") {
    CHECK(short_count(0) == "0");
    CHECK(short_count(99'999) == "99999");
    CHECK(short_count(1'349'000) == "1.3M");
    CHECK(short_count(135'000) == "135k");
    CHECK(short_count(2.5e18) == "2500P");
    CHECK(elapsed_text(0.25) == "0.250 s");
    CHECK(elapsed_text(83) == "83.0 s");
    CHECK(elapsed_text(150) == "2:30 min");
    CHECK(elapsed_text(3723) == "1:02:03 h");
}
