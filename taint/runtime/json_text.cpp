// A growing text, and JSON in it.
#include "taint/runtime/json_text.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace vftrace::taint {
namespace {

// The number of bytes of the character at this place; 0: it is not UTF-8.
std::size_t length_of_character(const unsigned char* text) {
    if (*text < 0x80)
        return 1;
    if (*text < 0xc2 || *text >= 0xf5)
        return 0;
    const std::size_t length = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
    for (std::size_t i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

}  // namespace

JsonText& JsonText::add(const char* text) {
    for (; *text; ++text)
        bytes.add(*text);
    return *this;
}

JsonText& JsonText::add_number(std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number));
    return add(text);
}

JsonText& JsonText::add_string(const char* text) {
    add("\"");
    while (*text) {
        const auto* place = reinterpret_cast<const unsigned char*>(text);
        const std::size_t length = length_of_character(place);
        char escaped[8];
        if (length == 0) {
            add("\\ufffd");
        } else if (*text == '"' || *text == '\\') {
            std::snprintf(escaped, sizeof escaped, "\\%c", *text);
            add(escaped);
        } else if (*place < 0x20) {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", *place);
            add(escaped);
        } else {
            for (std::size_t i = 0; i < length; ++i)
                bytes.add(text[i]);
        }
        text += length == 0 ? 1 : length;
    }
    return add("\"");
}

JsonText& JsonText::separate() {
    std::size_t place = bytes.size;
    while (place != 0 && (bytes[place - 1] == ' ' || bytes[place - 1] == '\n'))
        --place;
    if (place != 0 && bytes[place - 1] != '[' && bytes[place - 1] != '{')
        add(", ");
    return *this;
}

JsonText& JsonText::key(const char* name) { return separate().add_string(name).add(": "); }

const char* JsonText::c_str() {
    bytes.add('\0');
    --bytes.size;
    return bytes.items;
}

bool JsonText::write_to(const char* path) const {
    const int file = open64(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    std::size_t done = 0;
    while (done < bytes.size) {
        const ssize_t written = write(file, bytes.items + done, bytes.size - done);
        if (written <= 0)
            break;
        done += static_cast<std::size_t>(written);
    }
    return ::close(file) == 0 && done == bytes.size;
}

}  // namespace vftrace::taint
