// Separate debug files, found by the two conventions that GDB knows.
#include "symbol/debug_file.hpp"

#include "symbol/elf_file.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

namespace vftrace {

namespace {

struct DebugLink {
    std::string name;  // of a file, without a directory; "" if there is no link
    std::uint32_t checksum = 0;
};

// The section holds the name, a NUL, padding to four bytes and the checksum.
DebugLink read_debug_link(const ElfFile& file) {
    DebugLink link;
    Elf_Scn* section = file.find_section(".gnu_debuglink");
    Elf_Data* data = section ? elf_rawdata(section, nullptr) : nullptr;
    GElf_Ehdr header;
    if (!data || !data->d_buf || !gelf_getehdr(file.get(), &header))
        return link;
    const char* text = static_cast<const char*>(data->d_buf);
    std::size_t length = strnlen(text, data->d_size);
    std::size_t at = (length + 4) & ~std::size_t{3};
    if (length == 0 || at > data->d_size || data->d_size - at < 4)
        return link;
    for (std::size_t i = 0; i < 4; i++) {
        std::size_t shift = header.e_ident[EI_DATA] == ELFDATA2MSB ? 24 - 8 * i : 8 * i;
        link.checksum |= std::uint32_t{static_cast<unsigned char>(text[at + i])} << shift;
    }
    std::string_view name(text, length);
    if (name.find('/') == std::string_view::npos && name != "." && name != "..")
        link.name = name;
    return link;
}

constexpr std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; i++) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value;
    }
    return table;
}

// CRC-32 as in .gnu_debuglink; false if the file cannot be read to its end.
bool checksum_fits(const std::string& path, std::uint32_t expected) {
    static constexpr std::array<std::uint32_t, 256> table = crc_table();
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return false;
    std::uint32_t crc = 0xffffffff;
    unsigned char buffer[16 * 1024];
    ssize_t got;
    while ((got = read(descriptor, buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < got; i++)
            crc = table[(crc ^ buffer[i]) & 0xff] ^ crc >> 8;
    close(descriptor);
    return got == 0 && ~crc == expected;
}

// `link` is null for a candidate that was found by its build id.
bool belongs_together(const std::string& candidate, const std::string& build_id,
                      const DebugLink* link) {
    ElfFile file(candidate);
    if (!file.get())
        return false;
    std::string found = file.build_id();
    if (!build_id.empty() && !found.empty())
        return found == build_id;
    return link && checksum_fits(candidate, link->checksum);
}

// The directory of `path` with its last '/', "" for a bare name.
std::string directory_of(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/') + 1));  // npos + 1 == 0
}

}  // namespace

std::string debug_file_of(std::string_view build_id, std::string_view root) {
    if (build_id.size() <= 2)
        return {};
    return std::string(root) + "/.build-id/" + std::string(build_id.substr(0, 2)) + "/" +
           std::string(build_id.substr(2)) + ".debug";
}

std::string find_debug_file(const ElfFile& file, const std::string& path, std::string_view root) {
    std::string build_id = file.build_id();
    if (std::string candidate = debug_file_of(build_id, root);
        !candidate.empty() && belongs_together(candidate, build_id, nullptr))
        return candidate;
    DebugLink link = read_debug_link(file);
    if (link.name.empty())
        return {};
    // The directory as the program named it, then without symbolic links: /lib may be /usr/lib.
    std::string directories[2] = {directory_of(path), {}};
    if (char* resolved = realpath(path.c_str(), nullptr)) {
        directories[1] = directory_of(resolved);
        std::free(resolved);
    }
    for (const std::string& directory : directories) {
        if (&directory == &directories[1] && (directory.empty() || directory == directories[0]))
            break;
        std::string candidates[] = {directory + link.name, directory + ".debug/" + link.name,
                                    std::string(root) + "/" + directory + link.name};
        for (const std::string& candidate : candidates)
            if (belongs_together(candidate, build_id, &link))
                return candidate;
    }
    return {};
}

}  // namespace vftrace
