// The columns that tables can be sorted by, as the configuration and the commands call them: one
// list per table, from which options, enumerators and choices of commands are made. Tests compare
// completions and manual pages with these choices.
//
// "none" in the configuration is the order of call paths, `stack_id`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define VFTRACE_GROUP_COLUMNS(column) column(time_excl) column(time_incl) column(calls)
#define VFTRACE_RUNTIME_COLUMNS(column)                                                            \
    VFTRACE_GROUP_COLUMNS(column) column(stack_id) column(overhead)
#define VFTRACE_MESSAGE_COLUMNS(column)                                                            \
    column(messages) column(send_size) column(recv_size) column(send_bw) column(recv_bw)           \
        column(comm_time) column(stack_id)
// `time` is the sum of all times of a row, `memcpy` the time of copies.
#define VFTRACE_CUDA_COLUMNS(column) column(time) column(memcpy) column(cbid) column(calls)
#define VFTRACE_TASK_COLUMNS(column)                                                               \
    column(own) column(longest_task) column(longest_run) column(with_children) column(wall)        \
        column(tasks) column(pauses) column(paused)
#define VFTRACE_WAIT_COLUMNS(column) column(time) column(rank) column(stack_id)
#define VFTRACE_OPENACC_COLUMNS(column) column(time) column(memcpy) column(calls)

// The words of a list, for options: "time|memcpy|none".
#define VFTRACE_COLUMN_WORD(id) #id "|"
#define VFTRACE_COLUMN_WORDS(list) list(VFTRACE_COLUMN_WORD) "none"

namespace vftrace {

#define VFTRACE_COLUMN_ID(id) id,
enum class SortColumn : std::uint8_t { VFTRACE_RUNTIME_COLUMNS(VFTRACE_COLUMN_ID) };
enum class MessageColumn : std::uint8_t { VFTRACE_MESSAGE_COLUMNS(VFTRACE_COLUMN_ID) };
enum class CudaColumn : std::uint8_t { VFTRACE_CUDA_COLUMNS(VFTRACE_COLUMN_ID) stack_id };
enum class OpenaccColumn : std::uint8_t { VFTRACE_OPENACC_COLUMNS(VFTRACE_COLUMN_ID) stack_id };
enum class TaskColumn : std::uint8_t { VFTRACE_TASK_COLUMNS(VFTRACE_COLUMN_ID) };
enum class WaitColumn : std::uint8_t { VFTRACE_WAIT_COLUMNS(VFTRACE_COLUMN_ID) };
#undef VFTRACE_COLUMN_ID

// The words of a table's columns, in the order of the enumerators.
template <class Column>
inline constexpr auto column_words = nullptr;
#define VFTRACE_COLUMN_NAME(id) std::string_view(#id),
template <>
inline constexpr std::array column_words<SortColumn> = {
    VFTRACE_RUNTIME_COLUMNS(VFTRACE_COLUMN_NAME)};
template <>
inline constexpr std::array column_words<MessageColumn> = {
    VFTRACE_MESSAGE_COLUMNS(VFTRACE_COLUMN_NAME)};
template <>
inline constexpr std::array column_words<CudaColumn> = {VFTRACE_CUDA_COLUMNS(VFTRACE_COLUMN_NAME)};
template <>
inline constexpr std::array column_words<OpenaccColumn> = {
    VFTRACE_OPENACC_COLUMNS(VFTRACE_COLUMN_NAME)};
template <>
inline constexpr std::array column_words<TaskColumn> = {VFTRACE_TASK_COLUMNS(VFTRACE_COLUMN_NAME)};
template <>
inline constexpr std::array column_words<WaitColumn> = {VFTRACE_WAIT_COLUMNS(VFTRACE_COLUMN_NAME)};
#undef VFTRACE_COLUMN_NAME

// The column with this name; "none" is allowed if it is an order of the table. Nothing if there is
// no such column.
template <class Column>
std::optional<Column> column_named(std::string_view word) {
    if constexpr (requires { Column::stack_id; })
        if (word == "none")
            return Column::stack_id;
    const auto& words = column_words<Column>;
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        return std::nullopt;
    return static_cast<Column>(found - words.begin());
}

// The choices of a command.
template <class Column>
std::vector<std::string> column_choices() {
    return {column_words<Column>.begin(), column_words<Column>.end()};
}

template <class Column>
struct SortedBy {
    Column column{};
    bool ascending = false;
};

}  // namespace vftrace
