#include "trace/trace_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <iterator>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/size_limit.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/reopened_file.hpp"
#include "record/packed_words.hpp"
#include "service/hidden_thread.hpp"
#include "symbol/function_set.hpp"
#include "trace/device_buffer.hpp"
#include "trace/path_chunks.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

ReopenedFile file;
bool file_exists;
int descriptor = -1;       // while something is written
std::uint64_t file_bytes;  // of complete chunks
int failure;               // errno
BoundedLock lock;
TraceClocks clocks;
// The payload of a chunk of events.
struct PackedEvents {
    std::uint64_t count;
    unsigned char bytes[std::size_t{1} << 19];
};
PackedEvents* packed;  // nullptr: nothing was written
bool clocks_due;
bool failure_reported;

bool open_trace_file() {
    if (descriptor >= 0)
        return true;
    descriptor = file_exists ? file.open() : file.create(0666);
    if (descriptor < 0)
        failure = errno;
    else
        file_exists = true;
    return descriptor >= 0;
}

void close_trace_file() {
    if (descriptor >= 0)
        close(descriptor);
    descriptor = -1;
}

// Writes both parts at the end of the file, or nothing.
bool append(const iovec (&parts)[2]) {
    if (failure || !open_trace_file())
        return false;
    const std::uint64_t bytes = parts[0].iov_len + parts[1].iov_len;
    std::uint64_t done = 0;
    while (done < bytes) {
        iovec rest[2] = {parts[0], parts[1]};
        const std::size_t of_first = std::min<std::uint64_t>(done, rest[0].iov_len);
        const std::size_t of_second = done - of_first;
        rest[0] = {static_cast<char*>(rest[0].iov_base) + of_first, rest[0].iov_len - of_first};
        rest[1] = {static_cast<char*>(rest[1].iov_base) + of_second, rest[1].iov_len - of_second};
        const ssize_t written = write_within_limit(
            [&] { return pwritev(descriptor, rest, 2, static_cast<off_t>(file_bytes + done)); });
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            failure = written < 0 ? errno : ENOSPC;
            // Best effort: readers leave out a truncated chunk.
            if (ftruncate(descriptor, static_cast<off_t>(file_bytes)) != 0)
                return false;
            return false;
        }
        done += static_cast<std::uint64_t>(written);
    }
    file_bytes += bytes;
    return true;
}

bool write_chunk(ChunkHeader header, const void* payload, std::size_t bytes) {
    std::memcpy(header.magic, chunk_magic, sizeof header.magic);
    header.version = trace_file_version;
    header.bytes = bytes;
    const ClockReading now = read_both_clocks();
    header.ticks = tree_settings.processor_ticks ? now.ticks : now.ns;
    header.ns = now.ns;
    header.checksum = chunk_checksum(header, payload);
    return append({{&header, sizeof header}, {const_cast<void*>(payload), bytes}});
}

bool write_plain_chunk(ChunkKind kind, const void* payload, std::size_t bytes) {
    ChunkHeader header{};
    header.kind = kind;
    return write_chunk(header, payload, bytes);
}

// The number of words that can be taken from a piece that is being filled.
std::size_t written_words(const EventPiece& piece, std::size_t reserved) {
    std::size_t end = piece.taken;
    while (end < reserved) {
        const std::uint64_t word = __atomic_load_n(&piece.words[end], __ATOMIC_ACQUIRE);
        if (word == 0)
            break;
        std::size_t words = 1;
        if (word_kind(word) == WordKind::record) {
            if (record_kind(word) == RecordKind::unfinished)
                break;
            words += record_words(word);
        }
        end += words;
    }
    return end;
}

// The number of words of the piece that the thread has reserved.
std::size_t reserved_words(const EventBuffer& buffer, const EventPiece& piece) {
    const std::uint64_t* cursor = __atomic_load_n(&buffer.cursor, __ATOMIC_ACQUIRE);
    if (&piece != &buffer.pieces[__atomic_load_n(&buffer.current, __ATOMIC_RELAXED)] ||
        __atomic_load_n(&buffer.closed, __ATOMIC_RELAXED) || cursor < piece.words)
        return 0;
    return std::min(static_cast<std::size_t>(cursor - piece.words), buffer.piece_words);
}

bool write_events(EventBuffer& buffer, EventPiece& piece, std::size_t end) {
    if (end <= piece.taken)
        return true;
    if (!describe_paths(write_plain_chunk))
        return false;
    ChunkHeader header{};
    header.kind = ChunkKind::events;
    header.thread = buffer.record->number;
    header.base_ticks = piece.base_ticks;
    const std::uint32_t messages = __atomic_load_n(&piece.messages, __ATOMIC_RELAXED);
    header.messages = messages - buffer.messages_reported;
    header.first_message_ticks = __atomic_load_n(&piece.first_message_ticks, __ATOMIC_RELAXED);
    buffer.messages_reported = messages;
    if (!packed && !(packed = static_cast<PackedEvents*>(map_memory(sizeof *packed)))) {
        failure = ENOMEM;
        return false;
    }
    while (piece.taken < end) {
        const PackedWords done = pack_words(piece.words + piece.taken, end - piece.taken,
                                            packed->bytes, sizeof packed->bytes);
        piece.taken += done.words;
        packed->count = done.kept;
        const std::size_t padded = (done.bytes + 7) & ~std::size_t{7};
        std::memset(packed->bytes + done.bytes, 0, padded - done.bytes);
        if (done.kept && !write_chunk(header, packed, sizeof packed->count + padded))
            return false;
    }
    return true;
}

// Writes a chunk with one record of a thread, which did not write it itself.
template <class Record>
bool write_record(const EventBuffer& buffer, RecordKind kind, std::uint32_t detail,
                  const Record& record, std::uint64_t base_ticks) {
    std::uint64_t words[1 + sizeof record / 8];
    words[0] = record_word(kind, sizeof record / 8, detail);
    std::memcpy(words + 1, &record, sizeof record);
    struct {
        std::uint64_t count;
        unsigned char bytes[(1 + sizeof words + 7) & ~std::size_t{7}];
    } payload{};
    payload.count = pack_words(words, std::size(words), payload.bytes, sizeof payload.bytes).kept;
    ChunkHeader header{};
    header.kind = ChunkKind::events;
    header.thread = buffer.record->number;
    header.base_ticks = base_ticks;
    return describe_paths(write_plain_chunk) && write_chunk(header, &payload, sizeof payload);
}

// Writes the drops of a thread that has not found room since then: it may have ended, or the
// process is about to end.
bool write_drops(EventBuffer& buffer) {
    const GapRecord gap = take_drops(buffer);
    return !gap.events || write_record(buffer, RecordKind::dropped, 0, gap, gap.start);
}

// Writes what a thread has left out since its latest event: no event follows.
bool write_left_out(EventBuffer& buffer) {
    const LeftOutRecord record = take_left_out(buffer, tree_ticks());
    if (!record.events)
        return true;
    const Node* const open = buffer.still_open;
    return write_record(buffer, RecordKind::left_out, open ? open->number : no_open_node, record,
                        record.ticks);
}

void give_back(EventBuffer& buffer, EventPiece& piece) {
    std::memset(piece.words, 0, piece.used * sizeof *piece.words);
    piece.taken = 0;
    buffer.messages_reported = 0;
    buffer.writing = (buffer.writing + 1) % buffer_pieces;
    __atomic_store_n(&piece.full, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&buffer.taken, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &buffer.taken, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

enum class Extent {
    full_pieces,
    everything,  // also the pieces that are being filled
    end          // and what no event will report any more
};

bool write_buffer(EventBuffer& buffer, Extent extent) {
    for (;;) {
        EventPiece& piece = buffer.pieces[buffer.writing];
        if (!__atomic_load_n(&piece.full, __ATOMIC_ACQUIRE)) {
            if (extent == Extent::full_pieces)
                return true;
            // A word that a handler left by a jump before it was written stays empty for ever: at
            // the end, as in full pieces, those after it count.
            const std::size_t reserved = reserved_words(buffer, piece);
            const std::size_t end =
                extent == Extent::end ? reserved : written_words(piece, reserved);
            return write_events(buffer, piece, end) && write_drops(buffer) &&
                   (extent != Extent::end || write_left_out(buffer));
        }
        if (!write_events(buffer, piece, piece.used))
            return false;
        give_back(buffer, piece);
    }
}

bool write_device_records(const void* records, std::size_t bytes) {
    return describe_paths(write_plain_chunk) &&
           write_plain_chunk(ChunkKind::device_work, records, bytes);
}

void stop_all_threads() {
    __atomic_store_n(&trace_is_written, false, __ATOMIC_SEQ_CST);
    stop_waiting_for_device_room();
    for (EventBuffer* buffer = __atomic_load_n(&event_buffers, __ATOMIC_ACQUIRE); buffer;
         buffer = buffer->next) {
        __atomic_add_fetch(&buffer->taken, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &buffer->taken, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
}

// The lock must be held.
void write_all(Extent extent) {
    if (!__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE))
        return;
    bool good = true;
    for (EventBuffer* buffer = __atomic_load_n(&event_buffers, __ATOMIC_ACQUIRE); buffer && good;
         buffer = buffer->next)
        good = write_buffer(*buffer, extent);
    good = good && write_device_buffer(write_device_records, extent != Extent::full_pieces);
    if (good && clocks_due && file_exists) {
        clocks_due = false;
        good = write_plain_chunk(ChunkKind::clocks, &clocks, sizeof clocks);
    }
    close_trace_file();
    if (!good)
        stop_all_threads();
}

void report_failure() {
    if (failure && !failure_reported) {
        failure_reported = true;
        message("the trace ends at this point: %s: %s",
                file_exists ? file.path() : process_record->trace_file, std::strerror(failure));
    }
}

// The process of the thread that writes, which ends when this changes.
const ProcessRecord* writers_process;

// Writes everything once per second, so that kill -9 does not lose more than that.
void* keep_writing(void* process) {
    prctl(PR_SET_NAME, "vftrace-writer");
    std::uint64_t written_all = monotonic_ns();
    while (__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE) && writers_process == process) {
        timespec second = {1, 0};
        syscall(SYS_futex, &writer_is_called, FUTEX_WAIT_PRIVATE, 0, &second, nullptr, 0);
        __atomic_store_n(&writer_is_called, 0, __ATOMIC_RELEASE);
        if (auto functions = const_cast<FunctionSet*>(tree_settings.precise_functions))
            run_guarded([&] { functions->add_loaded_files(); });
        const bool due = monotonic_ns() - written_all >= 1'000'000'000u;
        if (!lock.lock())
            continue;
        write_all(due ? Extent::everything : Extent::full_pieces);
        lock.unlock();
        if (due)
            written_all = monotonic_ns();
        report_failure();
    }
    return nullptr;
}

}  // namespace

void start_trace(const char* path) {
    file_exists = clocks_due = failure_reported = false;
    file_bytes = 0;
    failure = 0;
    descriptor = -1;
    lock = {};
    writer_is_called = 0;
    forget_described_paths();
    forget_device_buffer();
    __atomic_store_n(&trace_is_written, file.set_path(path), __ATOMIC_RELEASE);
}

void start_trace_writer() {
    if (!trace_is_written)
        return;
    writers_process = process_record;
    const int error = start_hidden_thread(keep_writing, process_record);
    if (error) {
        message("the thread that writes the trace cannot be started (%s): only the first events "
                "are kept",
                std::strerror(error));
        trace_settings.drop_when_full = true;
    }
}

void flush_trace() {
    if (!__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE))
        return;
    int saved_errno = errno;
    if (lock.lock()) {
        write_all(Extent::end);
        lock.unlock();
    }
    errno = saved_errno;
}

void end_trace() {
    if (!__atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE)) {
        report_failure();
        return;
    }
    if (lock.lock()) {
        write_all(Extent::end);
        if (file_exists && !failure)
            write_plain_chunk(ChunkKind::end, nullptr, 0);
        close_trace_file();
        stop_all_threads();
        lock.unlock();
    }
    call_writer();
    report_failure();
}

void note_trace_clocks(const TraceClocks& new_clocks) {
    if (!lock.lock())
        return;
    clocks = new_clocks;
    clocks_due = true;
    lock.unlock();
}

const char* trace_file_path() { return file_exists ? file.path() : nullptr; }

void remove_trace_file() {
    file.remove();
    file_exists = false;
}

TraceLosses trace_losses() {
    TraceLosses losses;
    losses.error = failure;
    losses.dropped_work = dropped_device_work();
    for (const EventBuffer* buffer = __atomic_load_n(&event_buffers, __ATOMIC_ACQUIRE); buffer;
         buffer = buffer->next) {
        losses.dropped_events += __atomic_load_n(&buffer->dropped, __ATOMIC_RELAXED);
        losses.waits += __atomic_load_n(&buffer->waits, __ATOMIC_RELAXED);
        losses.waited_ticks += __atomic_load_n(&buffer->waited_ticks, __ATOMIC_RELAXED);
    }
    return losses;
}

}  // namespace vftrace
