#include "tree/event_buffer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/prepend.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/frame_address.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/slow_path.hpp"
#include "tree/stack_segments.hpp"

namespace vftrace {

TraceSettings trace_settings;
EventBuffer* event_buffers;
bool trace_is_written;
std::uint32_t writer_is_called;

namespace {

// Of all threads, in full pieces.
std::uint64_t words_in_full_pieces;

Arena buffers(map_memory_wiped_on_fork);
BoundedLock lock_of_buffers;

std::uint64_t ticks_of(std::uint64_t ns) {
    if (!tree_settings.processor_ticks || !process_record)
        return ns;
    // An error of a few per mille does not matter: the value determines how often to look, not how
    // long something took.
    const ClockReading start = process_record->start, now = read_both_clocks();
    double ticks_per_ns = now.ns > start.ns ? static_cast<double>(now.ticks - start.ticks) /
                                                  static_cast<double>(now.ns - start.ns)
                                            : 1.0;
    return static_cast<std::uint64_t>(static_cast<double>(ns) * ticks_per_ns);
}

// Orders stores for a signal handler that leaves this code by a jump.
void order_stores() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// A signal handler may leave end_piece() and begin_piece() by a jump at any point; the next event
// then ends a piece again. So there must not be a moment between two stores at which a piece would
// be passed over that the writer waits for, or at which a word would go to a full piece. A piece
// that is marked full twice, or full and empty, does no harm.
void end_piece(EventBuffer& buffer) {
    EventPiece& piece = buffer.pieces[buffer.current];
    const std::uint64_t* const cursor = buffer.cursor;
    if (cursor < buffer.end) {
        buffer.cursor = buffer.end;
        order_stores();
        piece.used = static_cast<std::size_t>(cursor - piece.words);
    }
    __atomic_store_n(&piece.full, 1, __ATOMIC_RELEASE);
    order_stores();
    buffer.closed = 1;
}

void begin_piece(EventBuffer& buffer, std::uint32_t index, std::uint64_t ticks) {
    EventPiece& piece = buffer.pieces[index];
    piece.base_ticks = ticks;
    piece.used = buffer.piece_words;
    piece.messages = 0;
    piece.first_message_ticks = 0;
    order_stores();
    buffer.closed = 0;
    order_stores();
    buffer.current = index;
    order_stores();
    buffer.base_ticks = ticks;
    order_stores();
    buffer.end = piece.words + buffer.piece_words;
    order_stores();
    // Release: a writer that sees the cursor in this piece sees the base too.
    __atomic_store_n(&buffer.cursor, piece.words, __ATOMIC_RELEASE);
}

void stop_tracing(ThreadState& state) {
    set_shared(state.inverted_low, state.trace->inverted_low);
    state.trace = nullptr;
}

// Moves the starts of all calls that are open on this thread, so that a wait is not part of their
// times.
void leave_out(ThreadState& state, std::uint64_t ticks, std::uint64_t now) {
    for (StackSegment* segment = state.record->segments; segment; segment = segment->next)
        if (!segment->suspended_at)
            move_starts(*segment, segment == state.segment ? state.top : segment->top, ticks, now);
}

// Waits until the writer has emptied the piece, or gives up. Returns whether the piece is empty.
bool wait_for(EventBuffer& buffer, const EventPiece& piece) {
    timespec moment = {0, 100'000'000};  // the call may have been missed
    int saved_errno = errno;
    for (;;) {
        std::uint32_t taken = __atomic_load_n(&buffer.taken, __ATOMIC_ACQUIRE);
        if (!__atomic_load_n(&piece.full, __ATOMIC_ACQUIRE))
            break;
        if (!__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE)) {
            errno = saved_errno;
            return false;
        }
        call_writer();
        syscall(SYS_futex, &buffer.taken, FUTEX_WAIT_PRIVATE, taken, &moment, nullptr, 0);
    }
    errno = saved_errno;
    return true;
}

// When the trace has become large, only some events of this thread are recorded from now on.
void count_full_piece(EventBuffer& buffer, const EventPiece& piece) {
    __atomic_add_fetch(&words_in_full_pieces, piece.used, __ATOMIC_RELAXED);
    if (!buffer.interval && !traces_every_event())
        buffer.interval = ticks_of(trace_settings.interval_ns);
}

// at_once: must not wait, as in the handler of samples.
enum class Loss { allowed, not_allowed, at_once };

// Continues with the next piece. Returns false if there is none; then the thread's trace has ended,
// or the event is to be dropped.
bool next_piece(ThreadState& state, Loss loss) {
    EventBuffer& buffer = *state.trace;
    // A thread that drops events does not have a piece; its cursor stays beyond the end.
    if (!buffer.closed) {
        end_piece(buffer);
        count_full_piece(buffer, buffer.pieces[buffer.current]);
    }
    std::uint32_t index = (buffer.current + 1) % buffer_pieces;
    EventPiece& next = buffer.pieces[index];
    std::uint64_t start = tree_ticks(), waited = 0;
    if (__atomic_load_n(&next.full, __ATOMIC_ACQUIRE)) {
        if (loss == Loss::at_once || (trace_settings.drop_when_full && loss == Loss::allowed)) {
            call_writer();
            return false;
        }
        bool empty = wait_for(buffer, next);
        std::uint64_t now = tree_ticks();
        waited = now - start;
        leave_out(state, waited, now);
        if (!empty) {
            stop_tracing(state);
            return false;
        }
        buffer.waits++;
        buffer.waited_ticks += waited;
    } else if (!__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE)) {
        stop_tracing(state);
        return false;
    }
    // Half of the pieces are full: time to write.
    if (__atomic_load_n(&buffer.pieces[(index + buffer_pieces / 2) % buffer_pieces].full,
                        __ATOMIC_RELAXED))
        call_writer();
    begin_piece(buffer, index, start + waited);
    if (waited) {
        const GapRecord gap = {start, start + waited, 0};
        trace_record(state, RecordKind::waited, 0, 0, &gap, sizeof gap);
    }
    if (const GapRecord gap = take_drops(buffer); gap.events)
        trace_record(state, RecordKind::dropped, 0, 0, &gap, sizeof gap);
    return true;
}

bool make_room(ThreadState& state, Loss loss) {
    if (thread_state == &busy_thread_state)
        return next_piece(state, loss);
    SlowPath guard(state, frame_address());
    return next_piece(state, loss);
}

void count_dropped(EventBuffer& buffer, std::uint64_t ticks) {
    add_relaxed(buffer.dropped, 1);
    if (__atomic_load_n(&buffer.drops_to_report, __ATOMIC_ACQUIRE) == 0)
        set_shared(buffer.drop_start, ticks);
    set_shared(buffer.drop_end, ticks);
    __atomic_add_fetch(&buffer.drops_to_report, 1, __ATOMIC_RELEASE);
}

constexpr std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

void call_writer() {
    if (__atomic_exchange_n(&writer_is_called, 1, __ATOMIC_ACQ_REL) == 0)
        syscall(SYS_futex, &writer_is_called, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

GapRecord take_drops(EventBuffer& buffer) {
    if (__atomic_load_n(&buffer.drops_to_report, __ATOMIC_ACQUIRE) == 0)
        return {};
    const std::uint64_t start = __atomic_load_n(&buffer.drop_start, __ATOMIC_RELAXED);
    const std::uint64_t end = __atomic_load_n(&buffer.drop_end, __ATOMIC_RELAXED);
    return {start, std::max(start, end),
            __atomic_exchange_n(&buffer.drops_to_report, 0, __ATOMIC_ACQ_REL)};
}

void start_tracing(ThreadState& state) {
    if (!trace_settings.active || !__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE))
        return;
    if (state.trace)  // of a thread that has ended
        return;
    // Several threads may begin at the same time.
    const bool locked = lock_of_buffers.lock();
    auto* buffer =
        locked ? static_cast<EventBuffer*>(buffers.allocate(sizeof(EventBuffer))) : nullptr;
    if (locked)
        lock_of_buffers.unlock();
    auto* memory = static_cast<std::uint64_t*>(map_memory(trace_settings.buffer_bytes));
    if (!buffer || !memory) {
        VFTRACE_MESSAGE_ONCE("not enough memory for the traces of all threads");
        return;
    }
    madvise(memory, trace_settings.buffer_bytes, MADV_DONTFORK);
    buffer->piece_words = trace_settings.buffer_bytes / buffer_pieces / sizeof *memory;
    for (std::size_t i = 0; i < buffer_pieces; i++)
        buffer->pieces[i].words = memory + i * buffer->piece_words;
    buffer->record = state.record;
    buffer->interval = traces_every_event() ? 0 : ticks_of(trace_settings.interval_ns);
    begin_piece(*buffer, 0, state.record->started);  // its first event may date from then
    buffer->inverted_low = state.inverted_low;
    prepend(event_buffers, buffer);
    state.trace = buffer;
}

bool traces_every_event() {
    return trace_settings.active && (trace_settings.interval_ns == 0 ||
                                     __atomic_load_n(&words_in_full_pieces, __ATOMIC_RELAXED) <
                                         trace_settings.complete_words);
}

void forget_event_buffers() {
    words_in_full_pieces = 0;
    event_buffers = nullptr;
    buffers = Arena(map_memory_wiped_on_fork);
    lock_of_buffers = {};
}

LeftOutRecord take_left_out(EventBuffer& buffer, std::uint64_t ticks) {
    return {ticks, __atomic_exchange_n(&buffer.left_out, 0, __ATOMIC_RELAXED)};
}

void write_event_slowly(ThreadState& state, WordKind kind, const Node* node, std::uint64_t ticks) {
    EventBuffer& buffer = *state.trace;
    if (const LeftOutRecord record = take_left_out(buffer, ticks); record.events)
        trace_record(state, RecordKind::left_out,
                     buffer.still_open ? buffer.still_open->number : no_open_node, 0, &record,
                     sizeof record);
    if (!state.trace)
        return;
    if (buffer.interval) {
        buffer.next_sample = ticks + buffer.interval;
        buffer.still_open = kind == WordKind::enter ? node : node->parent;
    }
    bool fits = node->number >> word_node_bits == 0;
    for (int attempt = 0; fits && attempt < 3; attempt++) {
        if (attempt > 0 && !make_room(state, Loss::allowed))
            break;
        const std::uint64_t* end = buffer.end;
        std::uint64_t* word = reserve(buffer, 1);
        // The piece may have begun after the event.
        std::uint64_t since_base = ticks > buffer.base_ticks ? ticks - buffer.base_ticks : 0;
        if (word < end && since_base >> word_ticks_bits == 0) {
            __atomic_store_n(word, event_word(kind, node->number, since_base), __ATOMIC_RELEASE);
            return;
        }
    }
    count_dropped(buffer, ticks);
}

void trace_record(ThreadState& state, RecordKind kind, std::uint32_t detail,
                  std::uint64_t message_start, const void* record, std::size_t bytes,
                  const void* list, std::size_t list_bytes) {
    if (!state.trace)
        return;
    EventBuffer& buffer = *state.trace;
    const std::size_t words = words_for(bytes) + words_for(list_bytes);
    const bool others_refer_to_it = kind == RecordKind::communicator || kind == RecordKind::group;
    const Loss loss = others_refer_to_it            ? Loss::not_allowed
                      : kind == RecordKind::sampled ? Loss::at_once
                                                    : Loss::allowed;
    if (words + 1 > buffer.piece_words)
        return count_dropped(buffer, tree_ticks());
    const std::uint64_t* end = buffer.end;  // see write_event()
    std::uint64_t* header = reserve(buffer, words + 1);
    if (header + words + 1 > end) {
        EventPiece& piece = buffer.pieces[buffer.current];
        if (header < buffer.end && !buffer.closed)
            piece.used = static_cast<std::size_t>(header - piece.words);
        if (!make_room(state, loss))
            return state.trace && loss != Loss::at_once ? count_dropped(buffer, tree_ticks())
                                                        : void();
        end = buffer.end;
        header = reserve(buffer, words + 1);
        if (header + words + 1 > end)
            return count_dropped(buffer, tree_ticks());
    }
    // The writer leaves the record alone until it is finished.
    __atomic_store_n(header, record_word(RecordKind::unfinished, words, 0), __ATOMIC_RELEASE);
    std::memcpy(header + 1, record, bytes);
    if (list_bytes)
        std::memcpy(header + 1 + words_for(bytes), list, list_bytes);
    if (message_start) {
        EventPiece& piece = buffer.pieces[buffer.current];
        if (piece.messages == 0 || message_start < piece.first_message_ticks)
            set_shared(piece.first_message_ticks, message_start);
        set_shared(piece.messages, piece.messages + 1);
    }
    __atomic_store_n(header, record_word(kind, words, detail), __ATOMIC_RELEASE);
}

}  // namespace vftrace
