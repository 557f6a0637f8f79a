// Rows of a profile in JSON, by their descriptions (profile/fields.hpp, profile/row_keys.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "profile/json_writer.hpp"
#include "profile/row_keys.hpp"

namespace vftrace {

template <class Value>
void write_value_json(const Value& value, JsonWriter& json) {
    if constexpr (std::is_same_v<Value, std::string>)
        json.string(value);
    else if constexpr (std::is_same_v<Value, bool>)
        json.boolean(value);
    else if constexpr (std::is_floating_point_v<Value>)
        json.number(value);
    else if constexpr (std::is_signed_v<Value>)
        json.integer(value);
    else
        json.unsigned_integer(value);
}

// Writes the figures of a row as members of the object that is being written.
template <class Row>
void write_figures_json(const Row& row, JsonWriter& json) {
    for_each_field<Row>([&](const auto& field) {
        const auto& value = row.*field.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (has_figures<Value>) {
            if (is_absent(value))
                return;
            json.key(field.name).begin_object(JsonWriter::Layout::compact);
            write_figures_json(value, json);
            json.end_object();
        } else {
            const bool leave_out =
                (field.in_json == InJson::unless_zero && value == Value{}) ||
                (field.in_json == InJson::if_known && value < Value{}) ||
                (field.in_json == InJson::unless_usual && value == row.*field.usual);
            if (leave_out)
                return;
            json.key(field.name);
            write_value_json(value, json);
        }
    });
}

template <class KeyType, class Value>
void write_key_json(const KeyType& key, const Value& value, JsonWriter& json) {
    if constexpr (has_role<GpuCall, KeyType>) {
        json.key(key.name).unsigned_integer(value >> 32);
        json.key(key.role.function).unsigned_integer(value & 0xffffffff);
    } else if constexpr (std::is_enum_v<Value>) {
        json.key(key.name).string(profile_json::word_of(key.role.words, value));
    } else {
        json.key(key.name);
        write_value_json(value, json);
    }
}

// The same for keys, labels and figures.
template <class Row>
void write_row_json(const Row& row, JsonWriter& json) {
    for_each_key_and_label<Row>([&](const auto& key) {
        using KeyType = std::remove_cvref_t<decltype(key)>;
        const auto& value = row.*key.member;
        if (KeyType::is_lost && is_rest(row))
            return;
        if constexpr (may_be_absent<KeyType>)
            if (value == no_index)
                return;
        if (!key.optional || value != typename KeyType::ValueType{})
            write_key_json(key, value, json);
    });
    write_figures_json(row, json);
}

// Writes a pair of a metric, by its position in the list, and its value.
inline void write_metric_json(std::uint32_t metric, double value, JsonWriter& json) {
    json.begin_array(JsonWriter::Layout::compact);
    json.unsigned_integer(metric);
    json.number(value);
    json.end_array();
}

}  // namespace vftrace
