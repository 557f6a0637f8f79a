// Target of libFuzzer: the reader that the variable FUZZ_READER names (readers.hpp).
#include "readers.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

std::string fuzz::file_with(std::string_view input, unsigned use) {
    static int descriptors[2] = {-1, -1};
    int& descriptor = descriptors[use];
    if (descriptor < 0)
        descriptor = memfd_create("input", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, input.data(), input.size(), 0) != static_cast<ssize_t>(input.size()))
        std::abort();
    return "/proc/self/fd/" + std::to_string(descriptor);
}

namespace {

const fuzz::Reader& wanted_reader() {
    const char* const name = std::getenv("FUZZ_READER");
    for (const fuzz::Reader& reader : fuzz::readers)
        if (name && reader.name == name)
            return reader;
    std::fprintf(stderr, "FUZZ_READER must be one of these:");
    for (const fuzz::Reader& reader : fuzz::readers)
        std::fprintf(stderr, " %s", reader.name.data());
    std::fprintf(stderr, "\n");
    std::exit(1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const fuzz::Reader& reader = wanted_reader();
    reader.read({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
