// Reads an analysis of parameters from its JSON file. Nothing in the file is trusted.
#include "dependences/analysis_reader.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "readers/json_document.hpp"
#include "readers/json_object.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t deepest_loop = 100;  // compilers stop earlier

class AnalysisReader {
  public:
    explicit AnalysisReader(const JsonObject& json) : json_(json) {
        if (!json.find("functions_mangled_names") || !json.find("parameters"))
            throw ProfileFormatError("is not a parameter analysis: the keys "
                                     "functions_mangled_names and parameters are missing");
        read_functions();
        json.for_each("parameters", [&](const JsonValue* name, std::size_t i) {
            analysis_.parameters.push_back(json_.to_string("parameters", name));
            index_of_parameter_.emplace(analysis_.parameters.back(), static_cast<std::uint32_t>(i));
        });
        json.for_each_member("functions", [&](const std::string& symbol, const JsonValue* value) {
            read_function(symbol, value);
        });
        check_calls();
        read_own_keys();
    }

    ParameterAnalysis result() { return std::move(analysis_); }

  private:
    void read_functions() {
        json_.for_each("functions_mangled_names", [&](const JsonValue* name, std::size_t) {
            analysis_.functions.push_back(
                {"", json_.to_string("functions_mangled_names", name), ""});
        });
        const auto read_names = [&](const char* key, std::string AnalysedFunction::*member) {
            std::size_t count = 0;
            json_.for_each(key, [&](const JsonValue* name, std::size_t i) {
                if (i < analysis_.functions.size())
                    analysis_.functions[i].*member = json_.to_string(key, name);
                count++;
            });
            if (count != analysis_.functions.size())
                json_.fail(key, "must have as many entries as functions_mangled_names");
        };
        read_names("functions_names", &AnalysedFunction::name);
        read_names("functions_demangled_names", &AnalysedFunction::demangled);
    }

    ParameterSet read_set(const JsonObject& json, const char* key, const JsonValue* value) const {
        if (!value->IsArray())
            json.fail(key, "must be a list of names");
        ParameterSet set;
        for (const JsonValue& name : value->GetArray()) {
            const auto found = index_of_parameter_.find(json.to_string(key, &name));
            if (found == index_of_parameter_.end())
                json.fail(key, fmt::format("\"{}\" is not in \"parameters\"", name.GetString()));
            set.push_back(found->second);
        }
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        return set;
    }

    std::uint32_t read_number(const JsonObject& json, const char* key,
                              const std::string& text) const {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size())
            json.fail(key, fmt::format("\"{}\" is not a number", text));
        return number;
    }

    Calls read_calls(const JsonObject& json) const {
        Calls calls;
        if (!json.find("calls"))
            return calls;
        json.for_each_member("calls", [&](const std::string& number, const JsonValue* value) {
            if (!value->IsArray())
                json.fail("calls", "must be an object of lists");
            std::vector<CalledProfile>& called = calls[read_number(json, "calls", number)];
            for (std::size_t i = 0; i < value->Size(); i++) {
                const JsonObject one(&(*value)[static_cast<rapidjson::SizeType>(i)], &json, "calls",
                                     i);
                called.push_back({one.index("function_idx", analysis_.functions.size()),
                                  one.integer<std::uint32_t>("entry_id")});
            }
            std::sort(called.begin(), called.end());
            called.erase(std::unique(called.begin(), called.end()), called.end());
        });
        return calls;
    }

    void read_loops(const JsonObject& json, const char* key, std::uint32_t depth,
                    std::map<std::uint32_t, Loop>& loops) const {
        if (depth > deepest_loop)
            json.fail(key, fmt::format("more than {} nested loops", deepest_loop));
        json.for_each_member(key, [&](const std::string& number, const JsonValue* value) {
            const JsonObject one(value, &json, key);
            Loop& loop = loops[read_number(json, key, number)];
            loop.level = one.integer<std::uint32_t>("level");
            loop.line = one.optional_integer<std::uint32_t>("line", 0);
            const std::string kind = one.optional_string("kind");
            loop.kind = kind == "library"     ? LoopKind::library
                        : kind == "recursion" ? LoopKind::recursion
                                              : LoopKind::source;
            if (one.find("params"))
                one.for_each("params", [&](const JsonValue* set, std::size_t) {
                    loop.params.push_back(read_set(one, "params", set));
                });
            if (one.find("branches"))
                one.for_each_member("branches",
                                    [&](const std::string& branch, const JsonValue* set) {
                                        loop.branches[read_number(one, "branches", branch)] =
                                            read_set(one, "branches", set);
                                    });
            loop.calls = read_calls(one);
            if (one.find("loops"))
                read_loops(one, "loops", depth + 1, loop.loops);
        });
    }

    void read_function(const std::string& symbol, const JsonValue* value) {
        const JsonObject functions(json_.get("functions"), &json_, "functions");
        const JsonObject json(value, &functions, symbol.c_str());
        ProfiledFunction function;
        function.function = json.index("func_idx", analysis_.functions.size());
        function.file = json.optional_string("file");
        function.line = json.optional_integer<std::uint32_t>("line", 0);
        json.for_each_object("loops", [&](const JsonObject& one) {
            LoopProfile profile;
            one.for_each("callstacks", [&](const JsonValue* stack, std::size_t) {
                if (!stack->IsArray())
                    one.fail("callstacks", "must be a list of lists");
                std::vector<std::uint32_t>& indices = profile.callstacks.emplace_back();
                for (const JsonValue& index : stack->GetArray()) {
                    indices.push_back(one.to_integer<std::uint32_t>("callstacks", &index));
                    if (indices.back() >= analysis_.functions.size())
                        one.fail("callstacks", "refers to a function that does not exist");
                }
            });
            read_loops(one, "instance", 0, profile.loops);
            profile.calls = read_calls(one);
            function.profiles.push_back(std::move(profile));
        });
        profiles_of_[function.function] = function.profiles.size();
        analysis_.profiled.push_back(std::move(function));
    }

    // Checks that all called profiles exist; only now, because functions may be in any order.
    void check_calls() const {
        const auto check = [&](const Calls& calls) {
            for (const auto& [number, called] : calls)
                for (const CalledProfile& one : called) {
                    const auto found = profiles_of_.find(one.function);
                    if (found == profiles_of_.end() || one.entry >= found->second)
                        throw ProfileFormatError(
                            fmt::format("calls: {} has no entry {}",
                                        analysis_.functions[one.function].symbol, one.entry));
                }
        };
        for (const ProfiledFunction& function : analysis_.profiled)
            for (const LoopProfile& profile : function.profiles) {
                check(profile.calls);
                visit_loops(profile.loops, [&](const Loop& loop) { check(loop.calls); });
            }
    }

    void read_indices(const char* key, std::vector<std::uint32_t>& indices) const {
        if (!json_.find(key))
            return;
        json_.for_each(key, [&](const JsonValue* index, std::size_t) {
            indices.push_back(json_.to_integer<std::uint32_t>(key, index));
            if (indices.back() >= analysis_.functions.size())
                json_.fail(key, "refers to a function that does not exist");
        });
    }

    void read_own_keys() {
        analysis_.application = json_.optional_string("application");
        analysis_.is_complete = json_.optional_boolean("complete", true);
        analysis_.history_matches = json_.optional_boolean("history_matches", true);
        analysis_.rank = json_.optional_integer<std::int64_t>("rank", -1);
        analysis_.ranks = json_.optional_integer<std::uint32_t>("ranks", 0);
        read_indices("unimportant_functions", analysis_.unimportant);
        read_indices("unknown_functions", analysis_.unknown);
        read_indices("unknown_calls", analysis_.unknown_calls);
        read_indices("unknown_callers", analysis_.unknown_callers);
        if (json_.find("more_parameters"))
            json_.for_each("more_parameters", [&](const JsonValue* name, std::size_t) {
                analysis_.more_parameters.push_back(json_.to_string("more_parameters", name));
            });
        if (json_.find("opaque_calls"))
            json_.for_each_object("opaque_calls", [&](const JsonObject& call) {
                analysis_.opaque_calls.push_back({call.string("function"),
                                                  call.integer<std::uint64_t>("calls"),
                                                  read_set(call, "params", call.get("params"))});
            });
    }

    const JsonObject& json_;
    ParameterAnalysis analysis_;
    std::unordered_map<std::string, std::uint32_t> index_of_parameter_;
    std::unordered_map<std::uint32_t, std::size_t> profiles_of_;
};

}  // namespace

ParameterAnalysis parse_parameter_analysis(std::string_view text) {
    const JsonDocument document(text);
    const JsonObject json(&document.root, nullptr, "");
    return AnalysisReader(json).result();
}

ParameterAnalysis read_parameter_analysis(const std::string& path) {
    const std::string text = text_of_file(path);
    try {
        return parse_parameter_analysis(text);
    } catch (const ProfileFormatError& error) {
        throw ProfileFormatError(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace vftrace
