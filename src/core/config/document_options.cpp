// The page about all options, in Markdown: one table per section.
#include "base/text.hpp"
#include "config/config.hpp"
#include "config/json_scalar.hpp"

namespace vftrace {

namespace {

constexpr std::string_view introduction =
    R"(# Options

Every option has a default, which a JSON file and then an environment variable can override.
The file is named by the variable `VFTR_CONFIG`; it needs to contain only what differs from the
defaults:

```
{
   "logfile_for_ranks": "0-3",
   "profile_table": {
      "show_callpath": true,
      "sort_table": {
         "column": "calls"
      }
   }
}
```

The variable of an option is `VFTR_` followed by the option's path in capitals, with underscores
instead of dots:

```
VFTR_PROFILE_TABLE_SORT_TABLE_COLUMN=calls VFTR_SAMPLING_ACTIVE=1 ./program
```

- Booleans in variables are 1, yes, y, on, true, t or 0, no, n, off, false, f, in any case.
- An empty variable is treated as unset, or as null if the option may be null.
- Arrays in variables are JSON: `[{"hwc_name": "PAPI_TOT_CYC", "symbol": "cycles"}]`.
- If `VFTR_OFF` is true, nothing else is read.
- A list of ranks is `all`, `none`, or numbers and ranges such as `1,3,5-7`.
- Patterns are POSIX extended regular expressions. They match anywhere in a name.
- A wrong value never ends the program: it is reported, and the option keeps its value.
)";

// "`a`, `b`" from "a|b".
std::string listed(std::string_view words) {
    std::string out;
    for (std::string_view word : split(words, '|'))
        out += (out.empty() ? "`" : ", `") + std::string(word) + '`';
    return out;
}

template <class Object>
std::string members(const std::vector<Object>& objects) {
    std::string out = "array of objects with ";
    const auto& fields = fields_of(objects);
    for (const auto& field : fields) {
        if (field.key != fields.front().key)
            out += ", ";
        out += '`' + std::string(field.key) + (field.required ? "`" : "` (optional)");
    }
    return out;
}

std::string type_text(const OptionRow& row) {
    auto number = [&](const char* name) {
        bool bounded = row.check.minimum > Check{}.minimum;
        return bounded ? format("%s, at least %g", name, row.check.minimum) : std::string(name);
    };
    switch (row.type) {
    case OptionType::boolean:
        return "boolean";
    case OptionType::cxx_names:
        return "boolean or `full`";
    case OptionType::integer:
        return number("integer");
    case OptionType::real:
        return number("number");
    case OptionType::text:
        return row.check.may_be_empty ? "string" : "string, not empty";
    case OptionType::optional_text:
        return "string or null";
    case OptionType::word:
        return "one of " + listed(row.check.words);
    case OptionType::rank_list:
        return "list of ranks";
    case OptionType::parameter_list:
        return "list of parameters";
    case OptionType::pattern:
        return "pattern or null";
    case OptionType::counters:
        return members(std::vector<HardwareCounter>{});
    case OptionType::observables:
        return members(std::vector<Observable>{});
    }
    return "";
}

template <class Value>
std::string default_text(const Value& value) {
    return json_text(value);
}
template <class Object>
std::string default_text(const std::vector<Object>&) {
    return "[]";
}

}  // namespace

std::string document_options() {
    CLocale c_locale;
    std::string page(introduction);
    std::string_view section = "none yet";
    const Options defaults;
    for_each_option(defaults, [&](const OptionRow& row, const auto& value) {
        // Sections inside a section are in the same table: "sort_table.column".
        std::size_t dot = row.path.find('.');
        std::string_view own_section = dot == std::string_view::npos ? "" : row.path.substr(0, dot);
        if (own_section != section) {
            section = own_section;
            page +=
                section.empty() ? "\n## Top level\n\n" : "\n## " + std::string(section) + "\n\n";
            page += "| key | type | default | environment variable | meaning |\n"
                    "|---|---|---|---|---|\n";
        }
        std::string_view key = section.empty() ? row.path : row.path.substr(dot + 1);
        page += "| `" + std::string(key) + "` | " + type_text(row) + " | `" + default_text(value) +
                "` | `" + environment_name(row.path) + "` | " + std::string(row.meaning) + " |\n";
    });
    return page;
}

}  // namespace vftrace
