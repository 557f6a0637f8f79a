// Where a traced thread puts its events until the writer (trace/trace_writer.hpp) takes them:
// several pieces of memory, used in turn.
//
//   ThreadState ──trace──> EventBuffer ──> piece 0 | piece 1 | ... | piece 7
//                             cursor ────────────────^
//
// One thread writes and one reads. A word is reserved before it is written, so a signal handler
// that runs in between uses the next ones; a word that is 0 has not been written yet. The words are
// those of record/trace_words.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/relaxed.hpp"
#include "record/node.hpp"
#include "record/trace_words.hpp"
#include "tree/region_notes.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct EventPiece {
    std::uint64_t* words;
    std::uint64_t base_ticks;  // event words count from here
    std::uint64_t first_message_ticks;
    std::uint32_t messages;  // all that began after the piece did
    std::uint32_t full;      // the thread has finished with it; 0: it may be written to
    std::size_t used;        // words of a full piece that may have been written
    std::size_t taken;       // words that the writer has taken
};

inline constexpr std::size_t buffer_pieces = 8;

struct EventBuffer {
    // Used for every event.
    std::uint64_t* cursor;  // the next word; beyond `end` there is no room
    std::uint64_t* end;
    std::uint64_t base_ticks;
    std::uint64_t next_sample;  // ticks
    std::uint64_t interval;     // ticks; 0: every call
    // Since the latest event in the buffer: the events that were left out because of the interval,
    // and the innermost of the calls that have been open throughout (nullptr: not known).
    std::uint64_t left_out;
    const Node* still_open;
    std::uintptr_t inverted_low;  // the value that the hot path has in ThreadState
    const ThreadRecord* record;
    EventPiece pieces[buffer_pieces];
    std::size_t piece_words;
    std::uint32_t current;  // piece
    std::uint32_t closed;   // the current piece is full, and no next piece was free
    std::uint32_t taken;    // pieces that the writer has emptied, for waiting threads
    std::uint64_t waits, waited_ticks;
    std::uint64_t dropped;  // events
    std::uint64_t drop_start,
        drop_end;                   // ticks of the first and the last of those not yet reported
    std::uint64_t drops_to_report;  // their number; taken by the thread that reports them
    std::uint64_t latest_slow;      // ticks of the latest event of the slow path
    // Used by the writer.
    std::uint32_t writing;            // piece from which it takes words
    std::uint32_t messages_reported;  // of that piece
    EventBuffer* next;                // in event_buffers
};

struct TraceSettings {
    bool active = false;
    bool drop_when_full = false;          // else threads wait
    std::size_t buffer_bytes = 8u << 20;  // of one thread
    std::uint64_t interval_ns = 0;
    // Every call is recorded until the process has written this number of words; 0: from the start
    // only events that are `interval_ns` apart.
    std::uint64_t complete_words = 0;
    bool clocks_at_begin = false;  // compare the clocks of the ranks in MPI_Init already
    std::uint32_t counters = 0;    // number of values in a RecordKind::readings
};
extern TraceSettings trace_settings;

// All event buffers; the list grows at its head.
extern EventBuffer* event_buffers;
// False once nothing more is written: threads stop tracing.
extern bool trace_is_written;
// Whether every event is recorded at the moment, so that no function may lose its hooks.
bool traces_every_event();
// 1: the writer has been called; the writer sets this to 0. A futex.
extern std::uint32_t writer_is_called;
void call_writer();

// Gives the state a buffer, or keeps the one that it has. Without memory the thread is not traced.
void start_tracing(ThreadState& state);
// In a child of fork: the buffers are the parent's.
void forget_event_buffers();

inline bool is_traced(const ThreadState& thread) { return thread.trace != nullptr; }

// Reserves words; if they lie beyond the end of the piece, make_room() has to be called.
[[gnu::always_inline]] inline std::uint64_t* reserve(EventBuffer& buffer, std::uint64_t words) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    std::uint64_t bytes = words * sizeof(std::uint64_t);
    asm("xaddq %0, %1" : "+r"(bytes), "+m"(buffer.cursor) : : "cc");
    return reinterpret_cast<std::uint64_t*>(bytes);
#else
    return __atomic_fetch_add(&buffer.cursor, words * sizeof(std::uint64_t), __ATOMIC_RELAXED);
#endif
}

// What was dropped and is not yet reported in the trace; the caller has to report it. `events` is 0
// if there is nothing. The thread takes it when it continues with the next piece; if it does not
// continue, the writer takes it.
GapRecord take_drops(EventBuffer& buffer);

// Writes an event for which the piece does not have room, or the word not enough bits, or before
// which others were left out.
void write_event_slowly(ThreadState& state, WordKind kind, const Node* node, std::uint64_t ticks);
// What was left out since the latest event of the buffer, up to `ticks`; the caller has to write
// it. `events` is 0 if there is nothing.
LeftOutRecord take_left_out(EventBuffer& buffer, std::uint64_t ticks);

// Counts an event that is left out because of the interval.
[[gnu::always_inline]] inline void leave_out_event(EventBuffer& buffer, WordKind kind,
                                                   const Node* node) {
    add_relaxed(buffer.left_out, 1);
    if (kind == WordKind::exit && node == buffer.still_open)
        buffer.still_open = node->parent;
}

// Whether an event of `node` is one of those that are written.
[[gnu::always_inline]] inline bool is_sampled(const EventBuffer& buffer, const Node& node,
                                              std::uint64_t ticks) {
    return ticks > buffer.next_sample || (node.flags & node_precise);
}

// An entry into or exit from `node`, if it is one of those that are sampled. The thread must be
// traced. Returns false if write_event_slowly() has to write the event.
[[gnu::always_inline]] inline bool wrote_event(ThreadState& state, WordKind kind, const Node* node,
                                               std::uint64_t ticks) {
    EventBuffer& buffer = *state.trace;
    if (!is_sampled(buffer, *node, ticks)) {
        leave_out_event(buffer, kind, node);
        return true;
    }
    if (buffer.left_out) [[unlikely]]
        return false;
    if (buffer.interval) {
        buffer.next_sample = ticks + buffer.interval;
        buffer.still_open = kind == WordKind::enter ? node : node->parent;
    }
    // A signal handler may continue with the next piece at any point. The end is read before the
    // reservation, so it shows whether the word lies beyond it. The base is read after the
    // reservation, so it is that of the word's piece or of a later one, in which case the event
    // lies before it.
    const std::uint64_t* end = buffer.end;
    std::uint64_t* word = reserve(buffer, 1);
    std::uint64_t since_base = ticks - buffer.base_ticks;
    if (word >= end || since_base >> word_ticks_bits || node->number >> word_node_bits) [[unlikely]]
        return false;
    __atomic_store_n(word, event_word(kind, node->number, since_base), __ATOMIC_RELEASE);
    return true;
}

inline void write_event(ThreadState& state, WordKind kind, const Node* node, std::uint64_t ticks) {
    if (!wrote_event(state, kind, node, ticks)) [[unlikely]]
        write_event_slowly(state, kind, node, ticks);
}

// For everything outside the hot path: nothing is written unless the thread is traced. Anything
// noticed late, such as calls that were left during a pause, is not dated before what has been
// written already.
inline void note_event(ThreadState& state, WordKind kind, const Node* node, std::uint64_t ticks) {
    if (!state.trace) [[likely]]
        return;
    if (ticks < state.trace->latest_slow)
        ticks = state.trace->latest_slow;
    state.trace->latest_slow = ticks;
    write_event(state, kind, node, ticks);
}
inline void note_enter(ThreadState& state, const Node* node, std::uint64_t ticks) {
    note_region_begin(state, node);
    note_event(state, WordKind::enter, node, ticks);
}
inline void note_exit(ThreadState& state, const Node* node, std::uint64_t ticks) {
    note_region_end(state, node);
    note_event(state, WordKind::exit, node, ticks);
}

// Writes a record of `bytes` bytes and, after it, `list_bytes` of a list; both are padded to whole
// words. `message_start`: for messages and fans the ticks of their start, else 0. Waits for room or
// drops the record, as configured; records to which others refer (communicators) always wait. A
// record that is too large for a piece is dropped. `thread` is the calling thread's state, traced
// or not.
void trace_record(ThreadState& thread, RecordKind kind, std::uint32_t detail,
                  std::uint64_t message_start, const void* record, std::size_t bytes,
                  const void* list = nullptr, std::size_t list_bytes = 0);

}  // namespace vftrace
