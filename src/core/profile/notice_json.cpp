#include "profile/notice_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

void write_arguments(const Notice& notice, JsonWriter& json) {
    json.key("arguments").begin_array(Layout::compact);
    for (const NoticeArgument& argument : notice.arguments)
        if (argument.is_text)
            json.string(argument.text);
        else
            json.unsigned_integer(argument.number);
    json.end_array();
}

}  // namespace

void write_overhead_json(const RunInfo& run, JsonWriter& json) {
    json.key("overhead").begin_array();
    for (const OverheadItem& item : run.overhead) {
        const OverheadName name = name_of(item);
        json.begin_object(Layout::compact);
        if (!name.word.empty())
            json.key("code").string(name.word);
        json.key("label").string(name.label);
        json.key("time_ns").integer(item.ns);
        json.end_object();
    }
    json.end_array();
}

void write_notices_json(const RunInfo& run, JsonWriter& json) {
    json.key("warnings").begin_array();
    for (const Notice& notice : run.notices)
        json.string(full_sentence(notice));
    json.end_array();
    if (run.notices.empty())
        return;
    json.key("notices").begin_array();
    for (const Notice& notice : run.notices) {
        json.begin_object(Layout::compact);
        json.key("code").string(word_of(notice));
        write_arguments(notice, json);
        json.key("text").string(sentence(notice));
        if (notice.ranks > 0) {
            json.key("ranks").unsigned_integer(notice.ranks);
            json.key("first_rank").unsigned_integer(notice.first_rank);
        }
        if (notice.of_runs > 0) {
            json.key("runs").unsigned_integer(notice.runs);
            json.key("of_runs").unsigned_integer(notice.of_runs);
        }
        json.end_object();
    }
    json.end_array();
}

}  // namespace vftrace
