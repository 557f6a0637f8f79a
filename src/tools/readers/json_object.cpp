#include "readers/json_object.hpp"

#include <fmt/core.h>

namespace vftrace {

JsonObject::JsonObject(const JsonValue* json, const JsonObject* outer, const char* name,
                       std::size_t index)
    : json_(json), outer_(outer), name_(name), index_(index) {
    if (!json->IsObject())
        throw ProfileFormatError(place("") + ": must be an object");
}

const JsonValue* JsonObject::find(const char* key) const {
    const auto member = json_->FindMember(key);
    return member == json_->MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

const JsonValue* JsonObject::get(const char* key) const {
    const JsonValue* member = find(key);
    if (!member)
        fail(key, "is missing");
    return member;
}

void JsonObject::fail(const char* key, std::string_view problem) const {
    throw ProfileFormatError(fmt::format("{}: {}", place(key), problem));
}

std::string JsonObject::string(const char* key) const { return to_string(key, get(key)); }

std::string JsonObject::optional_string(const char* key) const {
    const JsonValue* member = find(key);
    return member ? to_string(key, member) : std::string();
}

bool JsonObject::optional_boolean(const char* key, bool absent) const {
    const JsonValue* member = find(key);
    if (member && !member->IsBool())
        fail(key, "must be true or false");
    return member ? member->GetBool() : absent;
}

std::uint64_t JsonObject::hexadecimal(const char* key) const {
    const std::string text = string(key);
    std::uint64_t result = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
    if (error != std::errc() || rest != text.data() + text.size())
        fail(key, "must be a hexadecimal number of at most 64 bits");
    return result;
}

std::uint32_t JsonObject::index(const char* key, std::size_t size) const {
    const auto result = integer<std::uint32_t>(key);
    if (result >= size)
        fail(key, size == 0 ? std::string("refers to an empty list")
                            : fmt::format("must be at most {}", size - 1));
    return result;
}

std::string JsonObject::to_string(const char* key, const JsonValue* value) const {
    if (!value->IsString())
        fail(key, "must be a string");
    return {value->GetString(), value->GetStringLength()};
}

double JsonObject::to_real(const char* key, const JsonValue* value) const {
    if (value->IsNull())
        return std::numeric_limits<double>::quiet_NaN();
    if (!value->IsNumber())
        fail(key, "must be a number");
    return value->GetDouble();
}

std::string JsonObject::place(std::string_view key) const {
    std::string text = outer_ ? outer_->place(name_) : name_;
    if (index_ != no_position)
        text += fmt::format("[{}]", index_);
    if (text.empty() || key.empty())
        return text.empty() ? std::string(key.empty() ? "the document" : key) : text;
    return fmt::format("{}.{}", text, key);
}

}  // namespace vftrace
