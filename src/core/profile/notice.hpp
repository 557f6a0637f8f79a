// A message of the profiler about a profile: a code with arguments, which is turned into a sentence
// for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vftrace {

// In the order of the text log.
enum class NoticeCode : std::uint8_t {
    unknown,  // from a file of a later version
#define VFTRACE_NOTICE(code, word, merging, text) code,
#include "profile/notices.inc"
#undef VFTRACE_NOTICE
};

inline constexpr std::size_t notice_codes = 1
#define VFTRACE_NOTICE(code, word, merging, text) +1
#include "profile/notices.inc"
#undef VFTRACE_NOTICE
    ;

enum class NoticeMerging : std::uint8_t {
    add,    // one, with the sums of the numbers
    apart,  // one for each difference in arguments; says which ranks have it
    part,   // specific to the profile of one rank: in that of several it has no arguments
    drop,   // true of this profile only: left out when its ranks are merged with others
};

struct NoticeKind {
    std::string_view word;
    NoticeMerging merging;
    std::string_view text;
};

struct NoticeArgument {
    NoticeArgument(std::uint64_t value) : number(value) {}
    NoticeArgument(std::string value) : text(std::move(value)), is_text(true) {}
    bool operator==(const NoticeArgument&) const = default;

    std::uint64_t number = 0;
    std::string text;
    bool is_text = false;
};

struct Notice {
    NoticeCode code = NoticeCode::other;
    std::vector<NoticeArgument> arguments;
    // How many of the profile's ranks have it, and the lowest of them; 0: all.
    std::uint32_t ranks = 0, first_rank = 0;
    // If runs were merged, how many of them have it; 0: all.
    std::uint64_t runs = 0, of_runs = 0;
    // If the code is unknown: as in the file.
    std::string word = {}, text = {};
};

const NoticeKind& kind_of(const Notice& notice);
NoticeCode notice_code(std::string_view word);
std::string_view word_of(const Notice& notice);

// Whether their number and types are what the text of the notice needs.
bool arguments_fit(const Notice& notice);

// The sentence, without and with its origin: "(on rank 2)", "(in 1 of 3 runs)".
std::string sentence(const Notice& notice);
std::string full_sentence(const Notice& notice);

// Inserts it where its kind belongs, after others of that kind.
void add_notice(std::vector<Notice>& notices, Notice notice);
// The same for something that happened `count` times, unless that is 0.
void note_count(std::vector<Notice>& notices, NoticeCode code, std::uint64_t count);

// Whether there is one, of whatever ranks and runs.
bool has_notice(const std::vector<Notice>& notices, NoticeCode code);

// Whether two notices of different profiles are combined, whatever their origin; and combines them.
bool say_the_same(const Notice& a, const Notice& b);
void add_numbers(Notice& sum, const Notice& value);

// Removes what is true of only a part of the ranks.
void keep_what_is_true_of_all(std::vector<Notice>& notices);

}  // namespace vftrace
