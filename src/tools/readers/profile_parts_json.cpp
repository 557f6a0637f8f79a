#include "readers/profile_parts_json.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "readers/row_json_reader.hpp"

namespace vftrace {

namespace {

Notice read_notice(const JsonObject& json) {
    Notice notice;
    notice.word = json.string("code");
    notice.text = json.string("text");
    notice.code = notice_code(notice.word);
    json.for_each("arguments", [&](const JsonValue* argument, std::size_t) {
        if (argument->IsNumber())
            notice.arguments.emplace_back(json.to_integer<std::uint64_t>("arguments", argument));
        else
            notice.arguments.emplace_back(json.to_string("arguments", argument));
    });
    notice.ranks = json.optional_integer<std::uint32_t>("ranks", 0);
    notice.first_rank = json.optional_integer<std::uint32_t>("first_rank", 0);
    notice.runs = json.optional_integer<std::uint64_t>("runs", 0);
    notice.of_runs = json.optional_integer<std::uint64_t>("of_runs", 0);
    // A later version may have given a code other arguments.
    if (!arguments_fit(notice))
        notice.code = NoticeCode::unknown;
    if (notice.code != NoticeCode::unknown)
        notice.word = notice.text = {};
    return notice;
}

OverheadItem read_overhead_item(const JsonObject& json) {
    OverheadItem item;
    item.ns = json.integer<std::int64_t>("time_ns");
    item.word = json.optional_string("code");
    item.label = json.string("label");
    const auto name = std::ranges::find_if(overhead_names, [&](const OverheadName& known) {
        return item.word.empty() ? known.label == item.label : known.word == item.word;
    });
    if (name != std::end(overhead_names)) {
        item.kind = name->kind;
        item.word = item.label = {};
    }
    return item;
}

}  // namespace

void read_overhead_json(const JsonObject& json, RunInfo& run) {
    json.for_each_object("overhead", [&](const JsonObject& item) {
        run.overhead.push_back(read_overhead_item(item));
    });
}

void read_notices_json(const JsonObject& json, RunInfo& run) {
    if (json.find("notices"))
        json.for_each_object("notices", [&](const JsonObject& notice) {
            add_notice(run.notices, read_notice(notice));
        });
    else
        json.for_each("warnings", [&](const JsonValue* sentence, std::size_t) {
            add_notice(run.notices, {NoticeCode::other, {json.to_string("warnings", sentence)}});
        });
}

namespace {

// Reads the figures of one thread by path: arrays of path, calls, inclusive and exclusive time.
void read_thread_paths(const JsonObject& json, std::uint32_t thread, Profile& profile) {
    std::uint64_t least_path = 0;
    json.for_each("nodes", [&](const JsonValue* figures, std::size_t) {
        if (!figures->IsArray() || figures->Size() != 4)
            json.fail("nodes", "must be arrays of four numbers");
        const JsonValue* number = figures->Begin();
        ThreadPath read;
        read.thread = thread;
        read.path = json.to_integer<std::uint32_t>("nodes", number);
        if (read.path >= profile.paths.size() || read.path < least_path)
            json.fail("nodes", "must name call paths in ascending order");
        least_path = std::uint64_t{read.path} + 1;
        read.calls = json.to_integer<std::uint64_t>("nodes", ++number);
        read.inclusive_ns = json.to_integer<std::int64_t>("nodes", ++number);
        read.exclusive_ns = json.to_integer<std::int64_t>("nodes", ++number);
        profile.thread_paths.push_back(read);
    });
}

}  // namespace

void read_thread_details(const JsonObject& json, ThreadFigures& thread, Profile& profile) {
    if (json.find("metrics"))
        for_each_metric_value(json, profile.metrics, [&](std::uint32_t metric, double value) {
            thread.metrics.push_back({metric, value});
        });
    if (json.find("nodes"))
        read_thread_paths(json, static_cast<std::uint32_t>(profile.threads.size() - 1), profile);
}

namespace {

template <class Number>
std::vector<Number> read_numbers(const JsonObject& json, const char* name, std::uint32_t ranks) {
    std::vector<Number> numbers;
    if (!json.find(name))
        return numbers;
    json.for_each(name, [&](const JsonValue* number, std::size_t) {
        numbers.push_back(json.to_integer<Number>(name, number));
    });
    if (numbers.size() != ranks)
        json.fail(name, "must have a number for each rank");
    return numbers;
}

void read_histogram(const JsonObject& json, RankValues& values, std::uint32_t ranks) {
    std::uint64_t sum = 0;
    json.for_each("histogram", [&](const JsonValue* pair, std::size_t) {
        if (!pair->IsArray() || pair->Size() != 2)
            json.fail("histogram", "must be pairs of a time and a number of ranks");
        const auto time = json.to_integer<std::uint64_t>("histogram", &(*pair)[0]);
        const auto count = json.to_integer<std::uint32_t>("histogram", &(*pair)[1]);
        const auto bin = static_cast<std::size_t>(std::bit_width(time));
        if (time != smallest_size(bin) || bin < values.histogram.size() || count == 0)
            json.fail("histogram", "must have ascending times, each 0 or a power of two");
        values.histogram.resize(bin);
        values.histogram.push_back(count);
        sum += count;
    });
    if (sum > ranks)
        json.fail("histogram", "must not have more ranks than the run");
}

}  // namespace

void read_rank_values(const JsonObject& json, RankValues& values, std::uint32_t ranks) {
    values.calls = read_numbers<std::uint64_t>(json, "calls", ranks);
    values.exclusive_ns = read_numbers<std::int64_t>(json, "exclusive_ns", ranks);
    if (values.calls.size() != values.exclusive_ns.size())
        json.fail("calls", "must be present if exclusive_ns is");
    read_histogram(json, values, ranks);
}

void read_points(const JsonObject& json, Series& series) {
    json.for_each("time_ns", [&](const JsonValue* time, std::size_t) {
        series.points.push_back({json.to_integer<std::int64_t>("time_ns", time), 0});
    });
    std::size_t values = 0;
    json.for_each("values", [&](const JsonValue* value, std::size_t position) {
        if (position < series.points.size())
            series.points[position].value = json.to_real("values", value);
        values++;
    });
    if (values != series.points.size())
        json.fail("values", "must have as many entries as time_ns");
}

void read_addresses(const JsonObject& json, PathAddresses& row) {
    json.for_each("offsets", [&](const JsonValue* distance, std::size_t position) {
        const auto value = json.to_integer<std::uint64_t>("offsets", distance);
        const std::uint64_t before = position > 0 ? row.addresses.back().offset : 0;
        if ((position > 0 && value == 0) || value > ~before)
            json.fail("offsets", "must be ascending");
        row.addresses.push_back({before + value, 0});
    });
    std::size_t counts = 0;
    json.for_each("samples", [&](const JsonValue* samples, std::size_t position) {
        const auto value = json.to_integer<std::uint64_t>("samples", samples);
        if (value == 0)
            json.fail("samples", "must not be 0");
        if (position < row.addresses.size())
            row.addresses[position].samples = value;
        counts++;
    });
    if (counts != row.addresses.size())
        json.fail("samples", "must have as many entries as offsets");
}

void read_latencies(const JsonObject& json, PathLatencies& row) {
    json.for_each("bins", [&](const JsonValue* bin, std::size_t position) {
        const auto value = json.to_integer<std::uint32_t>("bins", bin);
        if (value < first_bin || value > most_bins - 2 ||
            (position > 0 && value <= row.bins.back().bin))
            json.fail("bins", "must be ascending numbers of bins");
        row.bins.push_back({value, 0});
    });
    std::size_t counts = 0;
    json.for_each("counts", [&](const JsonValue* calls, std::size_t position) {
        if (position < row.bins.size())
            row.bins[position].calls = json.to_integer<std::uint64_t>("counts", calls);
        counts++;
    });
    if (counts != row.bins.size())
        json.fail("counts", "must have as many entries as bins");
}

}  // namespace vftrace
