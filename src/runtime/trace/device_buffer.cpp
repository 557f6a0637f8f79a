#include "trace/device_buffer.hpp"

#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "record/device_records.hpp"

namespace vftrace {
namespace {

struct Piece {
    std::uint64_t* words;
    std::size_t used;    // words of complete records
    std::size_t taken;   // words that the writer has taken
    std::uint32_t full;  // it is closed for adding; 0 when the writer has finished with it
};

struct {
    std::uint64_t* memory;
    std::size_t piece_words;
    Piece pieces[buffer_pieces];
    // Used by the thread that adds records.
    std::uint32_t current;
    bool closed;   // the current piece is full, and the next was not free yet
    bool refused;  // no memory could be allocated
    // Used by the writer.
    std::uint32_t writing;
    std::uint32_t taken;  // number of pieces; a futex for the waiting thread
    std::uint64_t dropped, dropped_reported;
} buffer;

// Enough for a piece of work and everything written before it, such as the name of its kernel.
constexpr std::size_t most_words = 1024;

bool allocate() {
    if (buffer.refused)
        return false;
    auto* memory = static_cast<std::uint64_t*>(map_memory(trace_settings.buffer_bytes));
    if (!memory) {
        buffer.refused = true;
        VFTRACE_MESSAGE_ONCE("not enough memory for the trace of GPU activity");
        return false;
    }
    madvise(memory, trace_settings.buffer_bytes, MADV_DONTFORK);
    buffer.piece_words = trace_settings.buffer_bytes / buffer_pieces / sizeof *memory;
    for (std::size_t i = 0; i < buffer_pieces; i++)
        buffer.pieces[i].words = memory + i * buffer.piece_words;
    __atomic_store_n(&buffer.memory, memory, __ATOMIC_RELEASE);
    return true;
}

std::uint32_t after(std::uint32_t piece) { return (piece + 1) % buffer_pieces; }

bool next_is_free() {
    const std::uint32_t next = after(__atomic_load_n(&buffer.current, __ATOMIC_RELAXED));
    return !__atomic_load_n(&buffer.pieces[next].full, __ATOMIC_ACQUIRE);
}

// Switches to the next piece unless the current one has room for this number of words.
bool make_room(std::size_t words) {
    if (!buffer.memory && !allocate())
        return false;
    Piece& piece = buffer.pieces[buffer.current];
    if (!buffer.closed) {
        if (piece.used + words <= buffer.piece_words) [[likely]]
            return true;
        __atomic_store_n(&buffer.closed, true, __ATOMIC_RELAXED);
        __atomic_store_n(&piece.full, 1, __ATOMIC_RELEASE);
        call_writer();
    }
    if (!next_is_free())
        return false;
    __atomic_store_n(&buffer.current, after(buffer.current), __ATOMIC_RELAXED);
    __atomic_store_n(&buffer.closed, false, __ATOMIC_RELAXED);
    return true;
}

bool report_drops(WriteDeviceRecords write) {
    const std::uint64_t dropped = __atomic_load_n(&buffer.dropped, __ATOMIC_RELAXED);
    if (dropped == buffer.dropped_reported)
        return true;
    const std::uint64_t record[] = {device_word(DeviceRecordKind::dropped, 1, 0),
                                    dropped - buffer.dropped_reported};
    buffer.dropped_reported = dropped;
    return write(record, sizeof record);
}

}  // namespace

std::uint64_t* reserve_device_words(std::size_t words) {
    if (words > most_words || !make_room(words))
        return nullptr;
    const Piece& piece = buffer.pieces[buffer.current];
    return piece.words + piece.used;
}

void publish_device_words(std::size_t words) {
    Piece& piece = buffer.pieces[buffer.current];
    __atomic_store_n(&piece.used, piece.used + words, __ATOMIC_RELEASE);
}

bool has_room_for_device_work() { return make_room(most_words); }

bool wait_for_device_room() {
    while (__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&buffer.memory, __ATOMIC_RELAXED)) {
        const std::uint32_t taken = __atomic_load_n(&buffer.taken, __ATOMIC_ACQUIRE);
        if (!__atomic_load_n(&buffer.closed, __ATOMIC_RELAXED) || next_is_free())
            return true;
        call_writer();
        const timespec a_while = {0, 100'000'000};
        syscall(SYS_futex, &buffer.taken, FUTEX_WAIT_PRIVATE, taken, &a_while, nullptr, 0);
    }
    return false;
}

void count_dropped_device_work(std::uint64_t pieces) {
    __atomic_store_n(&buffer.dropped, buffer.dropped + pieces, __ATOMIC_RELAXED);
}

std::uint64_t dropped_device_work() { return __atomic_load_n(&buffer.dropped, __ATOMIC_RELAXED); }

bool write_device_buffer(WriteDeviceRecords write, bool everything) {
    if (!__atomic_load_n(&buffer.memory, __ATOMIC_ACQUIRE))
        return !everything || report_drops(write);
    for (;;) {
        Piece& piece = buffer.pieces[buffer.writing];
        const bool full = __atomic_load_n(&piece.full, __ATOMIC_ACQUIRE);
        if (!full && !everything)
            return true;
        const std::size_t used = __atomic_load_n(&piece.used, __ATOMIC_ACQUIRE);
        if (used > piece.taken) {
            if (!write(piece.words + piece.taken, (used - piece.taken) * sizeof *piece.words))
                return false;
            piece.taken = used;
        }
        if (!full)
            return report_drops(write);
        piece.taken = 0;
        __atomic_store_n(&piece.used, 0, __ATOMIC_RELAXED);
        buffer.writing = after(buffer.writing);
        __atomic_store_n(&piece.full, 0, __ATOMIC_RELEASE);
        stop_waiting_for_device_room();
    }
}

void stop_waiting_for_device_room() {
    __atomic_add_fetch(&buffer.taken, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &buffer.taken, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void forget_device_buffer() { buffer = {}; }

}  // namespace vftrace
