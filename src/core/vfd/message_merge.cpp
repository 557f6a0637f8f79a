#include "vfd/message_merge.hpp"

#include <algorithm>
#include <cstddef>

#include "record/message_figures.hpp"

namespace vftrace {
namespace {

struct Surveyor {
    TracedCommunicators& communicators;
    TracedGroups& groups;
    std::uint64_t first_start = ~std::uint64_t{0};
    bool has_messages = false;
    bool sound = true;

    void event(WordKind, std::uint32_t, std::uint64_t) {}
    void record(RecordKind kind, std::uint32_t, std::span<const std::uint64_t> words) {
        if (kind == RecordKind::communicator) {
            sound = communicators.add(words) && sound;
        } else if (kind == RecordKind::group) {
            sound = groups.add(words) && sound;
        } else if ((kind == RecordKind::message || kind == RecordKind::fan ||
                    kind == RecordKind::fan_counts || kind == RecordKind::collective) &&
                   !words.empty()) {
            has_messages = true;
            first_start = std::min(first_start, words[0]);
        }
    }
};
static_assert(offsetof(MessageRecord, start) == 0 && offsetof(FanRecord, start) == 0 &&
              offsetof(CollectiveRecord, start) == 0);

PeerList list_of(std::uint16_t flags) {
    return flags & fan_sources        ? PeerList::sources
           : flags & fan_destinations ? PeerList::destinations
                                      : PeerList::members;
}

}  // namespace

// The messages and collectives of one chunk.
class MessageMerge::ItemReader {
  public:
    ItemReader(OpenChunk& chunk, std::uint32_t thread, bool wants_operations)
        : chunk_(chunk), thread_(thread), wants_operations_(wants_operations) {}

    bool sound = true;

    void event(WordKind, std::uint32_t, std::uint64_t) {}
    void record(RecordKind kind, std::uint32_t thread, std::span<const std::uint64_t> words) {
        if (kind == RecordKind::message)
            sound = add_message(thread, words) && sound;
        else if (kind == RecordKind::collective && wants_operations_)
            sound = add_collective(thread, words) && sound;
        else if (wants_operations_)
            return;
        else if (kind == RecordKind::fan || kind == RecordKind::fan_counts)
            sound = add_fan(kind, thread, words) && sound;
    }

  private:
    bool add_message(std::uint32_t thread, std::span<const std::uint64_t> words) {
        MessageRecord record;
        if (!read_record(words, record) || record.end < record.start)
            return false;
        const bool is_operation = (record.flags & message_point_to_point) != 0;
        if (wants_operations_ && !is_operation)
            return true;
        Item& item = add(record, thread);
        item.message.peer = record.peer;
        item.message.communicator = is_operation ? record.communicator : 0;
        item.is_operation = is_operation;
        if (add_completion(item.message, words.subspan(sizeof record / sizeof words[0])))
            return true;
        if (wants_operations_)
            chunk_.items.pop_back();
        return false;
    }

    bool add_collective(std::uint32_t thread, std::span<const std::uint64_t> words) {
        CollectiveRecord record;
        if (!read_record(words, record) || record.end < record.start ||
            !is_collective_shape(static_cast<std::uint32_t>(record.shape)))
            return false;
        Item item{};
        item.message.start = record.start;
        item.message.end = record.end;
        item.message.thread = thread;
        item.message.node = record.node;
        item.message.peer = record.root;
        item.message.communicator = record.communicator;
        item.message.is_collective = true;
        item.message.shape = record.shape;
        item.message.number = record.number;
        item.is_operation = true;
        item.number = static_cast<std::uint32_t>(chunk_.items.size());
        if (!add_completion(item.message, words.subspan(sizeof record / sizeof words[0])))
            return false;
        chunk_.items.push_back(item);
        return true;
    }

    // Reads the completion that may follow a record.
    bool add_completion(TracedMessage& message, std::span<const std::uint64_t> words) const {
        CompletionRecord completion;
        if (!read_record(words, completion))
            return words.empty();
        if (completion.enter > message.end)
            return false;
        message.has_completion = true;
        message.completion = {completion.enter, thread_, completion.node};
        return true;
    }

    bool add_fan(RecordKind kind, std::uint32_t thread, std::span<const std::uint64_t> words) {
        FanRecord record;
        if (!read_record(words, record) || record.end < record.start)
            return false;
        Item& item = add(record, thread);
        item.is_fan = true;
        item.communicator = record.communicator;
        if (kind == RecordKind::fan)
            return true;
        words = words.subspan(sizeof record / sizeof words[0]);
        item.first_peer = record.first_peer;
        item.first_count = chunk_.counts.size();
        PeerCount count;
        for (; read_record(words, count); words = words.subspan(sizeof count / sizeof words[0]))
            chunk_.counts.push_back(count);
        item.peers = static_cast<std::uint32_t>(chunk_.counts.size() - item.first_count);
        if (item.peers == 0)
            chunk_.items.pop_back();
        return words.empty();
    }

    template <class Record>
    Item& add(const Record& record, std::uint32_t thread) {
        Item item{};
        item.message = {.start = record.start,
                        .end = record.end,
                        .thread = thread,
                        .node = record.node,
                        .peer = no_peer,
                        .count = record.count,
                        .type_bytes = record.type_bytes,
                        .datatype = record.datatype,
                        .received = (record.flags & message_received) != 0,
                        .tag = record.tag};
        item.flags = record.flags;
        item.number = static_cast<std::uint32_t>(chunk_.items.size());
        return chunk_.items.emplace_back(item);
    }

    OpenChunk& chunk_;
    const std::uint32_t thread_;  // the thread that wrote it
    const bool wants_operations_;
};

MessageMerge::MessageMerge(TraceFileReader& file, std::int32_t own_rank)
    : file_(file), own_rank_(own_rank) {
    const std::vector<TraceChunk>& chunks = file.chunks();
    if (std::any_of(chunks.begin(), chunks.end(), [](const TraceChunk& chunk) {
            return chunk.kind == ChunkKind::events && chunk.messages > 0;
        }))
        survey();
    waiting_ = chunks_;
}

void MessageMerge::restart_with_operations() {
    wants_operations_ = true;
    waiting_ = chunks_;
    open_.clear();
    has_current_ = false;
    next_peer_ = end_of_peers_ = 0;
}

void MessageMerge::survey() {
    for (std::size_t i = 0; i < file_.chunks().size(); i++) {
        std::span<const std::uint64_t> words;
        if (file_.chunks()[i].kind != ChunkKind::events || !file_.load(i, buffer_, words))
            continue;
        Surveyor surveyor{communicators_, groups_};
        if (!visit_words(words, surveyor) || !surveyor.sound)
            file_.note_damage(i);
        if (surveyor.has_messages)
            chunks_.push_back({surveyor.first_start, i});
    }
    std::sort(chunks_.begin(), chunks_.end(), [](const WaitingChunk& a, const WaitingChunk& b) {
        return a.first_start != b.first_start ? a.first_start > b.first_start : a.number > b.number;
    });
}

bool MessageMerge::is_later(const std::unique_ptr<OpenChunk>& a,
                            const std::unique_ptr<OpenChunk>& b) {
    return a->next_start() != b->next_start() ? a->next_start() > b->next_start()
                                              : a->number > b->number;
}

void MessageMerge::open_chunk(std::size_t number) {
    std::span<const std::uint64_t> words;
    if (!file_.load(number, buffer_, words))
        return;
    auto chunk = std::make_unique<OpenChunk>();
    chunk->number = number;
    ItemReader reader(*chunk, file_.chunks()[number].thread, wants_operations_);
    if (!visit_words(words, reader) || !reader.sound)
        file_.note_damage(number);
    if (chunk->items.empty())
        return;
    std::sort(chunk->items.begin(), chunk->items.end(), [](const Item& a, const Item& b) {
        return a.message.start != b.message.start ? a.message.start < b.message.start
                                                  : a.number < b.number;
    });
    open_.push_back(std::move(chunk));
    std::push_heap(open_.begin(), open_.end(), is_later);
}

// Opens the chunks that may have the next message.
void MessageMerge::open_chunks_in_time() {
    while (!waiting_.empty() &&
           (open_.empty() || waiting_.back().first_start <= open_.front()->next_start())) {
        const std::size_t number = waiting_.back().number;
        waiting_.pop_back();
        open_chunk(number);
    }
}

// Puts the earliest message or collective into item_. Returns false if there are none left.
bool MessageMerge::start_next_item() {
    open_chunks_in_time();
    if (open_.empty())
        return false;
    std::pop_heap(open_.begin(), open_.end(), is_later);
    OpenChunk& chunk = *open_.back();
    item_ = chunk.items[chunk.next++];
    item_chunk_ = chunk.number;
    const auto counts = chunk.counts.begin() + static_cast<std::ptrdiff_t>(item_.first_count);
    counts_.assign(counts, counts + item_.peers);
    next_peer_ = end_of_peers_ = 0;
    if (item_.is_fan) {
        peers_ = communicators_.ranks(item_.communicator, list_of(item_.flags));
        const std::uint64_t size = peers_ ? peers_->size() : 0;
        const std::uint64_t end =
            item_.peers == 0 ? size : std::uint64_t{item_.first_peer} + item_.peers;
        next_peer_ = item_.first_peer;
        end_of_peers_ = static_cast<std::uint32_t>(std::min(end, size));
        if (!peers_ || end > size)
            file_.note_damage(chunk.number);
    }
    if (chunk.next == chunk.items.size())
        open_.pop_back();
    else
        std::push_heap(open_.begin(), open_.end(), is_later);
    return true;
}

// The next message of the collective in item_.
bool MessageMerge::next_of_fan() {
    while (next_peer_ < end_of_peers_) {
        const std::uint32_t index = next_peer_++;
        current_ = item_.message;
        current_.peer = (*peers_)[index];
        if (current_.peer == no_peer ||
            ((item_.flags & fan_skips_self) && current_.peer == own_rank_))
            continue;
        if (item_.peers > 0) {
            const PeerCount& own = counts_[index - item_.first_peer];
            current_.count = own.count;
            current_.type_bytes = own.type_bytes;
            current_.datatype = own.datatype;
        }
        return true;
    }
    return false;
}

const TracedMessage* MessageMerge::peek() {
    while (!has_current_) {
        if (next_of_fan()) {
            has_current_ = true;
        } else {
            if (!start_next_item())
                return nullptr;
            const bool is_wanted =
                wants_operations_ ? item_.is_operation : item_.message.peer != no_peer;
            if (!item_.is_fan && is_wanted) {
                current_ = item_.message;
                has_current_ = true;
            }
        }
    }
    return &current_;
}

}  // namespace vftrace
