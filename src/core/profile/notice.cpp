// Notices: the table of their kinds, their sentences, and how two are combined.
#include "profile/notice.hpp"

#include <algorithm>
#include <iterator>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "profile/list_of_ranks.hpp"

namespace vftrace {
namespace {

// By code.
constexpr NoticeKind kinds[] = {
    {"", NoticeMerging::apart, ""},
#define VFTRACE_NOTICE(code, word, merging, text) {word, NoticeMerging::merging, text},
#include "profile/notices.inc"
#undef VFTRACE_NOTICE
};

// A piece of the text in the table: literal words, or what notices.inc explains.
struct Piece {
    enum Type : std::uint8_t {
        words,
        number,
        milliseconds,
        seconds,
        text,
        ranks,
        plural,
        begin_of_optional,
        end_of_optional
    };
    Type type;
    std::string_view first = {}, second = {};  // words; for a plural "one" and "several"
};

Piece::Type type_of_argument(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos)
        return Piece::number;
    const std::string_view type = name.substr(colon + 1);
    return type == "milliseconds" ? Piece::milliseconds
           : type == "seconds"    ? Piece::seconds
           : type == "ranks"      ? Piece::ranks
                                  : Piece::text;
}

// The piece that `rest`, which is not empty, begins with. Removes it.
Piece take_piece(std::string_view& rest) {
    const char mark = rest[0];
    const std::size_t size = mark == '{'                  ? rest.find('}') + 1
                             : mark == '[' || mark == ']' ? 1
                                                          : rest.find_first_of("{[]");
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(taken.size());
    if (mark == '[')
        return {Piece::begin_of_optional};
    if (mark == ']')
        return {Piece::end_of_optional};
    if (mark != '{')
        return {Piece::words, taken};
    const std::string_view inside = taken.substr(1, taken.size() - 2);
    const std::size_t bar = inside.find('|');
    if (bar == std::string_view::npos)
        return {type_of_argument(inside)};
    const std::string_view first = inside.substr(0, bar), second = inside.substr(bar + 1);
    const Piece::Type type = type_of_argument(first);
    return {type == Piece::number ? Piece::plural : type, first, second};
}

void skip_optional(std::string_view& rest) {
    while (!rest.empty() && take_piece(rest).type != Piece::end_of_optional)
        ;
}

bool takes_an_argument(Piece::Type type) {
    return type == Piece::number || type == Piece::milliseconds || type == Piece::seconds ||
           type == Piece::text;
}

std::string remaining_ranks(const std::vector<NoticeArgument>& arguments, std::size_t next,
                            std::string_view if_none) {
    std::vector<std::uint32_t> ranks;
    for (; next < arguments.size(); next++)
        ranks.push_back(static_cast<std::uint32_t>(arguments[next].number));
    return ranks.empty() ? std::string(if_none) : list_of_ranks(ranks);
}

void append(std::string& sentence, Piece::Type type, const NoticeArgument& argument) {
    const auto value = static_cast<double>(argument.number);
    if (type == Piece::text)
        sentence += argument.text;
    else if (type == Piece::milliseconds)
        append_format(sentence, "%g", value / 1e6);
    else if (type == Piece::seconds)
        append_format(sentence, "%.3f", value / 1e9);
    else
        append_format(sentence, "%llu", static_cast<unsigned long long>(argument.number));
}

}  // namespace

const NoticeKind& kind_of(const Notice& notice) {
    return kinds[static_cast<std::size_t>(notice.code)];
}

NoticeCode notice_code(std::string_view word) {
    for (std::size_t code = 1; code < std::size(kinds); code++)
        if (kinds[code].word == word)
            return static_cast<NoticeCode>(code);
    return NoticeCode::unknown;
}

std::string_view word_of(const Notice& notice) {
    return notice.code == NoticeCode::unknown ? notice.word : kind_of(notice).word;
}

bool arguments_fit(const Notice& notice) {
    if (notice.code == NoticeCode::unknown)
        return true;
    const std::vector<NoticeArgument>& arguments = notice.arguments;
    std::size_t next = 0;
    for (std::string_view rest = kind_of(notice).text; !rest.empty();) {
        const Piece piece = take_piece(rest);
        if (piece.type == Piece::begin_of_optional && arguments.empty())
            skip_optional(rest);
        if (piece.type == Piece::ranks)
            while (next < arguments.size() && !arguments[next].is_text)
                next++;
        if (!takes_an_argument(piece.type))
            continue;
        if (next == arguments.size() || arguments[next].is_text != (piece.type == Piece::text))
            return false;
        next++;
    }
    return next == arguments.size();
}

std::string sentence(const Notice& notice) {
    if (notice.code == NoticeCode::unknown)
        return notice.text;
    const CLocale decimal_points;
    const std::vector<NoticeArgument>& arguments = notice.arguments;
    std::string result;
    std::size_t next = 0;
    for (std::string_view rest = kind_of(notice).text; !rest.empty();) {
        const Piece piece = take_piece(rest);
        if (piece.type == Piece::words)
            result += piece.first;
        else if (piece.type == Piece::plural)
            result += next > 0 && arguments[next - 1].number == 1 ? piece.first : piece.second;
        else if (piece.type == Piece::ranks)
            result += remaining_ranks(arguments, next, piece.second);
        else if (piece.type == Piece::begin_of_optional && arguments.empty())
            skip_optional(rest);
        else if (takes_an_argument(piece.type) && next < arguments.size())
            append(result, piece.type, arguments[next++]);
    }
    return result;
}

std::string full_sentence(const Notice& notice) {
    std::string text = sentence(notice);
    if (notice.ranks == 1)
        append_format(text, " (on rank %u)", notice.first_rank);
    else if (notice.ranks > 1)
        append_format(text, " (on %u ranks)", notice.ranks);
    if (notice.of_runs > 0)
        append_format(text, " (in %llu of %llu runs)", static_cast<unsigned long long>(notice.runs),
                      static_cast<unsigned long long>(notice.of_runs));
    return text;
}

void add_notice(std::vector<Notice>& notices, Notice notice) {
    const auto place =
        std::upper_bound(notices.begin(), notices.end(), notice.code,
                         [](NoticeCode code, const Notice& other) { return code < other.code; });
    notices.insert(place, std::move(notice));
}

void note_count(std::vector<Notice>& notices, NoticeCode code, std::uint64_t count) {
    if (count > 0)
        add_notice(notices, {code, {count}});
}

bool has_notice(const std::vector<Notice>& notices, NoticeCode code) {
    return std::any_of(notices.begin(), notices.end(),
                       [code](const Notice& notice) { return notice.code == code; });
}

bool say_the_same(const Notice& a, const Notice& b) {
    return a.code == b.code && a.runs == b.runs && a.of_runs == b.of_runs && a.word == b.word &&
           a.text == b.text &&
           (kind_of(a).merging == NoticeMerging::add || a.arguments == b.arguments);
}

void add_numbers(Notice& sum, const Notice& value) {
    if (kind_of(sum).merging != NoticeMerging::add)
        return;
    for (std::size_t i = 0; i < sum.arguments.size(); i++)
        add_saturating(sum.arguments[i].number, value.arguments[i].number);
}

void keep_what_is_true_of_all(std::vector<Notice>& notices) {
    for (Notice& notice : notices)
        if (kind_of(notice).merging == NoticeMerging::part)
            notice.arguments.clear();
    std::erase_if(notices, [](const Notice& notice) {
        return kind_of(notice).merging == NoticeMerging::drop;
    });
}

}  // namespace vftrace
