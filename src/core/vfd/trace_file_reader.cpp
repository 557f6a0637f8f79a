// Reads the chunks of a .tmpvfd file.
//
// The headers form a chain. Where it breaks, the chunk before is checked as a whole, and the next
// one is searched for at multiples of 8 bytes. A chunk found in this way must have the right
// checksum, because events may look like a header by chance.
#include "vfd/trace_file_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/packed_words.hpp"

namespace vftrace {
namespace {

// No chunk is larger than this, but a damaged header may claim a larger size.
constexpr std::uint64_t most_chunk_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t no_place = ~std::uint64_t{0};
constexpr std::size_t search_bytes = 64 * 1024;

}  // namespace

TraceFileReader::~TraceFileReader() {
    if (descriptor_ >= 0)
        close(descriptor_);
}

bool TraceFileReader::open(const std::string& path) {
    // Nonblocking, so that a pipe without a writer cannot block this process.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return examine();
}

bool TraceFileReader::open(int descriptor) {
    descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return examine();
}

bool TraceFileReader::examine() {
    struct stat information;
    if (descriptor_ < 0 || fstat(descriptor_, &information) != 0) {
        error_ = std::strerror(errno);
        return false;
    }
    if (!S_ISREG(information.st_mode)) {
        error_ = "is not a vftrace trace";
        return false;
    }
    file_bytes_ = static_cast<std::uint64_t>(information.st_size);
    // The most bytes that are read in search of chunks: without a limit, a hostile file could make
    // the search read all of it again for each word.
    search_budget_ = file_bytes_ <= no_place / 8 ? 8 * file_bytes_ : no_place;
    find_chunks();
    search_buffer_ = {};
    if (chunks_.empty())
        error_ =
            file_bytes_ == 0 ? "is empty" : "is not a vftrace trace, or is damaged beyond recovery";
    return !chunks_.empty();
}

bool TraceFileReader::read_at(std::uint64_t offset, void* data, std::size_t bytes) const {
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t length = pread(descriptor_, to, bytes, static_cast<off_t>(offset));
        if (length == 0 || (length < 0 && errno != EINTR))
            return false;
        if (length < 0)
            continue;
        to += length;
        offset += static_cast<std::uint64_t>(length);
        bytes -= static_cast<std::size_t>(length);
    }
    return true;
}

// Whether there is a possible header at this position, with a chunk that is within the file.
bool TraceFileReader::header_at(std::uint64_t offset, ChunkHeader& header) const {
    return offset <= file_bytes_ && file_bytes_ - offset >= sizeof header &&
           read_at(offset, &header, sizeof header) &&
           std::memcmp(header.magic, chunk_magic, sizeof chunk_magic) == 0 &&
           header.version == trace_file_version && header.bytes % 8 == 0 &&
           header.bytes <= most_chunk_bytes && header.bytes <= file_bytes_ - offset - sizeof header;
}

// Whether the payload belongs to the header.
bool TraceFileReader::is_sound(std::uint64_t offset, const ChunkHeader& header) {
    if (header.bytes > search_budget_)
        return false;
    search_budget_ -= header.bytes;
    search_buffer_.resize(header.bytes / sizeof(std::uint64_t));
    return read_at(offset + sizeof header, search_buffer_.data(), header.bytes) &&
           chunk_checksum(header, search_buffer_.data()) == header.checksum;
}

bool TraceFileReader::follows_chunk_or_ends(std::uint64_t offset) const {
    ChunkHeader header;
    return offset == file_bytes_ || header_at(offset, header);
}

std::uint64_t TraceFileReader::next_sound_chunk(std::uint64_t offset, ChunkHeader& header) {
    std::vector<std::uint64_t> piece(search_bytes / sizeof(std::uint64_t));
    std::uint32_t magic;
    std::memcpy(&magic, chunk_magic, sizeof magic);
    while (file_bytes_ - offset >= sizeof header) {
        const std::size_t bytes =
            static_cast<std::size_t>(std::min<std::uint64_t>(search_bytes, file_bytes_ - offset)) &
            ~std::size_t{7};
        if (bytes > search_budget_ || !read_at(offset, piece.data(), bytes))
            break;
        search_budget_ -= bytes;
        for (std::size_t i = 0; i < bytes / sizeof piece[0]; i++) {
            std::uint32_t beginning;
            std::memcpy(&beginning, &piece[i], sizeof beginning);
            if (beginning != magic)
                continue;
            const std::uint64_t place = offset + i * sizeof piece[0];
            if (header_at(place, header) && is_sound(place, header))
                return place;
        }
        offset += bytes;
    }
    return no_place;
}

void TraceFileReader::add(std::uint64_t offset, const ChunkHeader& header) {
    if (header.ticks > latest_ticks_) {
        latest_ticks_ = header.ticks;
        latest_ns_ = header.ns;
    }
    chunks_.push_back({offset + sizeof header, header.bytes, header.base_ticks, header.thread,
                       header.messages, header.kind, false});
}

void TraceFileReader::find_chunks() {
    std::uint64_t offset = 0;
    ChunkHeader header;
    while (offset < file_bytes_) {
        bool found = header_at(offset, header);
        if (found && !follows_chunk_or_ends(offset + sizeof header + header.bytes))
            found = is_sound(offset, header);
        if (!found) {
            lost_pieces_++;
            offset = next_sound_chunk((offset & ~std::uint64_t{7}) + 8, header);
            if (offset == no_place)
                return;
        }
        add(offset, header);
        offset += sizeof header + header.bytes;
    }
}

bool TraceFileReader::load(std::size_t chunk, std::vector<std::uint64_t>& buffer,
                           std::span<const std::uint64_t>& words) {
    const TraceChunk& wanted = chunks_[chunk];
    const bool packed = wanted.kind == ChunkKind::events;
    std::vector<std::uint64_t>& payload = packed ? packed_ : buffer;
    std::size_t count = wanted.bytes / sizeof(std::uint64_t);
    if (payload.size() < count)
        payload.resize(count);
    ChunkHeader header;
    if (!read_at(wanted.offset - sizeof header, &header, sizeof header) ||
        header.bytes != wanted.bytes || !read_at(wanted.offset, payload.data(), wanted.bytes) ||
        chunk_checksum(header, payload.data()) != header.checksum ||
        (packed && !unpack(wanted.bytes, buffer, count))) {
        note_damage(chunk);
        return false;
    }
    words = std::span(buffer).first(count);
    return true;
}

// Unpacks the words of packed_, which has this number of bytes. A word takes at least one byte.
bool TraceFileReader::unpack(std::uint64_t bytes, std::vector<std::uint64_t>& buffer,
                             std::size_t& count) const {
    if (bytes < sizeof(std::uint64_t) || packed_[0] > bytes - sizeof(std::uint64_t))
        return false;
    count = packed_[0];
    if (buffer.size() < count)
        buffer.resize(count);
    return unpack_words(reinterpret_cast<const unsigned char*>(packed_.data() + 1),
                        bytes - sizeof(std::uint64_t), buffer.data(), count);
}

std::uint64_t TraceFileReader::damaged_chunks() const {
    return lost_pieces_ +
           static_cast<std::uint64_t>(std::count_if(chunks_.begin(), chunks_.end(),
                                                    [](const TraceChunk& c) { return c.damaged; }));
}

}  // namespace vftrace
