#include "collate/notice_message.hpp"

#include <string>

namespace vftrace {

static constexpr std::size_t least_argument = 2;

void write(ByteWriter& out, const OverheadItem& item) {
    out.byte(static_cast<std::uint8_t>(item.kind));
    out.signed_number(item.ns);
    if (item.kind == OverheadKind::unknown) {
        out.text(item.word);
        out.text(item.label);
    }
}

void write(ByteWriter& out, const Notice& notice, std::uint32_t ranks, std::uint32_t first_rank) {
    out.byte(static_cast<std::uint8_t>(notice.code));
    out.number(notice.ranks > 0 ? notice.ranks : ranks);
    out.number(notice.ranks > 0 ? notice.first_rank : first_rank);
    out.number(notice.runs);
    out.number(notice.of_runs);
    out.number(notice.arguments.size());
    for (const NoticeArgument& argument : notice.arguments) {
        out.byte(argument.is_text);
        if (argument.is_text)
            out.text(argument.text);
        else
            out.number(argument.number);
    }
    if (notice.code == NoticeCode::unknown) {
        out.text(notice.word);
        out.text(notice.text);
    }
}

OverheadItem read_overhead_item(ByteReader& in) {
    OverheadItem item;
    item.kind =
        static_cast<OverheadKind>(in.number_up_to(static_cast<std::uint64_t>(last_overhead_kind)));
    item.ns = in.signed_number();
    if (item.kind == OverheadKind::unknown) {
        item.word = in.text();
        item.label = in.text();
    }
    return item;
}

Notice read_notice(ByteReader& in) {
    Notice notice;
    notice.code = static_cast<NoticeCode>(in.index(notice_codes));
    notice.ranks = in.number32();
    notice.first_rank = in.number32();
    notice.runs = in.number();
    notice.of_runs = in.number();
    for (std::uint32_t n = in.count(least_argument); n > 0 && !in.failed(); n--) {
        if (in.byte() != 0)
            notice.arguments.emplace_back(std::string(in.text()));
        else
            notice.arguments.emplace_back(in.number());
    }
    if (notice.code == NoticeCode::unknown) {
        notice.word = in.text();
        notice.text = in.text();
    }
    if (!arguments_fit(notice))
        in.fail();
    return notice;
}

}  // namespace vftrace
