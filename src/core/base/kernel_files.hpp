// What the kernel says in /proc about processes and the host.
//
// Uses only system calls and little stack, so that signal handlers may call it; errno stays as it
// is. Each function needs one descriptor for a moment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vftrace {

// An open file, read by system calls instead of libc's functions, which are cancellation points.
class SystemCallFile {
  public:
    explicit SystemCallFile(const char* path);
    ~SystemCallFile();
    SystemCallFile(const SystemCallFile&) = delete;
    SystemCallFile& operator=(const SystemCallFile&) = delete;

    // One read. Returns the number of bytes; 0 at the end, or if the file cannot be read.
    std::size_t read(std::span<char> buffer) const;

  private:
    const int saved_errno_, descriptor_;
};

// The first bytes of a file, as many as fit; empty if it cannot be read.
std::string_view start_of_file(const char* path, std::span<char> buffer);

// The fields of /proc/PID/stat that are used (proc(5)).
struct ProcessStat {
    char state = '?';  // 'R', 'S', 'D', 'T', 'Z', ...
    std::int64_t parent = 0;
    std::uint64_t flags = 0;  // PF_... of linux/sched.h
    std::uint64_t threads = 0;
    std::uint64_t start = 0;  // clock ticks after boot

    // A main thread that has ended is also a zombie while other threads continue.
    bool has_ended() const { return (state == 'Z' || state == 'X') && threads <= 1; }
};

// nullopt if the text is not one of such a file.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// nullopt if there is no such process or thread, or if it may not be read. `thread`: of this
// process; 0: the process.
std::optional<ProcessStat> process_stat(std::int64_t process, std::int64_t thread = 0);

// When a process was started, in clock ticks after boot: distinguishes it from a later one with the
// same number. 0 if there is no such process, or if none of its threads runs any more.
std::uint64_t process_start(std::int64_t process);

// The inode of the namespace in which this process's number is valid; 0 if it is not known.
std::uint64_t own_pid_namespace();

// Identifies the host's current boot, which hosts with equal names do not share; empty if it cannot
// be read.
std::string_view boot_id(std::span<char, 64> buffer);

// The program's arguments, each with its NUL; argv is not available yet when a library starts.
// Allocates.
std::string own_arguments(std::size_t most_bytes);

}  // namespace vftrace
