// The readable memory of a loaded module, and the code in it, from its program headers.
#pragma once

#include <cstdint>

struct link_map;

namespace vftrace {

// A range of addresses; empty if there is none.
struct CodeRange {
    std::uintptr_t start = 0, end = 0;
    explicit operator bool() const { return start < end; }
    bool contains(std::uintptr_t address) const { return address - start < end - start; }
};

class ModuleCode {
  public:
    // The module at `address`; none for code generated at run time, and for files whose headers are
    // not in memory. Takes no lock; may be called anywhere.
    static ModuleCode at(std::uintptr_t address);

    explicit operator bool() const { return headers_; }
    std::uintptr_t start() const { return start_; }
    // The segment of readable code that `address` lies in.
    CodeRange code_around(std::uintptr_t address) const;
    // Whether all `bytes` from `address` on may be read.
    bool is_readable(std::uintptr_t address, std::uintptr_t bytes) const;
    // The word at `address`, 0 if it cannot be read. What looks like a slot may lie anywhere in the
    // module's data, where programs with AddressSanitizer have places that must not be read.
    [[gnu::no_sanitize("address")]] std::uintptr_t word_at(std::uintptr_t address) const;
    // The protection (PROT_READ...) that its file requests for `address`; 0 outside.
    int protection(std::uintptr_t address) const;

  private:
    struct Segment {
        CodeRange range;
        std::uint32_t flags;
    };
    Segment segment(std::uintptr_t address) const;

    std::uintptr_t start_ = 0, bias_ = 0;
    const void* headers_ = nullptr;
    unsigned count_ = 0;
};

}  // namespace vftrace
