#include "commands/roll_call_json.hpp"

#include "profile/json_writer.hpp"

namespace vftrace::tools {
namespace {

void write_ranges(JsonWriter& json, const std::vector<RankRange>& ranges) {
    json.begin_array(JsonWriter::Layout::compact);
    for (const RankRange& range : ranges) {
        json.begin_array(JsonWriter::Layout::compact);
        json.unsigned_integer(range.first);
        json.unsigned_integer(range.last);
        json.end_array();
    }
    json.end_array();
}

void write_group(JsonWriter& json, const PlaceGroup& group) {
    json.begin_object(JsonWriter::Layout::compact);
    json.key("path").string(group.path);
    json.key("activity").string(name_of(group.activity));
    json.key("count").unsigned_integer(group.count);
    write_ranges(json.key("ranks"), group.ranges);
    json.key("hosts").begin_array(JsonWriter::Layout::compact);
    for (const NamedRank& rank : group.named) {
        json.begin_object(JsonWriter::Layout::compact);
        json.key("rank").unsigned_integer(rank.rank);
        json.key("host").string(rank.host);
        json.end_object();
    }
    json.end_array();
    json.key("shortest_s").number(group.least);
    json.key("longest_s").number(group.most);
    json.key("at_least").boolean(group.at_least);
    json.end_object();
}

}  // namespace

std::string json_of(const RollCall& call) {
    std::string text;
    OutputFile out(text);
    JsonWriter json(out);
    json.begin_object(JsonWriter::Layout::compact);
    json.key("application").string(call.application);
    json.key("ranks").unsigned_integer(call.expected);
    json.key("places").begin_array(JsonWriter::Layout::compact);
    for (const PlaceGroup& group : call.groups())
        write_group(json, group);
    json.end_array();
    write_ranges(json.key("missing"), call.missing());
    json.key("problems").begin_array(JsonWriter::Layout::compact);
    for (const std::string& problem : call.problems)
        json.string(problem);
    json.end_array();
    json.end_object();
    out.close();
    return text;
}

}  // namespace vftrace::tools
