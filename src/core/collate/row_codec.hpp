// The rows of a profile in messages between ranks, by their descriptions (profile/fields.hpp,
// profile/row_keys.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "collate/byte_stream.hpp"
#include "profile/row_keys.hpp"

namespace vftrace {

template <class Value>
void write_value(ByteWriter& out, const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>)
        out.text(value);
    else if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>)
        out.byte(static_cast<std::uint8_t>(value));
    else if constexpr (std::is_floating_point_v<Value>)
        out.real(value);
    else if constexpr (std::is_signed_v<Value>)
        out.signed_number(value);
    else
        out.number(value);
}

template <class Value>
Value read_value(ByteReader& in) {
    if constexpr (std::is_same_v<Value, std::string>) {
        return std::string(in.text());
    } else if constexpr (std::is_same_v<Value, bool>) {
        return in.byte() != 0;
    } else if constexpr (std::is_floating_point_v<Value>) {
        return in.real();
    } else if constexpr (std::is_signed_v<Value>) {
        const std::int64_t number = in.signed_number();
        if (!std::in_range<Value>(number))
            in.fail();
        return static_cast<Value>(number);
    } else {
        return static_cast<Value>(in.number_up_to(std::numeric_limits<Value>::max()));
    }
}

template <class Figures>
bool are_zero(const Figures& figures) {
    bool zero = true;
    for_each_number(figures, [&](const auto&, const auto& number) { zero &= number == 0; });
    return zero;
}

template <class Row>
void write_figures(ByteWriter& out, const Row& row) {
    for_each_field<Row>([&](const auto& field) {
        const auto& value = row.*field.member;
        if constexpr (has_figures<std::remove_cvref_t<decltype(value)>>) {
            const bool is_there = !are_zero(value);
            out.byte(is_there);
            if (is_there)
                write_figures(out, value);
        } else {
            write_value(out, value);
        }
    });
}

template <class Row>
void read_figures(ByteReader& in, Row& row) {
    for_each_field<Row>([&](const auto& field) {
        auto& value = row.*field.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (has_figures<Value>) {
            if (in.byte() != 0)
                read_figures(in, value);
        } else {
            value = read_value<Value>(in);
        }
    });
}

// Which path, function, metric and module of the profile each one is, by position in the lists of
// a message.
struct PlacesInProfile {
    const std::vector<std::uint32_t>& path_of;
    const std::vector<std::uint32_t>& function_of;
    const std::vector<std::uint32_t>& metric_of;
    std::size_t modules;
    FunctionRef<std::uint32_t(std::size_t)> module_of;  // adds it to the profile
};

template <class KeyType>
inline constexpr bool may_be_none = has_role<PathOrNone, KeyType> || may_be_absent<KeyType>;

inline std::uint32_t read_place(ByteReader& in, const std::vector<std::uint32_t>& places) {
    const std::uint32_t place = in.index(places.size());
    return in.failed() ? 0 : places[place];
}

inline std::uint32_t read_place_or_none(ByteReader& in, const std::vector<std::uint32_t>& places) {
    const std::uint64_t place = in.number_up_to(places.size());
    return place == 0 ? no_index : places[place - 1];
}

template <class Row>
void write_row(ByteWriter& out, const Row& row) {
    for_each_key_and_label<Row>([&](const auto& key) {
        const auto& value = row.*key.member;
        if constexpr (may_be_none<decltype(key)>)
            out.number(value == no_index ? 0 : std::uint64_t{value} + 1);
        else
            write_value(out, value);
    });
    write_figures(out, row);
}

// The values are meaningless if the reader has failed.
template <class Row>
Row read_row(ByteReader& in, const PlacesInProfile& places) {
    Row row{};
    for_each_key_and_label<Row>([&](const auto& key) {
        using KeyType = decltype(key);
        auto& value = row.*key.member;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (has_role<PathIndex, KeyType>) {
            value = read_place(in, places.path_of);
        } else if constexpr (has_role<PathOrNone, KeyType> || has_role<PathIfKnown, KeyType>) {
            value = read_place_or_none(in, places.path_of);
        } else if constexpr (has_role<FunctionOrNone, KeyType>) {
            value = read_place_or_none(in, places.function_of);
        } else if constexpr (has_role<MetricIndex, KeyType>) {
            value = read_place(in, places.metric_of);
        } else if constexpr (has_role<ModuleOrNone, KeyType>) {
            const std::uint64_t place = in.number_up_to(places.modules);
            value = place == 0 ? no_index : places.module_of(place - 1);
        } else if constexpr (std::is_enum_v<Value>) {
            const std::uint8_t number = in.byte();
            if (number >= std::size(key.role.words))
                in.fail();
            else
                value = static_cast<Value>(number);
        } else {
            value = read_value<Value>(in);
        }
    });
    read_figures(in, row);
    return row;
}

template <class Value>
constexpr std::size_t least_bytes() {
    return std::is_floating_point_v<Value> ? sizeof(double) : 1;
}

// The least number of bytes of the figures of a row, or of everything that is described of it: see
// ByteReader::count().
template <class Row>
constexpr std::size_t least_figures() {
    std::size_t bytes = 0;
    for_each_field<Row>([&](const auto& field) {
        bytes += least_bytes<std::remove_cvref_t<decltype(Row{}.*field.member)>>();
    });
    return bytes;
}
template <class Row>
constexpr std::size_t least_row() {
    std::size_t bytes = least_figures<Row>();
    for_each_key_and_label<Row>([&](const auto& key) {
        bytes += least_bytes<typename std::remove_cvref_t<decltype(key)>::ValueType>();
    });
    return bytes;
}

}  // namespace vftrace
