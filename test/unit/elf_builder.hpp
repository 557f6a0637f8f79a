// Writes small ELF files of every class and byte order, for tests that read them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <gelf.h>
#include <iterator>
#include <libelf.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

// A directory that is removed with everything in it.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        const char* base = std::getenv("TMPDIR");
        path_ = std::string(base && *base ? base : "/tmp") + "/vftrace-test-XXXXXX";
        if (!mkdtemp(path_.data()))
            throw std::runtime_error("no temporary directory");
    }
    ~TemporaryDirectory() {
        if (std::system(("rm -rf '" + path_ + "'").c_str()) != 0)
            std::perror(path_.c_str());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& contents) {
    std::ofstream(path, std::ios::binary) << contents;
}

struct TestSymbol {
    std::string name;
    std::uint64_t address;
    unsigned char binding = STB_GLOBAL;
    unsigned char type = STT_FUNC;
    bool defined = true;
};

struct TestElf {
    int elf_class = ELFCLASS64;
    unsigned char byte_order = ELFDATA2LSB;
    std::vector<TestSymbol> symtab;  // no section without symbols
    std::vector<TestSymbol> dynsym;
    std::string build_id;    // its bytes
    std::string debug_link;  // file name
    std::uint32_t checksum = 0;
};

// libelf keeps pointers into the data until the file is written, so all data live in this object.
class ElfBuilder {
  public:
    ElfBuilder(const TestElf& contents, const std::string& path) {
        elf_version(EV_CURRENT);
        int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
        elf_ = elf_begin(descriptor, ELF_C_WRITE, nullptr);
        if (!elf_ || !gelf_newehdr(elf_, contents.elf_class))
            throw std::runtime_error("cannot write " + path);
        GElf_Ehdr header;
        gelf_getehdr(elf_, &header);
        header.e_ident[EI_DATA] = contents.byte_order;
        header.e_type = ET_DYN;
        header.e_machine = EM_X86_64;
        header.e_version = EV_CURRENT;

        std::string note;
        if (!contents.build_id.empty()) {
            std::uint32_t words[] = {4, static_cast<std::uint32_t>(contents.build_id.size()),
                                     NT_GNU_BUILD_ID};
            note.assign(reinterpret_cast<const char*>(words), sizeof words);
            note += std::string("GNU\0", 4) + contents.build_id;
            note.resize((note.size() + 3) / 4 * 4);
            section(".note.gnu.build-id", SHT_NOTE, note, ELF_T_NHDR);
        }
        std::string text(16, '\xc3');
        section(".text", SHT_PROGBITS, text, ELF_T_BYTE);
        symbols(".symtab", ".strtab", SHT_SYMTAB, contents.symtab, symbol_data_[0], strings_[0]);
        symbols(".dynsym", ".dynstr", SHT_DYNSYM, contents.dynsym, symbol_data_[1], strings_[1]);
        std::string link = contents.debug_link;
        if (!link.empty()) {
            link.resize((link.size() + 4) / 4 * 4);
            for (int i = 0; i < 4; i++) {
                int shift = contents.byte_order == ELFDATA2LSB ? 8 * i : 24 - 8 * i;
                link += static_cast<char>(contents.checksum >> shift);
            }
            section(".gnu_debuglink", SHT_PROGBITS, link, ELF_T_BYTE);
        }
        names_ += std::string(".shstrtab") + '\0';
        header.e_shstrndx = static_cast<GElf_Half>(
            elf_ndxscn(add(names_.size() - 10, SHT_STRTAB, names_, ELF_T_BYTE, 0)));
        gelf_update_ehdr(elf_, &header);
        bool written = elf_update(elf_, ELF_C_WRITE) > 0;
        elf_end(elf_);
        close(descriptor);
        if (!written)
            throw std::runtime_error("cannot write " + path);
    }

  private:
    Elf_Scn* add(std::size_t name, unsigned type, std::string& bytes, Elf_Type data_type,
                 std::size_t link) {
        Elf_Scn* section = elf_newscn(elf_);
        Elf_Data* data = elf_newdata(section);
        data->d_buf = bytes.data();
        data->d_size = bytes.size();
        data->d_type = data_type;
        data->d_align = data_type == ELF_T_SYM ? 8 : 4;
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        header.sh_name = static_cast<GElf_Word>(name);
        header.sh_type = type;
        header.sh_link = static_cast<GElf_Word>(link);
        if (data_type == ELF_T_SYM)
            header.sh_entsize = gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT);
        gelf_update_shdr(section, &header);
        return section;
    }

    Elf_Scn* section(const std::string& name, unsigned type, std::string& bytes, Elf_Type data_type,
                     std::size_t link = 0) {
        std::size_t at = names_.size();
        names_ += name + '\0';
        return add(at, type, bytes, data_type, link);
    }

    void symbols(const std::string& name, const std::string& strings_name, unsigned type,
                 const std::vector<TestSymbol>& list, std::string& bytes, std::string& strings) {
        if (list.empty())
            return;
        strings.assign(1, '\0');
        std::vector<std::size_t> names;
        for (const TestSymbol& symbol : list) {
            names.push_back(strings.size());
            strings += symbol.name + '\0';
        }
        std::size_t link = elf_ndxscn(section(strings_name, SHT_STRTAB, strings, ELF_T_BYTE));
        bytes.assign((list.size() + 1) * gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT), '\0');
        Elf_Data* data = elf_getdata(section(name, type, bytes, ELF_T_SYM, link), nullptr);
        for (std::size_t i = 0; i < list.size(); i++) {
            GElf_Sym symbol{};
            symbol.st_name = static_cast<GElf_Word>(names[i]);
            symbol.st_info =
                static_cast<unsigned char>(GELF_ST_INFO(list[i].binding, list[i].type));
            symbol.st_shndx = list[i].defined ? 1 : SHN_UNDEF;
            symbol.st_value = list[i].address;
            if (!gelf_update_sym(data, static_cast<int>(i) + 1, &symbol))
                throw std::runtime_error("cannot write symbol " + list[i].name);
        }
    }

    Elf* elf_ = nullptr;
    std::string names_ = std::string(1, '\0');
    std::string symbol_data_[2];
    std::string strings_[2];
};

inline void write_elf(const TestElf& contents, const std::string& path) {
    ElfBuilder builder(contents, path);
}
