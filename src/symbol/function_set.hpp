// Functions that a regular expression chooses, by address: so that it is known what to do with one
// when it is called first, without looking for its name.
#pragma once

#include <cstdint>
#include <regex.h>
#include <vector>

namespace vftrace {

class FunctionSet {
  public:
    // `pattern`: a POSIX extended regular expression, not anchored. One that is none chooses
    // nothing.
    explicit FunctionSet(const char* pattern);
    FunctionSet(const FunctionSet&) = delete;
    FunctionSet& operator=(const FunctionSet&) = delete;

    // Adds the functions of all files that are loaded now and were not before. Names are compared
    // as in the symbol table but for trailing underscores. Reads the files; one thread at a time.
    // Costs some 0.1 us a symbol.
    void add_loaded_files();

    // Whether it has a function that begins at this address of this process. Any thread may ask at
    // any time, in signal handlers too. Costs a binary search.
    bool contains(std::uintptr_t address) const;

  private:
    struct Addresses {
        std::size_t count;
        std::uintptr_t* sorted;
    };

    regex_t expression_;
    bool valid_;
    std::uint64_t loads_ = 0;                  // of the dynamic loader, when last looked at
    std::vector<std::uintptr_t> known_files_;  // their load biases
    const Addresses* addresses_ = nullptr;     // replaced as a whole, never freed
};

}  // namespace vftrace
