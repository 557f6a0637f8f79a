#include "compare/profile_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace vftrace {
namespace {

class Rows {
  public:
    explicit Rows(DifferenceBy by) : by_(by) {}

    void add(const ComparedProfile& profile, DifferenceFigures DifferenceRow::*side) {
        const bool by_function = by_ == DifferenceBy::function;
        for (const ComparedPath& path : profile.paths) {
            const auto [place, is_new] =
                index_.try_emplace(by_function ? path.function_key : path.path_key, rows_.size());
            if (is_new)
                rows_.push_back(
                    {path.function, by_function ? path.function : path.path, path.stid, {}, {}});
            DifferenceFigures& figures = rows_[place->second].*side;
            figures.present = true;
            add_saturating(figures.calls, path.calls);
            add_saturating(figures.exclusive_ns, path.exclusive_ns);
            add_saturating(figures.doubt_ns, path.doubt_ns);
            // Recursive calls of a function are included in its outermost calls.
            if (!by_function || path.outermost)
                add_saturating(figures.inclusive_ns, path.inclusive_ns);
        }
    }

    std::vector<DifferenceRow> sorted() {
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const DifferenceRow& a, const DifferenceRow& b) {
                             return std::abs(a.exclusive_ns()) > std::abs(b.exclusive_ns());
                         });
        return std::move(rows_);
    }

  private:
    DifferenceBy by_;
    std::vector<DifferenceRow> rows_;
    std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::vector<DifferenceRow> profile_difference(const ComparedPair& pair, DifferenceBy by) {
    Rows rows(by);
    rows.add(pair.a, &DifferenceRow::a);
    rows.add(pair.b, &DifferenceRow::b);
    return rows.sorted();
}

double percent_more(double a, double b) {
    if (a == 0)
        return b == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), b);
    return 100 * (b - a) / std::abs(a);
}

bool is_slower(std::int64_t a_ns, std::int64_t b_ns, const SlowerThan& limit) {
    const double a = static_cast<double>(a_ns), b = static_cast<double>(b_ns);
    return b - a > 0 && b - a >= static_cast<double>(limit.least_ns) &&
           percent_more(a, b) > limit.percent;
}

}  // namespace vftrace
