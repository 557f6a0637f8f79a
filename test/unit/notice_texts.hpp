// Notices as the sentences that users read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/notice.hpp"

namespace vftrace::test {

// A notice whose kind is not in the table.
inline Notice other_notice(std::string text) { return {NoticeCode::other, {std::move(text)}}; }

inline std::vector<std::string> texts_of(const std::vector<Notice>& notices) {
    std::vector<std::string> texts;
    for (const Notice& notice : notices)
        texts.push_back(full_sentence(notice));
    return texts;
}

}  // namespace vftrace::test
