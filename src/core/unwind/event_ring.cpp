#include "unwind/event_ring.hpp"

#include <cerrno>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {
namespace {

perf_event_mmap_page& page(void* control) { return *static_cast<perf_event_mmap_page*>(control); }

}  // namespace

EventRing EventRing::open(perf_event_attr& attributes, int thread, std::size_t pages) {
    attributes.size = sizeof attributes;
    attributes.exclude_hv = 1;
    // No thread waits for records, so none needs to be woken.
    attributes.watermark = 1;
    attributes.wakeup_watermark = ~std::uint32_t{0} >> 1;
    const auto file = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (file < 0)
        return {};
    const EventRing ring = map(file, pages);
    const int error = errno;
    syscall(SYS_close, file);  // the mapping keeps the event alive
    errno = error;
    return ring;
}

EventRing EventRing::map(int file, std::size_t pages) {
    const auto page_size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // Writable, because only then does the kernel respect the tail.
    void* control =
        mmap(nullptr, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return EventRing(control == MAP_FAILED ? nullptr : control);
}

void EventRing::unmap() {
    if (control_)
        munmap(control_, page(control_).data_offset + page(control_).data_size);
    control_ = nullptr;
}

bool EventRing::replace_by_zeros() const {
    const std::size_t bytes = page(control_).data_offset + page(control_).data_size;
    // The system call itself, because ThreadSanitizer takes libc's function for writing to the
    // memory.
    return syscall(SYS_mmap, control_, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != -1;
}

std::uint64_t EventRing::head() const {
    return __atomic_load_n(&page(control_).data_head, __ATOMIC_ACQUIRE);
}

std::uint64_t EventRing::tail() const {
    return __atomic_load_n(&page(control_).data_tail, __ATOMIC_RELAXED);
}

void EventRing::set_tail(std::uint64_t place) {
    __atomic_store_n(&page(control_).data_tail, place, __ATOMIC_RELEASE);
}

const std::uint64_t* EventRing::written() const {
    static_assert(sizeof(__u64) == sizeof(std::uint64_t));
    return reinterpret_cast<const std::uint64_t*>(&page(control_).data_head);
}

EventRecord EventRing::latest(std::uint16_t bytes) const {
    const std::uint64_t end = head();
    if (end - tail() < bytes || end - tail() > page(control_).data_size)
        return {};
    const EventRecord record = at(end - bytes);
    return record.bytes == bytes ? record : EventRecord{};
}

bool EventRing::is_empty() const { return head() == tail(); }

bool EventRing::is_full_for(std::uint64_t bytes) const {
    // The kernel never fills the last byte, and writes the number of lost records before the
    // record.
    constexpr std::uint64_t note_of_losses = 64;
    return head() - tail() + bytes + note_of_losses >= page(control_).data_size;
}

EventRecord EventRing::at(std::uint64_t place) const {
    const perf_event_mmap_page& control = page(control_);
    const RingBytes bytes(static_cast<const char*>(control_) + control.data_offset,
                          control.data_size, place);
    // perf_event_header: type, misc, size
    const std::uint64_t header = bytes.word(0);
    return {static_cast<std::uint32_t>(header), static_cast<std::uint16_t>(header >> 32),
            static_cast<std::uint16_t>(header >> 48), bytes.from(EventRecord::header_bytes)};
}

}  // namespace vftrace
