// The figures of a profile's rows in JSON, by their descriptions (profile/fields.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "profile/fields.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {

// The figures of a row as members of the object that is being written.
template <class Row>
void write_figures_json(const Row& row, JsonWriter& json) {
    for_each_field<Row>([&](const auto& field) {
        const auto& value = row.*field.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        static_assert(std::is_arithmetic_v<Value>);
        const bool is_absent = (field.in_json == InJson::unless_zero && value == Value{}) ||
                               (field.in_json == InJson::if_known && value < Value{}) ||
                               (field.in_json == InJson::unless_usual && value == row.*field.usual);
        if (is_absent)
            return;
        json.key(field.name);
        if constexpr (std::is_floating_point_v<Value>)
            json.number(value);
        else if constexpr (std::is_signed_v<Value>)
            json.integer(value);
        else
            json.unsigned_integer(value);
    });
}

// A pair of a metric, by its position in the list, and its value.
inline void write_metric_json(std::uint32_t metric, double value, JsonWriter& json) {
    json.begin_array(JsonWriter::Layout::compact);
    json.unsigned_integer(metric);
    json.number(value);
    json.end_array();
}

}  // namespace vftrace
