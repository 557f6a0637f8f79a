#include "page/page_models.hpp"

#include <fmt/core.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "page/columns.hpp"
#include "page/page_profile.hpp"

namespace vftrace {
namespace {

constexpr std::string_view format_name = "vftrace-models";
constexpr int known_version = 1;
// The document begins with its format, so a large profile is recognised as something else without
// reading all of it.
constexpr std::size_t begin_of_document = 200;

using Value = rapidjson::Value;

bool has_array(const Value& object, const char* name) {
    const auto member = object.FindMember(name);
    return member != object.MemberEnd() && member->value.IsArray();
}

// Whether everything that the page relies on exists.
bool is_complete(const Value& root) {
    if (!has_array(root, "parameters") || !has_array(root, "runs") || !has_array(root, "metrics"))
        return false;
    for (const char* name : {"largest", "target"})
        if (!root.HasMember(name) || !root[name].IsObject())
            return false;
    for (const Value& metric : root["metrics"].GetArray())
        if (!metric.IsObject() || !has_array(metric, "paths"))
            return false;
    return true;
}

void without_folders(rapidjson::Document& root) {
    for (Value& run : root["runs"].GetArray()) {
        if (!run.IsObject() || !run.HasMember("file") || !run["file"].IsString())
            continue;
        const std::string name(base_name(run["file"].GetString()));
        run["file"].SetString(name.c_str(), root.GetAllocator());
    }
    if (root.HasMember("application") && root["application"].IsString()) {
        const std::string name(base_name(root["application"].GetString()));
        root["application"].SetString(name.c_str(), root.GetAllocator());
    }
    // The notes contain names of files.
    root.RemoveMember("notes");
}

}  // namespace

bool is_models(std::string_view text) {
    const std::string_view begin = text.substr(0, begin_of_document);
    const std::size_t key = begin.find("\"format\"");
    return key != std::string_view::npos &&
           begin.find(fmt::format("\"{}\"", format_name), key) != std::string_view::npos;
}

std::string page_models(const PageModels& models, bool anonymous) {
    rapidjson::Document root;
    root.Parse(models.text.data(), models.text.size());
    if (root.HasParseError() || !root.IsObject() || !is_complete(root))
        throw PageError(fmt::format("{}: is not a complete document of models: create it again "
                                    "with vftrace model --format json",
                                    models.file));
    const auto version = root.FindMember("version");
    if (version == root.MemberEnd() || !version->value.IsInt() ||
        version->value.GetInt() != known_version)
        throw PageError(fmt::format("{}: the format of these models is not version {}: create them "
                                    "again with this version of vftrace model",
                                    models.file, known_version));
    if (anonymous)
        without_folders(root);
    rapidjson::StringBuffer text;
    rapidjson::Writer writer(text);
    root.Accept(writer);
    return page_block(fmt::format(R"({{"format":1,"kind":"models","label":{},"models":{}}})",
                                  json_string(models.label),
                                  std::string_view(text.GetString(), text.GetSize())),
                      PageColumns());
}

}  // namespace vftrace
