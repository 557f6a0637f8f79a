#include "compare/mean_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "profile/metric_rows.hpp"
#include "profile/row_keys.hpp"

namespace vftrace {
namespace {

class Mean {
  public:
    explicit Mean(std::size_t runs) : runs_(runs) {}

    void of(std::int64_t& value) const {
        value = std::llround(static_cast<long double>(value) / static_cast<long double>(runs_));
    }
    void of(std::uint64_t& value) const { value = value / runs_ + (value % runs_ * 2 >= runs_); }
    void of(double& value) const { value /= static_cast<double>(runs_); }

    // Divides the figures of one row that were added up.
    template <class Row>
    void of_row(Row& row) const {
        for_each_number(row, [&](const auto& field, auto& number) {
            using Number = std::remove_cvref_t<decltype(number)>;
            if constexpr (!std::is_same_v<Number, std::uint32_t>)
                if (field.combined == Combined::sum ||
                    (field.combined == Combined::sum_if_known && number >= Number{}))
                    of(number);
        });
    }
    template <class Row>
    void of_rows(std::vector<Row>& rows) const {
        for (Row& row : rows)
            of_row(row);
    }

    void of(Profile& profile) const {
        of(profile.run.runtime_ns);
        of(profile.run.paused_ns);
        for (auto time : processor_times)
            if (profile.run.*time > 0)
                of(profile.run.*time);
        for (OverheadItem& item : profile.run.overhead)
            of(item.ns);
        of_notices(profile.run.notices);
        of_rows(profile.paths);
        of_rows(profile.filtered);
        for_each_metric_value(profile, [this](const Metric& metric, double& value) {
            if (metric.reduction == Reduction::sum)
                of(value);
        });
        for_each_list([&](const auto& list) { of_rows(profile.*list.rows); });
        // A place that was found in only some of the runs does not disappear.
        for (PathAddresses& row : profile.addresses)
            for (AddressCount& address : row.addresses) {
                of(address.samples);
                address.samples = std::max<std::uint64_t>(address.samples, 1);
            }
        for (PathLatencies& row : profile.latencies)
            for (LatencyCount& bin : row.bins) {
                of(bin.calls);
                bin.calls = std::max<std::uint64_t>(bin.calls, 1);
            }
        for (SizeBin& bin : profile.message_sizes)
            of_row(bin);
    }

  private:
    // What happened in only some of the runs does not become 0.
    void of_notices(std::vector<Notice>& notices) const {
        for (Notice& notice : notices)
            if (kind_of(notice).merging == NoticeMerging::add)
                for (NoticeArgument& argument : notice.arguments)
                    if (argument.number > 0) {
                        of(argument.number);
                        argument.number = std::max<std::uint64_t>(argument.number, 1);
                    }
    }

    std::size_t runs_;
};

}  // namespace

void make_means(Profile& sum, std::size_t runs) { Mean(runs).of(sum); }

}  // namespace vftrace
