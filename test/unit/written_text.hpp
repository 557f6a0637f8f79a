// The output of a function to an OutputFile, as a string, or into files.
#pragma once

#include <cstdio>
#include <string>
#include <unistd.h>

#include "base/output_file.hpp"

namespace vftrace::test {

template <class Write>
std::string written_text(Write write) {
    std::FILE* file = std::tmpfile();
    {
        OutputFile out(fileno(file));
        write(out);
    }
    std::string text;
    char buffer[4096];
    lseek(fileno(file), 0, SEEK_SET);
    for (ssize_t bytes; (bytes = read(fileno(file), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(bytes));
    std::fclose(file);
    return text;
}

// Publishes the files that write(files) adds. Returns the error.
template <class Write>
FileFailure published(Write write) {
    NewFiles files;
    write(files);
    return files.publish();
}

}  // namespace vftrace::test
