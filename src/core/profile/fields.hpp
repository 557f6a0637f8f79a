// The figures of each kind of row of a profile, described once: their names in files, and how those
// of several threads, ranks or runs are combined. The keys that identify rows are described in
// profile/row_keys.hpp.
//
// Messages between ranks, merging, means of runs, JSON and tables use these lists, so a figure that
// is added here is in all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/saturating.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// How figures of the same thing on several ranks become one, and then those of several runs.
enum class Combined : std::uint8_t {
    sum,           // over ranks; the mean of runs
    sum_if_known,  // the same; negative: not known, and then the sum is not known either
    smallest,
    largest,
    members  // a number of ranks or threads: the sum over ranks, the largest of runs
};

// Where a figure is in JSON: readers restore absent values.
enum class InJson : std::uint8_t {
    always,
    unless_zero,
    if_known,     // absent if it is negative, then read as -1
    unless_usual  // absent if it is the same as another figure
};

template <class Row, class Value>
struct Field {
    std::string_view name;  // in JSON and in tables
    Value Row::*member;     // an integer, a double, or figures with their own description: an
                            // object in JSON, absent if the first of them is 0
    Combined combined = Combined::sum;
    InJson in_json = InJson::always;
    Value Row::*usual = nullptr;
};
template <class Row, class Value, class... Rest>
Field(std::string_view, Value Row::*, Rest...) -> Field<Row, Value>;

// What identifies a row (paths, ranks, names) is not among them.
template <class Row>
inline constexpr auto figures_of = nullptr;

template <>
inline constexpr auto figures_of<Path> = std::tuple{
    Field{"calls", &Path::calls},
    Field{"samples", &Path::samples, Combined::sum, InJson::unless_zero},
    Field{"page_faults", &Path::page_faults, Combined::sum, InJson::unless_zero},
    Field{"inclusive_ns", &Path::inclusive_ns},
    Field{"exclusive_ns", &Path::exclusive_ns},
    Field{"overhead_ns", &Path::overhead_ns},
    Field{"kernel_ns", &Path::kernel_ns, Combined::sum, InJson::unless_zero},
    Field{"raw_inclusive_ns", &Path::raw_inclusive_ns, Combined::sum, InJson::unless_usual,
          &Path::inclusive_ns},
    Field{"raw_exclusive_ns", &Path::raw_exclusive_ns, Combined::sum, InJson::unless_usual,
          &Path::exclusive_ns},
    Field{"inclusive_error_ns", &Path::inclusive_error_ns, Combined::sum, InJson::unless_zero},
    Field{"exclusive_error_ns", &Path::exclusive_error_ns, Combined::sum, InJson::unless_zero}};

template <>
inline constexpr auto figures_of<FilteredFunction> =
    std::tuple{Field{"calls", &FilteredFunction::calls},
               Field{"exclusive_ns", &FilteredFunction::exclusive_ns},
               Field{"overhead_ns", &FilteredFunction::overhead_ns}};

template <>
inline constexpr auto figures_of<MessageFigures> =
    std::tuple{Field{"messages", &MessageFigures::messages}, Field{"bytes", &MessageFigures::bytes},
               Field{"time_ns", &MessageFigures::ns},
               Field{"bandwidth_sum", &MessageFigures::bandwidth_sum}};

template <>
inline constexpr auto figures_of<SizeBin> =
    std::tuple{Field{"sent", &SizeBin::sent}, Field{"received", &SizeBin::received}};

template <>
inline constexpr auto figures_of<RankFigures> = std::tuple{
    Field{"threads", &RankFigures::threads, Combined::largest},
    Field{"runtime_ns", &RankFigures::runtime_ns},
    Field{"overhead_ns", &RankFigures::overhead_ns},
    Field{"mpi_ns", &RankFigures::mpi_ns},
    Field{"memory_bytes", &RankFigures::memory_bytes, Combined::largest},
    Field{"calls", &RankFigures::calls},
    Field{"mpi_calls", &RankFigures::mpi_calls, Combined::sum_if_known, InJson::if_known},
    Field{"delay_ns", &RankFigures::delay_ns, Combined::sum_if_known, InJson::if_known}};

template <>
inline constexpr auto figures_of<EarlierSection> = std::tuple{
    Field{"calls", &EarlierSection::calls}, Field{"self_ns", &EarlierSection::self_ns},
    Field{"self_memory", &EarlierSection::self_memory, Combined::sum, InJson::unless_zero},
    Field{"longest_self_ns", &EarlierSection::longest_self_ns, Combined::largest},
    Field{"longest_total_ns", &EarlierSection::longest_total_ns, Combined::largest}};

template <>
inline constexpr auto figures_of<ThreadFigures> =
    std::tuple{Field{"threads", &ThreadFigures::threads, Combined::members},
               Field{"calls", &ThreadFigures::calls},
               Field{"time_ns", &ThreadFigures::time_ns},
               Field{"parallel_ns", &ThreadFigures::parallel_ns},
               Field{"waiting_ns", &ThreadFigures::waiting_ns},
               Field{"lifetime_ns", &ThreadFigures::lifetime_ns}};

template <>
inline constexpr auto figures_of<TaskLoop> = std::tuple{
    Field{"threads", &TaskLoop::threads, Combined::members}, Field{"busy_ns", &TaskLoop::busy_ns},
    Field{"longest_run_ns", &TaskLoop::longest_run_ns, Combined::largest},
    Field{"lifetime_ns", &TaskLoop::lifetime_ns},
    Field{"outside_ns", &TaskLoop::outside_ns, Combined::sum_if_known, InJson::if_known}};

template <>
inline constexpr auto figures_of<RegionFigures> = std::tuple{
    Field{"processes", &RegionFigures::processes, Combined::members},
    Field{"runtime_ns", &RegionFigures::runtime_ns}, Field{"entries", &RegionFigures::entries},
    Field{"overhead_ns", &RegionFigures::overhead_ns, Combined::sum, InJson::unless_zero},
    Field{"peak_bytes", &RegionFigures::peak_bytes, Combined::largest, InJson::unless_zero}};

template <>
inline constexpr auto figures_of<ParallelRegion> =
    std::tuple{Field{"entries", &ParallelRegion::entries},
               Field{"threads", &ParallelRegion::threads},
               Field{"busy_ns", &ParallelRegion::busy_ns},
               Field{"busy_max_ns", &ParallelRegion::busy_max_ns, Combined::largest},
               Field{"waiting_ns", &ParallelRegion::waiting_ns}};

template <>
inline constexpr auto figures_of<PathAddresses> =
    std::tuple{Field{"time_ns", &PathAddresses::time_ns}};

template <>
inline constexpr auto figures_of<LongestCall> =
    std::tuple{Field{"time_ns", &LongestCall::ns, Combined::largest},
               Field{"end_ns", &LongestCall::end_ns, Combined::largest},
               Field{"rank", &LongestCall::rank, Combined::largest}};

template <>
inline constexpr auto figures_of<PathLatencies> =
    std::tuple{Field{"calls", &PathLatencies::calls},
               Field{"longest", &PathLatencies::longest, Combined::largest}};

template <>
inline constexpr auto figures_of<PathMessages> =
    std::tuple{Field{"sent", &PathMessages::sent}, Field{"received", &PathMessages::received}};

template <>
inline constexpr auto figures_of<PeerMessages> =
    std::tuple{Field{"sent", &PeerMessages::sent}, Field{"received", &PeerMessages::received}};

template <>
inline constexpr auto figures_of<CountByRank> =
    std::tuple{Field{"count", &CountByRank::ranks},
               Field{"fewest", &CountByRank::fewest, Combined::smallest},
               Field{"most", &CountByRank::most, Combined::largest}};

template <>
inline constexpr auto figures_of<PathGpuWork> =
    std::tuple{Field{"count", &PathGpuWork::count},
               Field{"time_ns", &PathGpuWork::ns},
               Field{"shortest_ns", &PathGpuWork::shortest_ns, Combined::smallest},
               Field{"longest_ns", &PathGpuWork::longest_ns, Combined::largest},
               Field{"bytes", &PathGpuWork::bytes, Combined::sum, InJson::unless_zero},
               Field{"timely", &PathGpuWork::timely},
               Field{"waited_ns", &PathGpuWork::waited_ns},
               Field{"ranks", &PathGpuWork::by_rank}};

template <>
inline constexpr auto figures_of<GpuStreamFigures> = std::tuple{
    Field{"kernels", &GpuStreamFigures::kernels}, Field{"copies", &GpuStreamFigures::copies},
    Field{"bytes", &GpuStreamFigures::bytes},     Field{"kernel_ns", &GpuStreamFigures::kernel_ns},
    Field{"copy_ns", &GpuStreamFigures::copy_ns}, Field{"span_ns", &GpuStreamFigures::span_ns}};

template <>
inline constexpr auto figures_of<GpuDeviceFigures> =
    std::tuple{Field{"kernel_ns", &GpuDeviceFigures::kernel_ns},
               Field{"copy_ns", &GpuDeviceFigures::copy_ns},
               Field{"overlap_ns", &GpuDeviceFigures::overlap_ns},
               Field{"span_ns", &GpuDeviceFigures::span_ns}};

template <>
inline constexpr auto figures_of<TransferFigures> =
    std::tuple{Field{"count", &TransferFigures::count}, Field{"bytes", &TransferFigures::bytes}};

template <>
inline constexpr auto figures_of<PathTransfers> =
    std::tuple{Field{"host_to_device", &PathTransfers::to_device},
               Field{"device_to_host", &PathTransfers::to_host},
               Field{"on_device", &PathTransfers::on_device}};

template <>
inline constexpr auto figures_of<HeapSiteRow> =
    std::tuple{Field{"allocated", &HeapSiteRow::allocated}, Field{"calls", &HeapSiteRow::calls},
               Field{"live", &HeapSiteRow::live, Combined::sum, InJson::unless_zero},
               Field{"at_peak", &HeapSiteRow::at_peak, Combined::sum, InJson::unless_zero}};

template <>
inline constexpr auto figures_of<Placement> = std::tuple{
    Field{"touches", &Placement::touches},   Field{"touches_seen", &Placement::touches_seen},
    Field{"touched", &Placement::touched},   Field{"near_uses", &Placement::near_uses},
    Field{"far_uses", &Placement::far_uses}, Field{"other_uses", &Placement::other_uses}};

template <>
inline constexpr auto figures_of<LockWait> =
    std::tuple{Field{"waits", &LockWait::waits}, Field{"time_ns", &LockWait::ns},
               Field{"longest_ns", &LockWait::longest_ns, Combined::largest}};

template <>
inline constexpr auto figures_of<Annotation> =
    std::tuple{Field{"events", &Annotation::events, Combined::sum, InJson::unless_zero},
               Field{"merged", &Annotation::merged, Combined::sum, InJson::unless_zero},
               Field{"unmatched", &Annotation::unmatched, Combined::sum, InJson::unless_zero},
               Field{"crossed", &Annotation::crossed, Combined::sum, InJson::unless_zero},
               Field{"bytes", &Annotation::bytes, Combined::sum, InJson::unless_zero},
               Field{"live", &Annotation::live, Combined::sum, InJson::unless_zero},
               Field{"peak", &Annotation::peak, Combined::sum, InJson::unless_zero},
               Field{"values", &Annotation::values, Combined::sum, InJson::unless_zero},
               Field{"sum", &Annotation::sum, Combined::sum, InJson::unless_zero},
               Field{"smallest", &Annotation::smallest, Combined::smallest, InJson::unless_zero},
               Field{"largest", &Annotation::largest, Combined::largest, InJson::unless_zero}};

template <>
inline constexpr auto figures_of<FileSizes> =
    std::tuple{Field{"calls", &FileSizes::calls},
               Field{"below_100", &FileSizes::below_100, Combined::sum, InJson::unless_zero},
               Field{"below_1k", &FileSizes::below_1k, Combined::sum, InJson::unless_zero},
               Field{"below_10k", &FileSizes::below_10k, Combined::sum, InJson::unless_zero},
               Field{"below_100k", &FileSizes::below_100k, Combined::sum, InJson::unless_zero},
               Field{"below_1m", &FileSizes::below_1m, Combined::sum, InJson::unless_zero},
               Field{"below_4m", &FileSizes::below_4m, Combined::sum, InJson::unless_zero},
               Field{"below_10m", &FileSizes::below_10m, Combined::sum, InJson::unless_zero},
               Field{"below_100m", &FileSizes::below_100m, Combined::sum, InJson::unless_zero},
               Field{"below_1g", &FileSizes::below_1g, Combined::sum, InJson::unless_zero},
               Field{"larger", &FileSizes::larger, Combined::sum, InJson::unless_zero}};

template <>
inline constexpr auto figures_of<FileCalls> =
    std::tuple{Field{"calls", &FileCalls::calls},
               Field{"buffered", &FileCalls::buffered, Combined::sum, InJson::unless_zero},
               Field{"failed", &FileCalls::failed, Combined::sum, InJson::unless_zero},
               Field{"read", &FileCalls::read, Combined::sum, InJson::unless_zero},
               Field{"written", &FileCalls::written, Combined::sum, InJson::unless_zero},
               Field{"time_ns", &FileCalls::ns},
               Field{"longest_ns", &FileCalls::longest_ns, Combined::largest},
               Field{"placed", &FileCalls::placed, Combined::sum, InJson::unless_zero},
               Field{"sequential", &FileCalls::sequential, Combined::sum, InJson::unless_zero},
               Field{"consecutive", &FileCalls::consecutive, Combined::sum, InJson::unless_zero},
               Field{"unaligned", &FileCalls::unaligned, Combined::sum, InJson::unless_zero},
               Field{"sizes", &FileCalls::sizes}};

template <>
inline constexpr auto figures_of<FileFigures> = std::tuple{
    Field{"ranks", &FileFigures::ranks, Combined::members},
    Field{"readers", &FileFigures::readers, Combined::members, InJson::unless_zero},
    Field{"writers", &FileFigures::writers, Combined::members, InJson::unless_zero},
    Field{"read_and_wrote", &FileFigures::read_and_wrote, Combined::members, InJson::unless_zero},
    Field{"read", &FileFigures::read, Combined::sum, InJson::unless_zero},
    Field{"written", &FileFigures::written, Combined::sum, InJson::unless_zero},
    Field{"most_read", &FileFigures::most_read, Combined::largest, InJson::unless_zero},
    Field{"most_written", &FileFigures::most_written, Combined::largest, InJson::unless_zero},
    Field{"time_ns", &FileFigures::ns},
    Field{"first_ns", &FileFigures::first_ns, Combined::smallest},
    Field{"last_ns", &FileFigures::last_ns, Combined::largest}};

template <>
inline constexpr auto figures_of<WaitState> =
    std::tuple{Field{"waits", &WaitState::waits}, Field{"time_ns", &WaitState::ns},
               Field{"longest_ns", &WaitState::longest_ns, Combined::largest}};

template <>
inline constexpr auto figures_of<WaitCause> = std::tuple{Field{"time_ns", &WaitCause::ns}};

template <>
inline constexpr auto figures_of<CriticalPath> = std::tuple{
    Field{"time_ns", &CriticalPath::ns}, Field{"imbalance_ns", &CriticalPath::imbalance_ns}};

template <>
inline constexpr auto figures_of<Series> =
    std::tuple{Field{"missed", &Series::missed, Combined::sum, InJson::unless_zero}};

template <class Row>
inline constexpr bool has_figures =
    !std::is_same_v<std::remove_cv_t<decltype(figures_of<Row>)>, std::nullptr_t>;

template <class Row, class Visit>
constexpr void for_each_field(Visit visit) {
    if constexpr (has_figures<Row>)
        std::apply([&](const auto&... field) { (visit(field), ...); }, figures_of<Row>);
}

// Visits the numbers among the figures of a row as visit(field, number), and numbers of figures
// with their own description as fields of those.
template <class Row, class Visit>
constexpr void for_each_number(Row& row, Visit visit) {
    for_each_field<std::remove_const_t<Row>>([&](const auto& field) {
        auto& value = row.*field.member;
        if constexpr (has_figures<std::remove_cvref_t<decltype(value)>>)
            for_each_number(value, visit);
        else
            visit(field, value);
    });
}

template <class Row>
constexpr std::size_t numbers_in_fields() {
    std::size_t count = 0;
    Row row{};
    for_each_number(row, [&](const auto&, const auto&) { count++; });
    return count;
}

// Whether figures with their own description are left out of JSON.
template <class Figures>
bool is_absent(const Figures& figures) {
    return figures.*std::get<0>(figures_of<Figures>).member == 0;
}

// Rows that consist only of numbers have nothing but these and their keys: no figure has been
// forgotten above.
static_assert(sizeof(Path) == 24 + 8 * numbers_in_fields<Path>());  // parent ... hash
static_assert(sizeof(MessageFigures) == 8 * numbers_in_fields<MessageFigures>());
static_assert(sizeof(SizeBin) == 8 * numbers_in_fields<SizeBin>());
static_assert(sizeof(ParallelRegion) == 8 + 8 * numbers_in_fields<ParallelRegion>());
static_assert(sizeof(PathMessages) == 8 + 8 * numbers_in_fields<PathMessages>());
static_assert(sizeof(PathGpuWork) == 16 + 8 * numbers_in_fields<PathGpuWork>());
static_assert(sizeof(GpuStreamFigures) == 16 + 8 * numbers_in_fields<GpuStreamFigures>());
static_assert(sizeof(PathTransfers) == 8 + 8 * numbers_in_fields<PathTransfers>());

enum class Several : std::uint8_t { ranks, runs };

// Adds the figures of another rank's row, or another run's, that is about the same thing.
template <class Row>
void add_figures(Row& sum, const Row& other, Several what = Several::ranks) {
    for_each_field<Row>([&](const auto& field) {
        auto& mine = sum.*field.member;
        const auto& theirs = other.*field.member;
        using Value = std::remove_cvref_t<decltype(mine)>;
        if constexpr (has_figures<Value> && requires { mine < theirs; }) {
            mine = std::max(mine, theirs);  // of figures with an order, the larger ones together
        } else if constexpr (has_figures<Value>) {
            add_figures(mine, theirs, what);
        } else {
            const Combined how = field.combined != Combined::members ? field.combined
                                 : what == Several::ranks            ? Combined::sum
                                                                     : Combined::largest;
            if (how == Combined::smallest)
                mine = std::min(mine, theirs);
            else if (how == Combined::largest)
                mine = std::max(mine, theirs);
            else if (how == Combined::sum_if_known && (mine < Value{} || theirs < Value{}))
                mine = static_cast<Value>(-1);
            else if constexpr (std::is_floating_point_v<Value>)
                mine += theirs;
            else if constexpr (sizeof(Value) == sizeof(std::uint64_t))
                add_saturating(mine, theirs);
            else
                mine += theirs;
        }
    });
}

}  // namespace vftrace
