#include "code/function_code.hpp"

#include <algorithm>
#include <gelf.h>

#include "symbol/elf_symbols.hpp"

namespace vftrace {
namespace {

void add_function(void* functions, std::string_view symbol, std::uint64_t address,
                  std::uint64_t size) {
    static_cast<std::vector<CodeOfFile::Function>*>(functions)->push_back(
        {std::string(symbol), address, size});
}

// From `start` to `end`, or to the end of the section with the code; "" if that is not in the file.
std::string read_code(Elf* elf, std::uint64_t start, std::uint64_t end) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            header.sh_type != SHT_PROGBITS || start < header.sh_addr ||
            start - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data* data = elf_rawdata(section, nullptr);
        const std::uint64_t offset = start - header.sh_addr;
        if (!data || !data->d_buf || offset >= data->d_size)
            return "";
        const std::uint64_t size = std::min<std::uint64_t>(data->d_size - offset, end - start);
        return {static_cast<const char*>(data->d_buf) + offset, size};
    }
    return "";
}

}  // namespace

CodeOfFile::CodeOfFile(const std::string& path) : file_(path) {
    if (!file_.get())
        return;
    visit_functions(path, add_function, &functions_);
    std::stable_sort(
        functions_.begin(), functions_.end(),
        [](const Function& one, const Function& other) { return one.start < other.start; });
}

FunctionCode CodeOfFile::code_of(const Function& function) const {
    // Functions written in assembler may not have a size: they end where the next one begins.
    std::uint64_t end = function.start + function.size;
    if (function.size == 0) {
        const auto next = std::upper_bound(
            functions_.begin(), functions_.end(), function.start,
            [](std::uint64_t start, const Function& other) { return start < other.start; });
        end = next == functions_.end() ? static_cast<std::uint64_t>(-1) : next->start;
    }
    return {function.symbol, function.start,
            file_.get() ? read_code(file_.get(), function.start, end) : ""};
}

FunctionCode CodeOfFile::at(std::uint64_t address) const {
    auto found = std::upper_bound(
        functions_.begin(), functions_.end(), address,
        [](std::uint64_t wanted, const Function& other) { return wanted < other.start; });
    // Symbols may lie inside of others: the one that begins last and contains the address.
    for (int tries = 16; tries > 0 && found != functions_.begin(); tries--) {
        --found;
        if (found->size > 0 && address - found->start >= found->size)
            continue;
        if (FunctionCode code = code_of(*found); address - code.start < code.bytes.size())
            return code;
    }
    return {};
}

}  // namespace vftrace
