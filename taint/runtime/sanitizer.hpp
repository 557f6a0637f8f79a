// The interface of the data-flow sanitizer's own run-time library. Labels are sets of eight bits.
#ifndef VFTRACE_TAINT_RUNTIME_SANITIZER_HPP
#define VFTRACE_TAINT_RUNTIME_SANITIZER_HPP

#include <cstddef>
#include <cstdint>

using Label = std::uint8_t;

extern "C" {
void dfsan_add_label(Label label, void* address, std::size_t size);
void dfsan_set_label(Label label, void* address, std::size_t size);
Label dfsan_read_label(const void* address, std::size_t size);
void dfsan_mem_shadow_transfer(void* destination, const void* source, std::size_t size);
void dfsan_clear_arg_tls(std::uintptr_t offset, std::uintptr_t size);
extern thread_local std::uint64_t __dfsan_arg_tls[100] [[gnu::tls_model("initial-exec")]];
extern thread_local std::uint64_t __dfsan_retval_tls[100] [[gnu::tls_model("initial-exec")]];
}

namespace vftrace::taint {

// Whether the label of this address can be read, by the sanitizer's memory layout on x86-64. The
// address may be invalid.
inline bool can_have_labels(const void* address) {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    return number >= 4096 &&
           (number < 0x010000000000 || (number >= 0x510000000000 && number < 0x600000000000) ||
            (number >= 0x700000000000 && number < 0x800000000000));
}

inline Label label_at(const void* address, std::size_t size) {
    const auto* end = static_cast<const char*>(address) + size - 1;
    return size != 0 && can_have_labels(address) && can_have_labels(end)
               ? dfsan_read_label(address, size)
               : Label{0};
}

}  // namespace vftrace::taint

#endif
