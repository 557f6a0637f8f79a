#include "readers/process_json_reader.hpp"

namespace vftrace {

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

}  // namespace vftrace
