#include "readers/notice_json_reader.hpp"

#include <algorithm>
#include <utility>

namespace vftrace {
namespace {

Notice read_notice(const JsonObject& json) {
    Notice notice;
    notice.word = json.string("code");
    notice.text = json.string("text");
    notice.code = notice_code(notice.word);
    json.for_each("arguments", [&](const JsonValue* argument, std::size_t) {
        if (argument->IsNumber())
            notice.arguments.emplace_back(json.to_integer<std::uint64_t>("arguments", argument));
        else
            notice.arguments.emplace_back(json.to_string("arguments", argument));
    });
    notice.ranks = json.optional_integer<std::uint32_t>("ranks", 0);
    notice.first_rank = json.optional_integer<std::uint32_t>("first_rank", 0);
    notice.runs = json.optional_integer<std::uint64_t>("runs", 0);
    notice.of_runs = json.optional_integer<std::uint64_t>("of_runs", 0);
    // A later version may have given a code other arguments.
    if (!arguments_fit(notice))
        notice.code = NoticeCode::unknown;
    if (notice.code != NoticeCode::unknown)
        notice.word = notice.text = {};
    return notice;
}

OverheadItem read_overhead_item(const JsonObject& json) {
    OverheadItem item;
    item.ns = json.integer<std::int64_t>("time_ns");
    item.word = json.optional_string("code");
    item.label = json.string("label");
    const auto name = std::ranges::find_if(overhead_names, [&](const OverheadName& known) {
        return item.word.empty() ? known.label == item.label : known.word == item.word;
    });
    if (name != std::end(overhead_names)) {
        item.kind = name->kind;
        item.word = item.label = {};
    }
    return item;
}

}  // namespace

void read_overhead_json(const JsonObject& json, RunInfo& run) {
    json.for_each_object("overhead", [&](const JsonObject& item) {
        run.overhead.push_back(read_overhead_item(item));
    });
}

void read_notices_json(const JsonObject& json, RunInfo& run) {
    if (json.find("notices"))
        json.for_each_object("notices", [&](const JsonObject& notice) {
            add_notice(run.notices, read_notice(notice));
        });
    else
        json.for_each("warnings", [&](const JsonValue* sentence, std::size_t) {
            add_notice(run.notices, {NoticeCode::other, {json.to_string("warnings", sentence)}});
        });
}

}  // namespace vftrace
