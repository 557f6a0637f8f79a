// Shared code of panes: the figures of all rows are computed first; texts are made only for rows
// that are shown.
#pragma once

#include <array>
#include <cstdint>
#include <regex.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.hpp"
#include "top/panes.hpp"

namespace vftrace {

// A row without its texts.
struct RowFigures {
    std::array<double, 12> numbers{};  // by column
    std::uint32_t subject = 0;         // what the row is about: a number that its pane defines
};

// The regular expression of a search: POSIX extended, ignoring case.
class Search {
  public:
    explicit Search(const std::string& expression);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    bool is_empty() const { return empty_; }
    const std::string& problem() const { return problem_; }  // "" if it is an expression
    // Everything matches an empty expression, and an invalid one.
    bool matches(const std::string& text) const;

  private:
    regex_t expression_;
    bool empty_;
    std::string problem_;
};

// The span of time whose figures are shown, because the wanted one may not exist, and its length.
TimeSpan span_shown(const LiveModel& model, TimeSpan wanted);
double seconds_of(const LiveModel& model, TimeSpan span);

// The figures at the start of the span; `none` if that is the start of recording.
template <class Figures>
const Figures& base_of(TimeSpan span, const Figures& before, const Figures& marked,
                       const Figures& none) {
    return span == TimeSpan::interval ? before : span == TimeSpan::mark ? marked : none;
}
Totals totals_in(TimeSpan span, const Totals& total, const Totals& before, const Totals& marked);

// By path, in the span of the table.
struct PathFiguresInSpan {
    std::vector<double> calls, exclusive, inclusive;
    double all = 0;  // exclusive time of all paths
};
PathFiguresInSpan figures_in(const LiveModel& model, TimeSpan span);

using CellText = FunctionRef<std::string(const RowFigures&, std::size_t column)>;
// Sorts the figures as the view requires, and makes `count` rows, starting with number `first`.
void set_rows(PaneTable& table, const ViewState& view, std::vector<RowFigures>& figures,
              std::size_t first, std::size_t count, CellText text);

// The name of the function of a path.
const std::string& shown_name(const LiveModel& model, const ViewState& view, std::uint32_t path);

// The rank, or the process id if MPI is not used.
std::string process_text(const ModelProcess& process);

// The figures of each function, by its number.
using FiguresByFunction = std::unordered_map<std::uint32_t, RowFigures>;

struct PaneMaker {
    const LiveModel& model;
    const ViewState& view;
    const Search& search;
    std::size_t first, count;

    void functions(PaneTable& table) const;
    void tree(PaneTable& table) const;
    void sections(PaneTable& table) const;
    void tasks(PaneTable& table) const;
    void memory(PaneTable& table) const;
    // The rows of those that the search finds, with their names as the only texts.
    void show_functions(PaneTable& table, const FiguresByFunction& by_function) const;
    void threads(PaneTable& table) const;
    void ranks(PaneTable& table) const;
    void messages(PaneTable& table) const;
    void gpus(PaneTable& table) const;
    void open(PaneTable& table) const;
    void rollcall(PaneTable& table) const;
};

}  // namespace vftrace
