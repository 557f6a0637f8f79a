// Events of asynchronous tasks, as recorded in traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace vftrace {

enum class TaskMoment : std::uint32_t { created, run, paused, completed, failed, cancelled };

// Indexed by TaskMoment.
inline constexpr std::string_view task_moment_words[] = {"created",   "run",    "paused",
                                                         "completed", "failed", "cancelled"};

constexpr bool is_task_moment(std::uint32_t number) {
    return number < std::size(task_moment_words);
}
constexpr std::string_view word_of(TaskMoment moment) {
    return task_moment_words[static_cast<std::size_t>(moment)];
}

}  // namespace vftrace
