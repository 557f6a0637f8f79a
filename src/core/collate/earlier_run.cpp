// The sections of the earlier run that this one continues, from its profile in JSON.
//
// Only the parts that section_tree() needs are read: this code runs in the user's program, which
// does not need the rest, and cannot use the tools' reader (readers/), because that throws
// exceptions.
#include "collate/earlier_run.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "collate/unite.hpp"
#include "config/json_file.hpp"
#include "profile/earlier_sections.hpp"
#include "profile/profile_json_words.hpp"

namespace vftrace {
namespace {

// Its JSON tree temporarily takes about ten times as much memory.
constexpr std::size_t largest_file = std::size_t{128} << 20;

const cJSON* member(const cJSON* object, const char* key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

std::string text_of(const cJSON* object, const char* key) {
    const char* text = cJSON_GetStringValue(member(object, key));
    return text ? text : "";
}

// 0 if there is no such number.
double real_of(const cJSON* value) {
    return cJSON_IsNumber(value) && std::isfinite(value->valuedouble) ? value->valuedouble : 0;
}
std::int64_t integer_of(const cJSON* object, const char* key) {
    constexpr double most = 9e18;
    const double value = real_of(member(object, key));
    return std::abs(value) <= most ? static_cast<std::int64_t>(value) : 0;
}
std::uint64_t count_of(const cJSON* object, const char* key) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(integer_of(object, key), 0));
}

// Reads an index into a list with `size` items.
bool read_index(const cJSON* value, std::size_t size, std::uint32_t& index) {
    const bool good = cJSON_IsNumber(value) && value->valuedouble >= 0 &&
                      value->valuedouble < static_cast<double>(size);
    if (good)
        index = static_cast<std::uint32_t>(value->valuedouble);
    return good;
}

class Reader {
  public:
    explicit Reader(const cJSON* document) : document_(document) {}

    bool read() {
        const cJSON* run = member(document_, "run");
        if (text_of(document_, "format") != profile_json::format_name || !cJSON_IsObject(run))
            return false;
        profile.run.application = text_of(run, "application");
        profile.run.runtime_ns = integer_of(run, "application_ns");
        profile.run.delay_ns = 0;
        const cJSON* item;
        cJSON_ArrayForEach(item, member(document_, "ranks")) {
            RankFigures& rank = profile.ranks.emplace_back();
            rank.runtime_ns = integer_of(item, "runtime_ns");
            rank.delay_ns = integer_of(item, "delay_ns");
        }
        if (!profile.ranks.empty())  // else it is not part of the application's time
            profile.run.paused_ns = integer_of(run, "paused_ns");
        cJSON_ArrayForEach(item, member(document_, "threads")) {
            ThreadFigures& thread = profile.threads.emplace_back();
            thread.number = static_cast<std::uint32_t>(count_of(item, "number"));
            thread.time_ns = integer_of(item, "time_ns");
        }
        cJSON_ArrayForEach(item, member(document_, "functions")) read_function(item);
        cJSON_ArrayForEach(item, member(document_, "metrics")) {
            profile.metrics.push_back({.name = text_of(item, "name")});
            if (member(item, "scope"))
                profile.metrics.back().scope = MetricScope::rank;  // of no interest
        }
        cJSON_ArrayForEach(item, member(document_, "nodes")) {
            if (!read_path(item))
                return false;
        }
        cJSON_ArrayForEach(item, member(document_, "earlier_sections")) read_earlier(item);
        sort_and_unite(profile.earlier_sections);
        return !profile.paths.empty();
    }

    Profile profile;

  private:
    void read_function(const cJSON* json) {
        Function& function = profile.functions.emplace_back();
        function.kind = kind_of_word(text_of(json, "kind"));
        function.name = text_of(json, "name");
        function.offset = count_of(json, "level");
    }

    bool read_path(const cJSON* json) {
        const auto position = static_cast<std::uint32_t>(profile.paths.size());
        Path path;
        if (!read_index(member(json, "function"), profile.functions.size(), path.function) ||
            (position > 0 && !read_index(member(json, "parent"), position, path.parent)))
            return false;
        path.calls = count_of(json, "calls");
        path.exclusive_ns = integer_of(json, "exclusive_ns");
        const cJSON* item;
        cJSON_ArrayForEach(item, member(json, "flags")) {
            const char* word = cJSON_GetStringValue(item);
            for (const auto& [flag, known] : profile_json::path_flags)
                if (word && known == word)
                    path.flags |= flag;
        }
        cJSON_ArrayForEach(item, member(json, "metrics")) {
            std::uint32_t metric;
            if (read_index(cJSON_GetArrayItem(item, 0), profile.metrics.size(), metric))
                profile.metric_values.push_back(
                    {position, metric, real_of(cJSON_GetArrayItem(item, 1))});
        }
        profile.paths.push_back(path);
        return true;
    }

    void read_earlier(const cJSON* json) {
        EarlierSection& section = profile.earlier_sections.emplace_back();
        section.id = count_of(json, "id");
        section.parent = count_of(json, "parent");
        section.name = text_of(json, "name");
        section.level = static_cast<std::uint8_t>(
            std::min<std::uint64_t>(count_of(json, "level"), last_section_level));
        section.place = static_cast<std::uint32_t>(count_of(json, "place"));
        section.calls = count_of(json, "calls");
        section.self_ns = integer_of(json, "self_ns");
        section.self_memory = integer_of(json, "self_memory");
        section.longest_self_ns = integer_of(json, "longest_self_ns");
        section.longest_total_ns = integer_of(json, "longest_total_ns");
    }

    const cJSON* document_;
};

}  // namespace

std::string read_earlier_run(const std::string& path, std::vector<EarlierSection>& sections) {
    std::string text;
    if (std::string problem = read_whole_file(path, largest_file, text); !problem.empty())
        return problem;
    std::size_t error_position = 0;
    const JsonTree document = parse_json(text, &error_position);
    if (!document)
        return "it is not JSON";
    Reader reader(document.get());
    if (!reader.read())
        return "it is not a vftrace profile in JSON";
    sections = sections_for_later_runs(reader.profile);
    return "";
}

}  // namespace vftrace
