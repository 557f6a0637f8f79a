// The environment that a program passes to one that it executes. The library is preloaded into
// everything that a shell or a launcher starts, including programs that cannot load it (musl, 32
// bits) or need another library before it (AddressSanitizer). Those get a different LD_PRELOAD.
//
// Programs that such a program executes in turn do not get the library either.
#pragma once

#include <alloca.h>
#include <climits>
#include <cstddef>

#include "symbol/program_image.hpp"

namespace vftrace {

// Called once, when the library starts: removes AddressSanitizer's library from LD_PRELOAD if it
// was put there for this program, because it must not be loaded into others.
void prepare_exec_environment();

bool can_be_executed(int folder, const char* path, int flags = 0);

// The file that execvp(name) would execute; stored in `path` if it was found through PATH; nullptr
// if there is none.
const char* find_in_path(const char* name, char (&path)[PATH_MAX]);

// The environment for a program, derived from a given one. Async-signal-safe and allocates nothing:
// exec is called in signal handlers, and in children that share their parent's memory.
class FittingEnvironment {
  public:
    // `path` is the program's file; nullptr if there is none.
    FittingEnvironment(const char* path, char* const* environment);
    FittingEnvironment(const FittingEnvironment&) = delete;
    FittingEnvironment& operator=(const FittingEnvironment&) = delete;

    // False if the environment fits as it is.
    bool is_another() const { return text_bytes_ > 0; }
    // What make() needs: elements of an array, and bytes of text.
    std::size_t entries() const { return entries_ + 1; }
    std::size_t text_bytes() const { return text_bytes_; }
    // Reports on stderr, once, why the program is not profiled.
    void make(char** entries, char* text) const;

  private:
    void report_obstacle() const;

    const char* path_;
    char* const* environment_;
    ProgramImage image_;
    std::size_t entries_ = 0;
    std::size_t preload_ = 0;  // index of LD_PRELOAD
    std::size_t text_bytes_ = 0;
};

// Calls exec(environment) with an environment that fits the program.
template <class Exec>
int with_fitting_environment(const char* path, char* const* environment, Exec exec) {
    const FittingEnvironment fitting(path, environment);
    if (!fitting.is_another())
        return exec(environment);
    auto entries = static_cast<char**>(alloca(fitting.entries() * sizeof(char*)));
    fitting.make(entries, static_cast<char*>(alloca(fitting.text_bytes())));
    return exec(entries);
}

}  // namespace vftrace
