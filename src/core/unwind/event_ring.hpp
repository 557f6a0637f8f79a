// The memory that an event of perf_event_open writes its records into.
//
// A ring: the kernel writes at its head, we read at its tail, and records that would overtake the
// tail are lost. Record sizes are multiples of eight bytes, so a word never spans the end.
#pragma once

#include <cstddef>
#include <cstdint>

struct perf_event_attr;

namespace vftrace {

// Bytes in the ring, which may wrap around to its start.
class RingBytes {
  public:
    RingBytes() = default;
    RingBytes(const char* ring, std::uint64_t ring_bytes, std::uint64_t start)
        : ring_(ring), mask_(ring_bytes - 1), start_(start) {}
    // The word that begins `offset` bytes, a multiple of eight, from the start.
    std::uint64_t word(std::uint64_t offset) const {
        return *reinterpret_cast<const std::uint64_t*>(ring_ + ((start_ + offset) & mask_));
    }
    RingBytes from(std::uint64_t offset) const { return {ring_, mask_ + 1, start_ + offset}; }

  private:
    const char* ring_ = nullptr;
    std::uint64_t mask_ = 0, start_ = 0;
};

struct EventRecord {
    std::uint32_t type;   // PERF_RECORD_*
    std::uint16_t flags;  // PERF_RECORD_MISC_*
    std::uint16_t bytes;  // with the header
    RingBytes body;       // what follows the header, `bytes` - header_bytes
    static constexpr std::uint16_t header_bytes = 8;
};

class EventRing {
  public:
    EventRing() = default;
    // A ring that the kernel has set up: a control page (perf_event_mmap_page), then the ring.
    explicit EventRing(void* control) : control_(control) {}

    // Opens an event of a thread (0: the calling one) and maps its ring, of `pages`; the event
    // lives as long as the mapping. Sets what all such events have in common. Returns no ring, with
    // errno set, if the system refuses.
    static EventRing open(perf_event_attr& attributes, int thread, std::size_t pages);
    // Maps the ring of an event: `pages`, a power of two, and a control page, which count towards
    // the user's locked memory. Returns no ring, with errno set, if the system refuses.
    static EventRing map(int file, std::size_t pages);
    // Ends the event too, if its file has been closed.
    void unmap();
    // The same, but another thread may still use the ring: it finds an empty one. Returns false if
    // the system refuses.
    bool replace_by_zeros() const;

    explicit operator bool() const { return control_; }
    // Whether there is nothing to read. Two loads.
    bool is_empty() const;
    // Whether there is no room for a record of this many bytes, so that one may have been lost.
    bool is_full_for(std::uint64_t bytes) const;
    // Calls visit(EventRecord) for what has been written so far, the oldest first. Returns the
    // place up to which release() makes room for more.
    template <class Visitor>
    std::uint64_t look(Visitor visit) const {
        const std::uint64_t end = head();
        std::uint64_t place = tail();
        while (end - place >= EventRecord::header_bytes) {
            const EventRecord record = at(place);
            if (record.bytes < EventRecord::header_bytes || record.bytes > end - place)
                break;  // not something that a kernel writes
            visit(record);
            place += record.bytes;
        }
        return end;
    }
    void release(std::uint64_t place) { set_tail(place); }
    // Both.
    template <class Visitor>
    void read(Visitor visit) {
        release(look(visit));
    }
    void skip_all() { set_tail(head()); }
    // What has been written but not read ends with this record, if that has `bytes` bytes; else its
    // type is 0. For another thread than the one that reads: valid if the kernel has not written
    // more in the meantime (written()).
    EventRecord latest(std::uint16_t bytes) const;
    // How many bytes the kernel has written so far: changes with each record.
    const std::uint64_t* written() const;

  private:
    std::uint64_t head() const;
    std::uint64_t tail() const;
    void set_tail(std::uint64_t place);
    EventRecord at(std::uint64_t place) const;

    void* control_ = nullptr;
};

}  // namespace vftrace
