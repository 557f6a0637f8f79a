#include "collate/list_collation.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text_hash.hpp"
#include "collate/series_points.hpp"
#include "collate/unite.hpp"
#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

template <class Row>
constexpr bool is_sent = !std::is_same_v<Row, MetricValue> && !std::is_same_v<Row, ThreadPath> &&
                         !std::is_same_v<Row, RankValues>;

// Whether the rows of different ranks are never about the same thing.
template <class Row>
constexpr bool is_of_rank = has_key_of_role<Row, RankOfRun>();

// What rows have in addition to their keys, labels and figures, and the least number of bytes that
// takes.
template <class Row>
constexpr std::size_t least_details =
    std::is_same_v<Row, ThreadFigures> || std::is_same_v<Row, Series> ||
            std::is_same_v<Row, PathAddresses> || std::is_same_v<Row, PathLatencies>
        ? 1
        : 0;

// Each offset as the distance from the one before.
void write_addresses(ByteWriter& out, const PathAddresses& row) {
    out.number(row.addresses.size());
    std::uint64_t before = 0;
    for (const AddressCount& address : row.addresses) {
        out.number(address.offset - before);
        out.number(address.samples);
        before = address.offset;
    }
}

void read_addresses(ByteReader& in, PathAddresses& row) {
    constexpr std::size_t least_address = 2;
    std::uint64_t offset = 0;
    for (std::uint32_t n = in.count(least_address); n > 0 && !in.failed(); n--) {
        offset += in.number();
        row.addresses.push_back({offset, in.number()});
    }
    sort_and_add_up(row.addresses);
}

void write_bins(ByteWriter& out, const PathLatencies& row) {
    out.number(row.bins.size());
    for (const LatencyCount& bin : row.bins) {
        out.number(bin.bin);
        out.number(bin.calls);
    }
}

void read_bins(ByteReader& in, PathLatencies& row) {
    constexpr std::size_t least_bin = 2;
    for (std::uint32_t n = in.count(least_bin); n > 0 && !in.failed(); n--) {
        const std::uint64_t bin = in.number();
        row.bins.push_back(
            {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bin, first_bin, most_bins - 2)),
             in.number()});
    }
    sort_and_add_up(row.bins);
}

template <class Row>
void write_details(ByteWriter& out, const Row& row) {
    if constexpr (std::is_same_v<Row, Series>) {
        write_points(out, row);
    } else if constexpr (std::is_same_v<Row, PathAddresses>) {
        write_addresses(out, row);
    } else if constexpr (std::is_same_v<Row, PathLatencies>) {
        write_bins(out, row);
    } else if constexpr (std::is_same_v<Row, ThreadFigures>) {
        out.number(row.metrics.size());
        for (const RowMetric& value : row.metrics) {
            out.number(value.metric);
            out.real(value.value);
        }
    }
}

template <class Row>
void read_details(ByteReader& in, const PlacesInProfile& places, Row& row) {
    if constexpr (std::is_same_v<Row, Series>) {
        read_points(in, row);
    } else if constexpr (std::is_same_v<Row, PathAddresses>) {
        read_addresses(in, row);
    } else if constexpr (std::is_same_v<Row, PathLatencies>) {
        read_bins(in, row);
    } else if constexpr (std::is_same_v<Row, ThreadFigures>) {
        constexpr std::size_t least_metric = 1 + sizeof(double);
        for (std::uint32_t n = in.count(least_metric); n > 0 && !in.failed(); n--) {
            const std::uint32_t metric = read_place(in, places.metric_of);
            row.metrics.push_back({metric, in.real()});
        }
        sort_metrics(row.metrics);
    } else if constexpr (std::is_same_v<Row, PathGpuWork>) {
        if (row.by_rank.ranks == 0)  // of a single rank
            row.by_rank = {1, row.count, row.count};
    }
}

template <class Row>
std::uint64_t hash_of_key(const Row& row) {
    std::uint64_t hash = 0;
    for_each_key<Row>([&](const auto& key) {
        const auto& value = row.*key.member;
        std::uint64_t word;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>)
            word = text_hash(value);
        else
            word = static_cast<std::uint64_t>(value);
        hash = hash * 0x9e3779b97f4a7c15u + word;
    });
    return hash;
}

std::int64_t busy_time(const ThreadFigures& thread) { return thread.time_ns; }
std::int64_t busy_time(const TaskLoop& loop) { return loop.busy_ns; }
double busy_time(const GpuStreamFigures& stream) {
    return static_cast<double>(stream.kernel_ns) + static_cast<double>(stream.copy_ns);
}

// Of two equally busy rows, the one with the smaller keys stays.
template <class Row>
bool is_busier(const Row& a, const Row& b) {
    const auto time_a = busy_time(a), time_b = busy_time(b);
    return time_a != time_b ? time_a > time_b : key_before(a, b);
}

// Makes a row represent several that are left out.
template <class Row>
void become_rest(Row& row) {
    for_each_key_and_label<Row>([&](const auto& key) {
        using KeyType = std::remove_cvref_t<decltype(key)>;
        if constexpr (KeyType::is_lost)
            row.*key.member = no_index;
        else
            row.*key.member = {};
    });
}

// Which rows stay does not depend on the order in which ranks are merged.
template <class Row>
void limit_rows(std::vector<Row>& rows, const std::vector<Metric>& metrics) {
    const auto rests =
        std::partition(rows.begin(), rows.end(), [](const Row& row) { return !is_rest(row); });
    auto kept = static_cast<std::size_t>(rests - rows.begin());
    if (kept > most_rows) {
        kept = most_rows;
        std::nth_element(rows.begin(), rows.begin() + most_rows, rests, is_busier<Row>);
    }
    if (kept == rows.size())
        return;
    Row& rest = rows[kept];
    become_rest(rest);
    for (std::size_t i = kept + 1; i < rows.size(); i++)
        add_row(rest, rows[i], metrics);
    rows.resize(kept + 1);
}

template <class Row>
void add_to_list(ByteReader& in, const PlacesInProfile& places, IndexTable& table,
                 std::vector<Row>& rows, const std::vector<Metric>& metrics) {
    std::uint32_t count = in.count(least_row<Row>() + least_details<Row>);
    // The exact number: messages come in growing sizes, so doubling would waste memory.
    if constexpr (is_of_rank<Row>)
        rows.reserve(rows.size() + count);
    for (; count > 0; count--) {
        Row row = read_row<Row>(in, places);
        read_details(in, places, row);
        if (in.failed())
            return;
        const auto next = static_cast<std::uint32_t>(rows.size());
        std::uint32_t index = next;
        if constexpr (!is_of_rank<Row>)
            index = table.find_or_add(hash_of_key(row), next,
                                      [&](std::uint32_t i) { return same_key(rows[i], row); });
        if (index == next)
            rows.push_back(std::move(row));
        else
            add_row(rows[index], row, metrics);
    }
}

}  // namespace

void write_lists(ByteWriter& out, const Profile& profile) {
    for_each_list([&](const auto& list) {
        const auto& rows = profile.*list.rows;
        using Row = typename std::remove_cvref_t<decltype(list)>::Row;
        if constexpr (is_sent<Row>) {
            out.number(rows.size());
            for (const Row& row : rows) {
                write_row(out, row);
                write_details(out, row);
            }
        }
    });
}

void ListMerger::add(ByteReader& in, const PlacesInProfile& places, Profile& profile) {
    std::size_t number = 0;
    for_each_list([&](const auto& list) {
        using Row = typename std::remove_cvref_t<decltype(list)>::Row;
        IndexTable& table = tables_[number++];
        if constexpr (is_sent<Row>)
            add_to_list(in, places, table, profile.*list.rows, profile.metrics);
        if constexpr (rest_mark<Row> != nullptr)
            limit_rows(profile.*list.rows, profile.metrics);
    });
    limit_points(profile.series, profile.metrics);
}

void sort_lists(Profile& profile) {
    for_each_list([&](const auto& list) { sort_rows(profile.*list.rows); });
}

}  // namespace vftrace
