#include "readers/rank_values_json_reader.hpp"

#include <bit>

namespace vftrace {
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

}  // namespace vftrace
