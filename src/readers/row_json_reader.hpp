// Reads what profile/row_json.hpp writes. For tools.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "profile/fields.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

template <class Row>
void read_figures_json(const JsonObject& json, Row& row) {
    for_each_field<Row>([&](const auto& field) {
        auto& value = row.*field.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        const char* const name = field.name.data();  // of a literal, which ends with a NUL
        if constexpr (std::is_floating_point_v<Value>) {
            value = json.optional_real(name);
        } else if (field.in_json == InJson::always) {
            value = json.integer<Value>(name);
        } else {
            const Value absent = field.in_json == InJson::unless_usual ? row.*field.usual
                                 : field.in_json == InJson::if_known   ? static_cast<Value>(-1)
                                                                       : Value{};
            value = json.optional_integer<Value>(name, absent);
        }
    });
}

// Calls `handle(metric, value)` for each pair in the member "metrics".
template <class Handle>
void for_each_metric_value(const JsonObject& json, const std::vector<Metric>& metrics,
                           Handle handle) {
    json.for_each("metrics", [&](const JsonValue* pair, std::size_t) {
        if (!pair->IsArray() || pair->Size() != 2)
            json.fail("metrics", "must be pairs of a metric and its value");
        const auto metric = json.to_integer<std::uint32_t>("metrics", &(*pair)[0]);
        if (metric >= metrics.size())
            json.fail("metrics", "name a metric that is not in the list");
        handle(metric, json.to_real("metrics", &(*pair)[1]));
    });
}

}  // namespace vftrace
