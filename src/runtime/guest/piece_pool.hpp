// Pieces of memory of one size, one per thread, many of them in one mapping.
//
// The kernel limits the number of mappings of a process (65,530), and programs have thousands of
// threads. Pieces of threads that have ended are used again.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>

#include "base/arena.hpp"
#include "guest/bounded_lock.hpp"

namespace vftrace {

class PiecePool {
  public:
    // `bytes` of zeroed memory, or nullptr. `bytes` and `before` are whole pages, the same in all
    // calls: prepare(start, number of earlier pieces) is called with the start of the `before`
    // bytes before a new piece.
    template <class Prepare>
    void* take(std::size_t before, std::size_t bytes, Prepare prepare) {
        if (!lock_.lock())
            return nullptr;
        void* piece = free_;
        if (free_) {
            free_ = free_->next;
            *static_cast<Free*>(piece) = {};
        } else if (char* const start = cut(before + bytes)) {
            prepare(start, pieces_++);
            piece = start + before;
        }
        lock_.unlock();
        return piece;
    }
    void* take(std::size_t bytes) {
        return take(0, bytes, [](char*, std::size_t) {});
    }

    void give_back(void* piece, std::size_t bytes) {
        const int saved_errno = errno;
        if (madvise(piece, bytes, MADV_DONTNEED) != 0)  // it is locked
            std::memset(piece, 0, bytes);
        errno = saved_errno;
        if (!lock_.lock())
            return;
        auto* const unused = static_cast<Free*>(piece);
        unused->next = free_;
        free_ = unused;
        lock_.unlock();
    }

  private:
    struct Free {
        Free* next;
    };

    char* cut(std::size_t bytes) {
        constexpr std::size_t most = 64;  // in one mapping
        if (static_cast<std::size_t>(end_ - next_) < bytes) {
            // A program of one thread needs one; one that has many is likely to have still more.
            const std::size_t more = std::clamp<std::size_t>(pieces_, 1, most) * bytes;
            next_ = static_cast<char*>(map_memory(more));
            end_ = next_ ? next_ + more : nullptr;
            if (!next_)
                return nullptr;
        }
        char* const start = next_;
        next_ += bytes;
        return start;
    }

    BoundedLock lock_;
    Free* free_ = nullptr;
    char *next_ = nullptr, *end_ = nullptr;
    std::size_t pieces_ = 0;
};

}  // namespace vftrace
