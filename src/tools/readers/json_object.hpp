// Checked access to a JSON document: anything missing or wrong leads to a ProfileFormatError that
// gives its position. For tools: it throws exceptions.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "profile/profile_json_words.hpp"
#include "readers/json_document.hpp"

namespace vftrace {

// The error in the file, in one line: "nodes[7].parent: must be smaller than 7".
class ProfileFormatError : public std::runtime_error {
  public:
    using runtime_error::runtime_error;
};

// An object of the document with its position in the document ("nodes[7]"), for messages. The text
// of the position is only built if there is an error.
class JsonObject {
  public:
    static constexpr std::size_t no_position = std::numeric_limits<std::size_t>::max();

    // `outer` and `name` must outlive this object.
    JsonObject(const JsonValue* json, const JsonObject* outer, const char* name,
               std::size_t index = no_position);

    // The member `key`; nullptr if there is none or it is null.
    const JsonValue* find(const char* key) const;
    const JsonValue* get(const char* key) const;
    [[noreturn]] void fail(const char* key, std::string_view problem) const;

    std::string string(const char* key) const;
    std::string optional_string(const char* key) const;
    template <class Integer>
    Integer integer(const char* key) const {
        return to_integer<Integer>(key, get(key));
    }
    template <class Integer>
    Integer optional_integer(const char* key, Integer absent) const {
        const JsonValue* member = find(key);
        return member ? to_integer<Integer>(key, member) : absent;
    }
    bool optional_boolean(const char* key, bool absent) const;
    // NaN if it is null or absent, because JSON cannot represent NaN.
    double optional_real(const char* key) const {
        const JsonValue* member = find(key);
        return member ? to_real(key, member) : std::numeric_limits<double>::quiet_NaN();
    }
    std::uint64_t hexadecimal(const char* key) const;
    // An integer below `size`.
    std::uint32_t index(const char* key, std::size_t size) const;
    template <class Value, std::size_t size>
    Value word(const char* key, const profile_json::Word<Value> (&words)[size]) const {
        return to_word(key, get(key), words);
    }

    // Whether the word is one of these.
    template <class Value, std::size_t size>
    bool has_known_word(const char* key, const profile_json::Word<Value> (&words)[size]) const {
        const std::string text = string(key);
        return std::any_of(std::begin(words), std::end(words),
                           [&](const auto& known) { return known.word == text; });
    }

    // Calls `handle(element, position)` for every element of the array `key`.
    template <class Handle>
    void for_each(const char* key, Handle handle) const {
        const JsonValue* array = get(key);
        if (!array->IsArray())
            fail(key, "must be an array");
        std::size_t position = 0;
        for (const JsonValue& element : array->GetArray())
            handle(&element, position++);
    }
    template <class Handle>
    void for_each_object(const char* key, Handle handle) const {
        for_each(key, [&](const JsonValue* element, std::size_t position) {
            handle(JsonObject(element, this, key, position));
        });
    }

    // Calls `handle(name, value)` for every member of the object `key`; for names that are data.
    template <class Handle>
    void for_each_member(const char* key, Handle handle) const {
        const JsonValue* object = get(key);
        if (!object->IsObject())
            fail(key, "must be an object");
        for (const auto& member : object->GetObject())
            handle(std::string(member.name.GetString(), member.name.GetStringLength()),
                   &member.value);
    }

    std::string to_string(const char* key, const JsonValue* value) const;
    template <class Integer>
    Integer to_integer(const char* key, const JsonValue* value) const;
    // NaN for null.
    double to_real(const char* key, const JsonValue* value) const;
    template <class Value, std::size_t size>
    Value to_word(const char* key, const JsonValue* value,
                  const profile_json::Word<Value> (&words)[size]) const {
        const std::string text = to_string(key, value);
        for (const auto& [known, word] : words)
            if (word == text)
                return known;
        fail(key, "is not known to this version");
    }
    // The same, or `otherwise` for an unknown word, such as that of a later version.
    template <class Value, std::size_t size>
    Value to_known_word(const char* key, const JsonValue* value,
                        const profile_json::Word<Value> (&words)[size], Value otherwise) const {
        const std::string text = to_string(key, value);
        for (const auto& [known, word] : words)
            if (word == text)
                return known;
        return otherwise;
    }

  private:
    std::string place(std::string_view key) const;

    const JsonValue* json_;
    const JsonObject* outer_;
    const char* name_;
    std::size_t index_;
};

template <class Integer>
Integer JsonObject::to_integer(const char* key, const JsonValue* value) const {
    using limits = std::numeric_limits<Integer>;
    if (value->IsUint64() && std::in_range<Integer>(value->GetUint64()))
        return static_cast<Integer>(value->GetUint64());
    if (value->IsInt64() && std::in_range<Integer>(value->GetInt64()))
        return static_cast<Integer>(value->GetInt64());
    if (!value->IsNumber() || std::floor(value->GetDouble()) != value->GetDouble())
        fail(key, "must be an integer");
    // A number such as 1e3. A double can represent the largest number of each type plus 1 exactly,
    // but not always the largest number itself.
    const double number = value->GetDouble();
    if (!value->IsDouble() || number < static_cast<double>(limits::min()) ||
        number >= std::ldexp(1.0, limits::digits))
        fail(key, "is out of range");
    return static_cast<Integer>(number);
}

}  // namespace vftrace
