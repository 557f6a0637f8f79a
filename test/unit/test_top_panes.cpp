// Panes of the live view that need more than functions and threads: sections, GPUs, tasks, the roll
// call of a job.
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

constexpr std::size_t rows = 12, columns = 80, head_rows = 4;

// The frame of a pane without the head, which all panes have in common, and without the foot.
std::string shown(const LiveModel& model, char32_t key) {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    ViewState view;
    press(view, model, key, rows);
    const TextFrame frame = render(model, view, rows, columns);
    std::string text;
    for (std::size_t i = head_rows; i + 1 < frame.size(); i++)
        if (const std::string line = frame[i].text(); !line.empty())
            text += line + "\n";
    return text;
}

}  // namespace

TEST_CASE("the live view of sections") {
    LiveSample sample;
    LiveNames& names = sample.names;
    const std::uint32_t step = names.paths.below(
        sample.main_path, names.functions.section("time step", 1, "Advancing the time"));
    const std::uint32_t halo =
        names.paths.below(step, names.functions.section("halo exchange", 2, ""));
    LiveModel& model = sample.model;
    model.is_outermost.resize(names.paths.all().size(), true);
    model.now.calls.insert(model.now.calls.end(), {30, 120});
    model.now.exclusive.insert(model.now.exclusive.end(), {12, 6});
    model.before.calls.insert(model.before.calls.end(), {28, 112});
    model.before.exclusive.insert(model.before.exclusive.end(), {11, 5.5});
    sample.add_thread(0, 1, "", {sample.main_path, step, halo}, 0.5, false);
    CHECK(shown(model, U'7') == R"(2 rows in the last 2.0 s, sorted by t_incl[s]
level  incl% t_incl[s] t_excl[s]    calls  open for section       message
    1   21.4     1.500     1.000        2     0.500 time step     Advanc..e time
    2    7.1     0.500     0.500        8     0.500 halo exchange
)");
    model.threads.pop_back();  // nothing is open: no message, and the names get all the space
    CHECK(shown(model, U'7') == R"(2 rows in the last 2.0 s, sorted by t_incl[s]
level  incl% t_incl[s] t_excl[s]    calls  open for section
    1   21.4     1.500     1.000        2           time step
    2    7.1     0.500     0.500        8           halo exchange
)");
}

TEST_CASE("the live view of GPUs") {
    LiveSample sample;
    const auto device = [](std::uint32_t number, double kernels, double copies, double both) {
        return LiveDevice{number, "NVIDIA H100", kernels, copies, both};
    };
    sample.model.devices = {
        {0, device(0, 61, 9, 4), device(0, 59.5, 8.5, 3.75), device(0, 0, 0, 0)},
        {1, device(1, 12, 0, 0), device(1, 12, 0, 0), device(1, 0, 0, 0)}};
    CHECK(shown(sample.model, U'6') == R"(2 rows in the last 2.0 s, sorted by kernel%
rank/pid device kernel%  copy%  both% kernels[s] name
0             0    75.0   25.0   12.5      1.500 NVIDIA H100
1             1     0.0    0.0    0.0      0.000 NVIDIA H100
)");
}

TEST_CASE("the live view of tasks") {
    LiveSample sample;
    sample.model.tasks = {
        {{sample.solve, 5000, 4900, 3, 70'000},
         {sample.solve, 4800, 4700, 3, 60'000},
         {sample.solve, 0, 0, 0, 0}},
        {{sample.norm, 1, 0, 0, 0}, {sample.norm, 1, 0, 0, 0}, {sample.norm, 0, 0, 0, 0}}};
    CHECK(shown(sample.model, U'8') == R"(2 rows in the last 2.0 s, sorted by created
created/s   created    alive     ended  failed   pauses task
      100       200      100       200       0    10000 solve
        0         0        1         0       0        0 norm
)");
}

TEST_CASE("the live view of memory") {
    LiveSample sample;
    constexpr double mib = 1 << 20;
    sample.model.memory = {{{sample.solve, 900 * mib, 5000, 300 * mib},
                            {sample.solve, 700 * mib, 4000, 310 * mib},
                            {sample.solve, 0, 0, 0}},
                           {{sample.norm, 40 * mib, 2, 40 * mib},
                            {sample.norm, 20 * mib, 1, 20 * mib},
                            {sample.norm, 0, 0, 0}}};
    CHECK(shown(sample.model, U'M') == R"(2 rows in the last 2.0 s, sorted by live B
   live B   +live B alloc B/s allocs/s   alloc B function
     315M    -10.5M      105M      500      210M solve
    41.9M     21.0M     10.5M      0.5     21.0M norm
)");
}

TEST_CASE("the roll call of a job groups ranks by place") {
    LiveSample sample;
    for (std::uint32_t rank = 2; rank < 6; rank++) {
        sample.add_rank(rank, Presence::running);
        sample.add_thread(rank, 0, "",
                          {sample.main_path, sample.solve, sample.norm, sample.allreduce}, rank,
                          rank == 5);
    }
    sample.add_rank(6, Presence::ended);
    CHECK(shown(sample.model, U'0') == R"(3 rows in the last 2.0 s, sorted by ranks
 ranks which         state      calls/s  open for in
     5 0,2-5         MPI           500k   >=0.250 MPI_Allreduce ..< solve < main
     1 1             code          100k    83.000 résumé 网格 < main
     1 6                           100k     0.000 (ended)
)");
    // A search also finds the ranks that are in the minority.
    ViewState view;
    for (char32_t key : U"0/résumé\n")
        if (key)
            press(view, sample.model, key, rows);
    CHECK(pane_table(sample.model, view, 0, 10).total == 1);
}
