// The figures of a profile's rows in messages between ranks, by their descriptions
// (profile/fields.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include "collate/byte_stream.hpp"
#include "profile/fields.hpp"

namespace vftrace {

template <class Row>
void write_figures(ByteWriter& out, const Row& row) {
    for_each_field<Row>([&](const auto& field) {
        for_each_number(row.*field.member, [&](const auto& number) {
            using Number = std::remove_cvref_t<decltype(number)>;
            if constexpr (std::is_floating_point_v<Number>)
                out.real(number);
            else if constexpr (std::is_signed_v<Number>)
                out.signed_number(number);
            else
                out.number(number);
        });
    });
}

template <class Row>
void read_figures(ByteReader& in, Row& row) {
    for_each_field<Row>([&](const auto& field) {
        for_each_number(row.*field.member, [&](auto& number) {
            using Number = std::remove_cvref_t<decltype(number)>;
            if constexpr (std::is_floating_point_v<Number>)
                number = in.real();
            else if constexpr (std::is_signed_v<Number>)
                number = in.signed_number();
            else
                number = static_cast<Number>(in.number_up_to(std::numeric_limits<Number>::max()));
        });
    });
}

// Bytes that the figures of a row have at least: see ByteReader::count().
template <class Row>
constexpr std::size_t least_figures() {
    std::size_t bytes = 0;
    for_each_field<Row>([&](const auto& field) {
        using Value = std::remove_cvref_t<decltype(Row{}.*field.member)>;
        bytes += std::is_floating_point_v<Value> ? sizeof(double) : count_of_numbers<Value>();
    });
    return bytes;
}

}  // namespace vftrace
