// Ranks of a job that all live in one process and one thread.
#include "in_process_communicator.hpp"

#include <algorithm>
#include <utility>

namespace vftrace {

bool InProcessJob::send(int from, int to, const void* data, std::size_t bytes) {
    if (!has_rank(from) || !has_rank(to))
        return false;
    const char* begin = static_cast<const char*>(data);
    waiting_[static_cast<std::size_t>(to)].push_back({from, {begin, begin + bytes}});
    return true;
}

bool InProcessJob::receive(int from, int to, std::vector<char>& data) {
    if (!has_rank(from) || !has_rank(to))
        return false;
    std::vector<Message>& messages = waiting_[static_cast<std::size_t>(to)];
    auto message = std::find_if(messages.begin(), messages.end(),
                                [&](const Message& candidate) { return candidate.from == from; });
    if (message == messages.end())
        return false;
    data = std::move(message->data);
    messages.erase(message);
    return true;
}

std::size_t InProcessJob::messages_waiting() const {
    std::size_t count = 0;
    for (const std::vector<Message>& messages : waiting_)
        count += messages.size();
    return count;
}

}  // namespace vftrace
