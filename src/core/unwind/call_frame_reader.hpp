// Reads .eh_frame, the tables that describe how to return from each function, from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vftrace {

// Reads numbers in DWARF's encodings from a range of bytes; reads zeros past its end.
class CallFrameReader {
  public:
    CallFrameReader() = default;
    CallFrameReader(const unsigned char* start, std::size_t bytes)
        : next_(start), end_(start + bytes) {}

    bool at_end() const { return next_ >= end_; }
    bool failed() const { return failed_; }
    const unsigned char* place() const { return next_; }

    template <class Number>
    Number fixed() {
        Number value = 0;
        if (has(sizeof value)) {
            std::memcpy(&value, next_, sizeof value);
            next_ += sizeof value;
        }
        return value;
    }
    std::uint8_t byte() { return fixed<std::uint8_t>(); }
    std::uint64_t unsigned_number();  // ULEB128
    std::int64_t signed_number();     // SLEB128
    // An address in one of the encodings that tables use (DW_EH_PE_*); 0 for others.
    std::uintptr_t pointer(std::uint8_t encoding);
    // A block of bytes that begins with its length.
    CallFrameReader block();
    void skip(std::size_t bytes) {
        if (has(bytes))
            next_ += bytes;
    }

  private:
    bool has(std::size_t bytes) {
        if (static_cast<std::size_t>(end_ - next_) >= bytes)
            return true;
        failed_ = true;
        next_ = end_;
        return false;
    }
    const unsigned char* next_ = nullptr;
    const unsigned char* end_ = nullptr;
    bool failed_ = false;
};

// What the functions of one file have in common (CIE).
struct CommonEntry {
    std::uint64_t code_factor = 1;
    std::int64_t data_factor = 1;
    std::uint8_t pointer_encoding = 0;
    bool has_extra_data = false;  // length and bytes before each function's instructions
    bool is_signal_frame = false;
    CallFrameReader instructions;
};

// The entry of one function (FDE).
struct FunctionEntry {
    std::uintptr_t start = 0;
    CommonEntry common;
    CallFrameReader instructions;
};

// The tables of one module in memory.
struct CallFrameTables {
    // Of code of this process, whose tables the loader has found.
    explicit CallFrameTables(const void* eh_frame_header)
        : header(static_cast<const unsigned char*>(eh_frame_header)) {}
    // Of a file that may be damaged: nothing outside of the bytes from `first` to before `end` is
    // read.
    CallFrameTables(const unsigned char* eh_frame_header, const unsigned char* first,
                    const unsigned char* end)
        : header(eh_frame_header), low(reinterpret_cast<std::uintptr_t>(first)),
          high(reinterpret_cast<std::uintptr_t>(end)) {}

    // How many bytes may be read from `start` on.
    std::size_t readable(std::uintptr_t start) const {
        return start >= low && start < high ? high - start : 0;
    }

    const unsigned char* header;  // .eh_frame_hdr
    std::uintptr_t low = 0, high = ~std::uintptr_t{0};
};

// Finds the entry of the function that `pc` lies in. Returns false if there is none.
// Async-signal-safe.
bool find_function_entry(const CallFrameTables& tables, std::uintptr_t pc, FunctionEntry& entry);

}  // namespace vftrace
