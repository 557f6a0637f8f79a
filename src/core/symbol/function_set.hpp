// Functions that a regular expression chooses, by address, so that a function can be classified at
// its first call without looking for its name.
#pragma once

#include <cstdint>
#include <regex.h>
#include <string>
#include <vector>

#include "record/file_id.hpp"

namespace vftrace {

// The names of a function that a pattern is compared with. It matches if one of these does.
enum class Compared {
    names,      // the name as in the symbol table, without trailing underscores
    everything  // that, the symbol, the whole C++ name, the file that contains the code and, if
                // names_source_files() returns true, the source file
};

// Whether a pattern may be meant for source files: it has a slash, or a dot before a letter.
// Looking these up takes time.
bool names_source_files(const char* pattern);

class FunctionSet {
  public:
    // `pattern`: a POSIX extended regular expression, not anchored. An invalid one chooses nothing.
    explicit FunctionSet(const char* pattern, Compared compared = Compared::names);
    ~FunctionSet();
    FunctionSet(const FunctionSet&) = delete;
    FunctionSet& operator=(const FunctionSet&) = delete;

    // Adds the functions of all files that are loaded now and were not before, and drops those of
    // files that are no longer loaded. Looks at the executable and at libraries that refer to our
    // hooks: others do not have functions that could be requested. Reads the files; one thread at a
    // time.
    // Costs about 0.1 us per symbol; with Compared::everything 2 us per C++ symbol, and 10 us with
    // source files.
    void add_loaded_files();

    // Whether it has a function that begins at this address of this process. Any thread may call it
    // at any time, also in signal handlers. Costs two binary searches.
    bool contains(std::uintptr_t address) const;

    // Whether it does not contain any function of the files that have been looked at. An invalid
    // expression does not count: it has already been reported.
    bool empty() const;

    // The first address of each file that has been looked at.
    std::vector<std::uintptr_t> file_addresses() const;

    // Whether the file that contains this address has been looked at. May be called whenever
    // contains() may.
    bool knows(std::uintptr_t address) const;

  private:
    struct File {
        std::string path;
        std::uintptr_t bias, start, end;  // load bias; addresses that it occupies
        FileId id;
        bool whole = false;                     // everything in it is chosen
        std::vector<std::uintptr_t> functions;  // else these
    };
    // What contains() reads: replaced as a whole, never changed. Old ones are kept, because another
    // thread may be reading them.
    struct Range {
        std::uintptr_t start, end;
        bool whole;
    };
    struct Index {
        std::vector<Range> files;               // by address
        std::vector<std::uintptr_t> functions;  // by address
    };

    static std::vector<File> loaded_files();
    static std::string code_of(const File& file);
    static const Range* range_at(const Index* index, std::uintptr_t address);
    void choose_functions(File& file) const;
    bool matches(const std::string& text) const;

    regex_t expression_;
    bool valid_, with_source_files_;
    Compared compared_;
    std::uint64_t loads_ = 0;  // of the dynamic loader, when last looked at
    std::vector<File> files_;
    const Index* index_ = nullptr;
};

}  // namespace vftrace
