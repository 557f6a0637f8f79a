// Memory and a lock for the run-time library, which does not use the C++ library because the
// program may be written in C.
#ifndef VFTRACE_TAINT_RUNTIME_MEMORY_HPP
#define VFTRACE_TAINT_RUNTIME_MEMORY_HPP

#include <cstddef>
#include <new>
#include <type_traits>

namespace vftrace::taint {

// Held, for short times, during access to everything that threads share. take() returns false if
// the thread already holds it, which happens in a signal handler.
class Lock {
  public:
    bool take();
    void release();
};
extern Lock lock;

class Locked {
  public:
    Locked() : taken(lock.take()) {}
    ~Locked() {
        if (taken)
            lock.release();
    }
    Locked(const Locked&) = delete;
    explicit operator bool() const { return taken; }

  private:
    bool taken;
};

// Zeroed memory that is never freed; to be called with the lock held. Ends the program with a
// message if there is no memory.
void* allocate(std::size_t size);
// Pages that cost nothing before they are used; null if there are none.
void* reserve_pages(std::size_t size);

template <typename T>
T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T();
}

// A list in such memory.
template <typename T>
struct Array {
    T* items = nullptr;
    std::size_t size = 0;
    std::size_t room = 0;

    void add(const T& item) {
        if (size == room) {
            const std::size_t new_room = room == 0 ? 4 : 2 * room;
            T* moved = static_cast<T*>(allocate(new_room * sizeof(T)));
            for (std::size_t i = 0; i < size; ++i)
                moved[i] = items[i];
            items = moved;
            room = new_room;
        }
        items[size++] = item;
    }
    bool contains(const T& item) const {
        for (const T& each : *this)
            if (each == item)
                return true;
        return false;
    }
    T& operator[](std::size_t index) { return items[index]; }
    const T& operator[](std::size_t index) const { return items[index]; }
    T* begin() { return items; }
    T* end() { return items + size; }
    const T* begin() const { return items; }
    const T* end() const { return items + size; }
};

// "vftrace: ..." on stderr.
[[gnu::format(printf, 1, 2)]] void message(const char* format, ...);

}  // namespace vftrace::taint

#endif
