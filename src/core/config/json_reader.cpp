#include "config/json_reader.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

#include "base/text.hpp"
#include "config/advice.hpp"
#include "config/checks.hpp"
#include "config/json_file.hpp"

namespace vftrace {

namespace {

// The last member called `key`, or, if there is none, the last one that only differs in case. Costs
// one pass over the members, because cJSON keeps them in a list.
const cJSON* find_member(const cJSON* object, std::string_view key) {
    const cJSON* exact = nullptr;
    const cJSON* similar = nullptr;
    for (const cJSON* member = object->child; member; member = member->next) {
        if (member->string == key)
            exact = member;
        else if (equal_ignoring_case(member->string, key))
            similar = member;
    }
    return exact ? exact : similar;
}

const cJSON* find_path(const cJSON* root, std::string_view path) {
    const cJSON* item = root;
    for (std::string_view key : split(path, '.')) {
        if (!item || !cJSON_IsObject(item))
            return nullptr;
        item = find_member(item, key);
    }
    return item;
}

void check_keys(const cJSON* object, std::span<const std::string_view> known,
                std::string_view section, Findings& findings) {
    std::vector<std::string_view> given;
    Findings::Place place(findings, section.empty() ? "" : quoted(section));
    for (const cJSON* member = object->child; member; member = member->next) {
        std::string_view key = member->string;
        given.push_back(key);
        if (std::find(known.begin(), known.end(), key) != known.end())
            continue;
        std::string_view suggestion = closest(key, known);
        if (suggestion.empty())
            suggestion = option_in_any_section(key);
        findings.add(Severity::unknown_key, unknown_key_text(key, suggestion));
    }
    std::sort(given.begin(), given.end());
    for (std::size_t i = 1; i < given.size(); i++)
        if (given[i] == given[i - 1])
            findings.add(Severity::warning,
                         "Warning: " + quoted(given[i]) +
                             " is given more than once: the last value is used.");
}

// Checks the keys and types of a section and of all sections in it.
void check_section(const cJSON* object, std::string_view section, Findings& findings) {
    std::vector<std::string_view> known = keys_of_section(section);
    check_keys(object, known, section, findings);
    for (std::string_view key : known) {
        std::string path = join_path(section, key);
        const cJSON* member = is_section(path) ? find_member(object, key) : nullptr;
        if (!member)
            continue;
        if (cJSON_IsObject(member))
            check_section(member, path, findings);
        else
            findings.add(Severity::error, path + " expects an object.");
    }
}

void read_value(const OptionRow& row, const cJSON* item, bool& value, Findings& findings) {
    if (cJSON_IsBool(item))
        value = cJSON_IsTrue(item);
    else
        add_type_error(row, findings);
}

void read_value(const OptionRow& row, const cJSON* item, CxxNames& value, Findings& findings) {
    if (cJSON_IsBool(item))
        value = cJSON_IsTrue(item) ? CxxNames::plain : CxxNames::raw;
    else if (cJSON_IsString(item) && item->valuestring == full_cxx_names)
        value = CxxNames::full;
    else
        add_type_error(row, findings);
}

void read_value(const OptionRow& row, const cJSON* item, int& value, Findings& findings) {
    double number = item->valuedouble;
    if (!cJSON_IsNumber(item) || number != std::trunc(number))
        add_type_error(row, findings);
    else if (number < INT_MIN || number > INT_MAX)
        findings.add(Severity::error, format("%.15g is not a valid value for %s", number,
                                             std::string(row.path).c_str()));
    else
        assign_if_allowed(row, static_cast<int>(number), value, findings);
}

void read_value(const OptionRow& row, const cJSON* item, double& value, Findings& findings) {
    if (cJSON_IsNumber(item))
        assign_if_allowed(row, item->valuedouble, value, findings);
    else
        add_type_error(row, findings);
}

void read_value(const OptionRow& row, const cJSON* item, std::string& value, Findings& findings) {
    if (cJSON_IsString(item))
        assign_if_allowed(row, std::string(item->valuestring), value, findings);
    else if (cJSON_IsNull(item))
        add_null_error(row, findings);
    else
        add_type_error(row, findings);
}

void read_value(const OptionRow& row, const cJSON* item, std::optional<std::string>& value,
                Findings& findings) {
    std::optional<std::string> given;
    if (cJSON_IsString(item) && item->valuestring[0])  // "" means null
        given = item->valuestring;
    else if (!cJSON_IsString(item) && !cJSON_IsNull(item))
        return add_type_error(row, findings);
    assign_if_allowed(row, std::move(given), value, findings);
}

// Whether `item` is an object with the right members; they are copied to `object`.
template <class Object>
bool read_object(const OptionRow& row, const cJSON* item, Object& object, Findings& findings) {
    if (!cJSON_IsObject(item)) {
        add_type_error(row, findings);
        return false;
    }
    const auto& fields = fields_of(std::vector<Object>{});
    std::vector<std::string_view> known;
    known.reserve(fields.size());
    for (const auto& field : fields)
        known.push_back(field.key);
    check_keys(item, known, row.path, findings);

    for (const auto& field : fields) {
        const cJSON* member = find_member(item, field.key);
        if (!member && !field.required)
            continue;
        if (!member || !cJSON_IsString(member) || (field.required && !member->valuestring[0])) {
            const std::string expects = join_path(row.path, field.key) + " expects a string";
            findings.add(Severity::error, expects + " that is not empty.", expects + '.');
            return false;
        }
        object.*field.member = member->valuestring;
    }
    return true;
}

template <class Object>
void read_array(const OptionRow& row, const cJSON* item, std::vector<Object>& value,
                Findings& findings) {
    if (!cJSON_IsArray(item))
        return add_type_error(row, findings);
    std::vector<Object> objects;
    for (const cJSON* element = item->child; element; element = element->next)
        if (!read_object(row, element, objects.emplace_back(), findings))
            return;
    assign_if_allowed(row, std::move(objects), value, findings);
}

}  // namespace

void read_value(const OptionRow& row, const cJSON* item, std::vector<HardwareCounter>& value,
                Findings& findings) {
    read_array(row, item, value, findings);
}

void read_value(const OptionRow& row, const cJSON* item, std::vector<Observable>& value,
                Findings& findings) {
    read_array(row, item, value, findings);
}

static bool read_options(const cJSON* tree, Options& options, Findings& findings) {
    if (!cJSON_IsObject(tree)) {
        findings.add(Severity::malformed, "The configuration expects an object.");
        return false;
    }
    check_section(tree, "", findings);
    for_each_option(options, [&](const OptionRow& row, auto& value) {
        if (const cJSON* item = find_path(tree, row.path))
            read_value(row, item, value, findings);
    });
    return true;
}

bool read_options_from_file(const std::string& path, Options& options, Findings& findings) {
    JsonTree tree = read_json_file(path, findings);
    return tree && read_options(tree.get(), options, findings);
}

bool read_options_from_text(std::string_view text, Options& options, Findings& findings) {
    std::size_t error_position = 0;
    JsonTree tree = parse_json(text, &error_position);
    if (!tree)
        findings.add(Severity::malformed, parse_error_text(text, error_position));
    return tree && read_options(tree.get(), options, findings);
}

}  // namespace vftrace
