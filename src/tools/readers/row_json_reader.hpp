// Reads rows that profile/row_json.hpp writes. For tools.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "profile/row_keys.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

template <class Row>
void read_figures_json(const JsonObject& json, Row& row) {
    for_each_field<Row>([&](const auto& field) {
        auto& value = row.*field.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        const char* const name = field.name.data();  // from a literal, which ends with a NUL
        if constexpr (has_figures<Value>) {
            if (const JsonValue* member = json.find(name))
                read_figures_json(JsonObject(member, &json, name), value);
        } else if constexpr (std::is_floating_point_v<Value>) {
            value = json.optional_real(name);
            if (value < 0)
                json.fail(name, "must not be negative");
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

// Reads a key or a label. `profile` must already have its run, functions, paths and metrics.
template <class KeyType>
typename KeyType::ValueType read_key_json(const JsonObject& json, const KeyType& key,
                                          const Profile& profile) {
    using Value = typename KeyType::ValueType;
    const char* const name = key.name;
    if constexpr (may_be_absent<KeyType>)
        if (!json.find(name))
            return no_index;
    if constexpr (is_path<KeyType>) {
        return json.index(name, profile.paths.size());
    } else if constexpr (has_role<FunctionOrNone, KeyType>) {
        return json.index(name, profile.functions.size());
    } else if constexpr (has_role<ModuleOrNone, KeyType>) {
        return json.index(name, profile.modules.size());
    } else if constexpr (has_role<MetricIndex, KeyType>) {
        return json.index(name, profile.metrics.size());
    } else if constexpr (has_role<RankOfRun, KeyType>) {
        return json.index(name, profile.run.ranks);
    } else if constexpr (has_role<PeerRank, KeyType>) {
        const Value peer = json.integer<Value>(name);
        return peer == unknown_peer ? peer
                                    : static_cast<Value>(json.index(name, profile.run.ranks));
    } else if constexpr (has_role<GpuCall, KeyType>) {
        return std::uint64_t{json.integer<std::uint32_t>(name)} << 32 |
               json.integer<std::uint32_t>(key.role.function);
    } else if constexpr (std::is_enum_v<Value>) {
        return json.word(name, key.role.words);
    } else if constexpr (std::is_same_v<Value, bool>) {
        return json.optional_boolean(name, false);
    } else if constexpr (std::is_same_v<Value, std::string>) {
        return key.optional ? json.optional_string(name) : json.string(name);
    } else if constexpr (std::is_floating_point_v<Value>) {
        return json.optional_real(name);
    } else {
        return json.integer<Value>(name);
    }
}

// False for a row with a word that only a later version knows: such rows are skipped.
template <class Row>
bool has_known_words(const JsonObject& json) {
    bool all_known = true;
    for_each_key<Row>([&](const auto& key) {
        if constexpr (std::is_enum_v<typename std::remove_cvref_t<decltype(key)>::ValueType>)
            all_known = all_known && json.has_known_word(key.name, key.role.words);
    });
    return all_known;
}

// Reads keys, labels and figures.
template <class Row>
Row read_row_json(const JsonObject& json, const Profile& profile) {
    bool is_of_rest = false;
    for_each_key<Row>([&](const auto& key) {
        if constexpr (std::remove_cvref_t<decltype(key)>::is_lost)
            is_of_rest = is_of_rest || (key.member == rest_mark<Row> && !json.find(key.name));
    });
    Row row{};
    for_each_key_and_label<Row>([&](const auto& key) {
        if constexpr (std::remove_cvref_t<decltype(key)>::is_lost)
            if (is_of_rest) {
                row.*key.member = no_index;
                return;
            }
        row.*key.member = read_key_json(json, key, profile);
    });
    read_figures_json(json, row);
    return row;
}

// Names of the keys for a message: "rank, peer and node".
template <class Row>
std::string names_of_keys() {
    std::vector<std::string> names;
    for_each_key<Row>([&](const auto& key) {
        names.push_back(key.name);
        if constexpr (has_role<GpuCall, decltype(key)>)
            names.push_back(key.role.function);
    });
    std::string text = names.front();
    for (std::size_t i = 1; i < names.size(); i++)
        text += (i + 1 < names.size() ? ", " : " and ") + names[i];
    return text;
}

// Reads the rows of a list, which is absent if it is empty. read_details(json, row) reads data in
// addition to keys, labels and figures.
template <class Row, class ReadDetails>
void read_list_json(const JsonObject& outer, const char* name, std::vector<Row>& rows,
                    const Profile& profile, ReadDetails read_details) {
    if (!outer.find(name))
        return;
    outer.for_each_object(name, [&](const JsonObject& json) {
        if (!has_known_words<Row>(json))
            return;
        Row row = read_row_json<Row>(json, profile);
        if (!rows.empty() && !key_before(rows.back(), row))
            json.fail("", "must be sorted by " + names_of_keys<Row>());
        rows.push_back(std::move(row));
        read_details(json, rows.back());
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
