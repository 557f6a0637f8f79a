#include "files/file_calls.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "files/byte_series.hpp"
#include "files/open_files.hpp"
#include "guest/frame_address.hpp"
#include "record/io_calls.hpp"
#include "tree/activation.hpp"
#include "tree/append_row.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {

// Where the calls of a stream that are only counted are booked, as long as the thread stays in the
// same function.
struct StreamPlace {
    FILE* stream;
    std::uint64_t tag;  // tag_of() then
    const Node* at;     // where the calls are made; in programs without hooks that is not known
    // Of the row; in programs without hooks, `calls` and `bytes`.
    std::uint64_t *row_calls, *row_bytes;
    FileRow* row;
    // Without hooks: not booked yet. The next call of this stream that is timed has a path, and
    // represents those before it.
    std::uint64_t calls, bytes;
};
inline constexpr std::size_t stream_places = 16;
struct ThreadStreams {
    StreamPlace places[stream_places];
};

namespace {

void add_own(std::uint64_t read, std::uint64_t written) {
    if (ProcessRecord* const process = process_record) {
        __atomic_fetch_add(&process->own_read, read, __ATOMIC_RELAXED);
        __atomic_fetch_add(&process->own_written, written, __ATOMIC_RELAXED);
    }
}

// Of the calls that are not in any path.
void add_outside(std::uint64_t read, std::uint64_t written) {
    ProcessRecord* const process = process_record;
    if (thread_state == &busy_thread_state)  // a library that we call
        return add_own(read, written);
    if (!process)
        return;
    __atomic_fetch_add(&process->read_outside, read, __ATOMIC_RELAXED);
    __atomic_fetch_add(&process->written_outside, written, __ATOMIC_RELAXED);
}

// The thread is in its slow path. nullptr without memory.
FileRow* make_row(ThreadState& state, const Node* node, const FileRecord* file) {
    ThreadFiles& files = state.record->files;
    if (files.rows >= most_file_rows)
        file = nullptr;
    if (const FileRowIndex* const known = files.index.find({node, file}))
        return known->row;
    auto* const row = static_cast<FileRow*>(state.arena.allocate_small(sizeof(FileRow)));
    if (!row)
        return nullptr;
    row->node = node;
    row->file = file;
    if (!files.index.find_or_add({row}))
        return nullptr;
    append_row(files, row);
    files.rows++;
    return row;
}

struct Place {
    FileRow* row;
    OpenFile* file;
};

// The row of a call, and its open file, if it has one.
Place place_of(ThreadState& state, const Node* node, const IoCall& call) {
    OpenFile* file = call.file ? nullptr : known_open_file(call.descriptor);
    if (file)
        if (const auto* const known = state.record->files.index.find({node, relaxed(file->file)}))
            return {known->row, file};
    const SlowPath guard(state, call.stack);
    if (call.file)
        return {make_row(state, node, call.file), nullptr};
    if (!file)
        file = open_file(state, call.descriptor);
    return {make_row(state, node, file ? relaxed(file->file) : folder_of(state, call.path)), file};
}

std::size_t size_range(std::uint64_t bytes) {
    return static_cast<std::size_t>(
        std::upper_bound(std::begin(size_limits), std::end(size_limits), bytes) -
        std::begin(size_limits));
}

// Not what threads and processes send each other.
bool is_of_program(const FileRecord& file) {
    return file.kind == FileKind::file || file.kind == FileKind::device;
}

void note_offset(FileRow& row, OpenFile& file, const IoCall& call, std::uint64_t bytes) {
    const bool is_at_position = call.offset == IoCall::at_position;
    const std::uint64_t begin =
        is_at_position ? relaxed(file.position) : static_cast<std::uint64_t>(call.offset);
    const std::uint64_t previous_end = relaxed(file.end), end = begin + bytes;
    const FileRecord& record = *relaxed(file.file);
    add_relaxed(row.placed, 1);
    add_relaxed(row.sequential, begin >= previous_end);
    add_relaxed(row.consecutive, begin == previous_end);
    add_relaxed(row.unaligned, record.block > 0 && begin % record.block != 0);
    set_shared(file.end, end);
    if (is_at_position)
        set_shared(file.position, end);
}

void book_time(FileRow& row, std::uint64_t start, std::uint64_t now) {
    const std::uint64_t ticks = now - start;
    add_relaxed(row.ticks, ticks);
    if (ticks > relaxed(row.longest))
        set_shared(row.longest, ticks);
    if (relaxed(row.first) == 0)
        set_shared(row.first, start);
    set_shared(row.last, now);
}

// The function, and which descriptors were known when it was called.
std::uint64_t tag_of(IoFunction function) {
    constexpr unsigned half = 32;
    return static_cast<std::uint64_t>(relaxed(forgotten_descriptors)) << half |
           static_cast<std::uint64_t>(function);
}

StreamPlace* place_for(const ThreadState& state, const FILE* stream, IoFunction function) {
    ThreadStreams* const own = state.streams;
    const auto address = reinterpret_cast<std::uintptr_t>(stream);
    constexpr unsigned block_shift = 5;  // streams are at least that far apart
    return own ? &own->places[(address >> block_shift ^ static_cast<std::uintptr_t>(function)) %
                              stream_places]
               : nullptr;
}

std::uint64_t& bytes_of(FileRow& row) {
    return io_operation(row.node->key) == IoOperation::read ? row.bytes_read : row.bytes_written;
}

// In programs without hooks: what was counted belongs to the path of this row.
void book_counted(StreamPlace& place) {
    if (!place.row || place.calls == 0)
        return;
    add_relaxed(place.row->buffered, place.calls);
    add_relaxed(bytes_of(*place.row), place.bytes);
    place.calls = place.bytes = 0;
}

// `at`: nullptr: not known.
void set_place(StreamPlace& place, FILE* stream, std::uint64_t tag, const Node* at, FileRow& row) {
    book_counted(place);
    place = {stream, tag, at, &row.buffered, &bytes_of(row), &row, 0, 0};
    if (!at) {
        place.row_calls = &place.calls;
        place.row_bytes = &place.bytes;
    }
}

void keep_place(ThreadState& state, const IoCall& call, FileRow& row) {
    StreamPlace* const place = place_for(state, call.stream, call.function);
    if (!place)
        return;
    const std::uint64_t tag = tag_of(call.function);
    if (place->stream == call.stream && place->tag == tag)
        place->row = &row;  // of the calls before this one, too
    set_place(*place, call.stream, tag, nullptr, row);
}

const Node* call_begins(IoFunction function, std::uintptr_t stack) {
    return enter_activation(io_key(function), NodeKind::io, stack);
}

void book(ThreadState& state, const Node* node, const IoCall& call, std::uint64_t start,
          std::uint64_t now) {
    const auto read = static_cast<std::uint64_t>(call.read),
               written = static_cast<std::uint64_t>(call.written), bytes = read + written;
    const auto [row, file] = place_of(state, node, call);
    if (!row)
        return;
    add_relaxed(row->calls, 1);
    add_relaxed(row->failed, call.failed);
    add_relaxed(row->bytes_read, read);
    add_relaxed(row->bytes_written, written);
    if (bytes > 0)
        add_relaxed(row->sizes[size_range(bytes)], 1);
    if (file && is_of_program(*relaxed(file->file))) {
        add_bytes(read, call.target < 0 ? written : read, now);
        if (call.offset != IoCall::nowhere && !call.failed)
            note_offset(*row, *file, call, bytes);
    }
    if (start != 0)
        book_time(*row, start, now);
    if (call.stream && sampling_calls)
        keep_place(state, call, *row);
    if (call.target < 0)
        return;
    IoCall target = call;
    target.descriptor = call.target;
    if (FileRow* const other = place_of(state, node, target).row) {
        add_relaxed(other->bytes_written, read);
        if (read > 0 && other != row)  // else the call has its size already
            add_relaxed(other->sizes[size_range(read)], 1);
    }
}

void call_ended(const Node* node, const IoCall& call) {
    if (!node)
        return add_outside(static_cast<std::uint64_t>(call.read),
                           static_cast<std::uint64_t>(call.written));
    ThreadState* const state = known_state();
    if (state) {
        const Frame& top = *state->top;
        const std::uint64_t now = tree_ticks();
        book(*state, node, call, top.node == node && top.start > frame_last_kind ? top.start : 0,
             now);
        leave_activation_at(node, call.stack, now);
    } else {
        leave_activation(node, call.stack);
    }
}

// nullptr if nothing is recorded, or without memory.
StreamPlace* find_place(IoFunction function, FILE* stream, std::uintptr_t stack) {
    const Node* const node = make_place(io_key(function), NodeKind::io, stack);
    ThreadState* const state = known_state();
    if (!node || !state)
        return nullptr;
    const SlowPath guard(*state, stack);
    if (!state->streams)
        state->streams =
            static_cast<ThreadStreams*>(state->arena.allocate_small(sizeof(ThreadStreams)));
    StreamPlace* const place = place_for(*state, stream, function);
    const std::uint64_t tag = tag_of(function);
    const OpenFile* const file = open_file(*state, fileno_unlocked(stream));
    FileRow* const row = place && file ? make_row(*state, node, relaxed(file->file)) : nullptr;
    if (!row)
        return nullptr;
    set_place(*place, stream, tag, sampling_calls ? nullptr : state->top->node, *row);
    return place;
}

[[gnu::noinline, gnu::cold]] void count_elsewhere(IoFunction function, FILE* stream,
                                                  std::size_t bytes, std::uintptr_t stack) {
    if (StreamPlace* const place = find_place(function, stream, stack)) {
        add_relaxed(*place->row_calls, 1);
        add_relaxed(*place->row_bytes, bytes);
        return;
    }
    const bool reads = io_operation(io_key(function)) == IoOperation::read;
    add_outside(reads ? bytes : 0, reads ? 0 : bytes);
}

void call_counted(IoFunction function, FILE* stream, std::size_t bytes) {
    const ThreadState* const state = thread_state;
    const StreamPlace* const place = place_for(*state, stream, function);
    if (!place || place->stream != stream || place->tag != tag_of(function) ||
        plain_read(state->ignore_events) || (place->at && place->at != state->top->node))
        [[unlikely]]
        return count_elsewhere(function, stream, bytes, frame_address());
    add_relaxed(*place->row_calls, 1);
    add_relaxed(*place->row_bytes, bytes);
}

void descriptor_moved(int descriptor, long long offset) {
    if (OpenFile* const file = known_open_file(descriptor))
        set_shared(file->position, static_cast<std::uint64_t>(offset));
}

const FileRecord* file_of(int descriptor) {
    const OpenFile* const file = known_open_file(descriptor);
    return file ? relaxed(file->file) : nullptr;
}

IoCalls calls = {.own_begin = 0,
                 .own_end = 0,
                 .begins = call_begins,
                 .ended = call_ended,
                 .counted = call_counted,
                 .file_of = file_of,
                 .closed = forget_descriptors,
                 .own = add_own,
                 .moved = descriptor_moved};

WatchIo* watch_calls;  // of libvftrace_io; nullptr: it is not there, or nobody wants to know

// The linker's names for the beginning and end of what it has linked.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start[], _end[];

void note_own_code() {
    Dl_info found{};
    void* object = nullptr;
    if (dladdr1(__ehdr_start, &found, &object, RTLD_DL_LINKMAP) == 0 || !object ||
        static_cast<const link_map*>(object)->l_name[0] == '\0')
        return;
    calls.own_begin = reinterpret_cast<std::uintptr_t>(__ehdr_start);
    calls.own_end = reinterpret_cast<std::uintptr_t>(_end);
}

}  // namespace

void prepare_file_calls() {
    watch_calls = reinterpret_cast<WatchIo*>(dlsym(RTLD_DEFAULT, "vftrace_watch_io"));
    if (!watch_calls)
        message("io.active: files are not recorded, because libvftrace_io.so is not preloaded "
                "(vftrace run does that)");
    else if (!prepare_open_files())
        watch_calls = nullptr;
}

bool file_calls_are_wanted() { return watch_calls; }

void record_file_calls(bool wanted) {
    if (!watch_calls)
        return;
    note_own_code();
    watch_calls(wanted ? &calls : nullptr);
}

void end_file_calls(ThreadState& state) {
    if (!state.streams)
        return;
    for (StreamPlace& place : state.streams->places)
        book_counted(place);
    *state.streams = {};
}

}  // namespace vftrace
