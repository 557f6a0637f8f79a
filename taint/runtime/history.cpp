// What every check has seen in earlier runs.
#include "taint/runtime/history.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "taint/runtime/files.hpp"
#include "taint/runtime/frames.hpp"
#include "taint/runtime/parameters.hpp"

namespace vftrace::taint {

bool history_kept;

namespace {

// Consecutive checks of one site by one thread that had the same set.
struct Run {
    Parameters set;
    std::uint64_t count;
};

struct Stream {
    const char* function;  // mangled name
    std::uint32_t thread;
    std::uint32_t site;
    Array<Run> before;   // from earlier runs
    std::size_t place;   // in before
    std::uint64_t used;  // of before[place]
    Array<Run> now;
};

constexpr char magic[] = "vftrace-taint-history 1\n";
constinit Array<Stream*> streams;
constinit Array<Stream*> earlier_streams;
bool continues;
bool matches = true;
char path[4096];

// The streams of a thread, in a table by the function's number.
struct StreamsOfThread {
    Array<Stream**> by_function;
};

Stream* find_earlier(const char* function, std::uint32_t thread, std::uint32_t site) {
    for (Stream* stream : earlier_streams)
        if (stream->thread == thread && stream->site == site &&
            std::strcmp(stream->function, function) == 0)
            return stream;
    return nullptr;
}

Stream& stream_of(Thread& thread, const FunctionRecord& record, std::uint32_t site) {
    const auto* function = static_cast<const Function*>(record.function);
    if (!thread.history)
        thread.history = make<StreamsOfThread>();
    Array<Stream**>& table = static_cast<StreamsOfThread*>(thread.history)->by_function;
    while (table.size <= function->number)
        table.add(nullptr);
    Stream**& of_function = table[function->number];
    if (!of_function)
        of_function = static_cast<Stream**>(
            allocate(sizeof(Stream*) * static_cast<std::size_t>(record.site_count)));
    Stream*& stream = of_function[site];
    if (!stream) {
        stream = find_earlier(record.mangled_name, thread.number, site);
        if (!stream) {
            stream = make<Stream>();
            stream->function = record.mangled_name;
            stream->thread = thread.number;
            stream->site = site;
        }
        streams.add(stream);
    }
    return *stream;
}

bool read_number(std::FILE* file, std::uint64_t& number) {
    return std::fread(&number, sizeof number, 1, file) == 1;
}

void write_number(std::FILE* file, std::uint64_t number) {
    std::fwrite(&number, sizeof number, 1, file);
}

const char* read_text(std::FILE* file) {
    std::uint64_t length = 0;
    if (!read_number(file, length) || length > 1u << 20)
        return nullptr;
    char* text = static_cast<char*>(allocate(length + 1));
    return std::fread(text, 1, length, file) == length ? text : nullptr;
}

void write_text(std::FILE* file, const char* text) {
    write_number(file, std::strlen(text));
    std::fwrite(text, 1, std::strlen(text), file);
}

bool read_names(std::FILE* file) {
    std::uint64_t count = 0;
    if (!read_number(file, count) || count > 63)
        return false;
    Array<const char*> names;
    for (; count != 0; --count) {
        const char* name = read_text(file);
        if (!name)
            return false;
        names.add(name);
    }
    continue_parameters(names.items, names.size);
    return true;
}

bool read_streams(std::FILE* file) {
    std::uint64_t count = 0;
    if (!read_number(file, count))
        return false;
    for (; count != 0; --count) {
        Stream* stream = make<Stream>();
        std::uint64_t thread = 0;
        std::uint64_t site = 0;
        std::uint64_t runs = 0;
        stream->function = read_text(file);
        if (!stream->function || !read_number(file, thread) || !read_number(file, site) ||
            !read_number(file, runs))
            return false;
        stream->thread = static_cast<std::uint32_t>(thread);
        stream->site = static_cast<std::uint32_t>(site);
        for (; runs != 0; --runs) {
            Run run{};
            if (!read_number(file, run.set) || !read_number(file, run.count))
                return false;
            stream->before.add(run);
        }
        earlier_streams.add(stream);
    }
    return true;
}

}  // namespace

void start_history() {
    const char* wanted = std::getenv("VFTR_TAINT_HISTORY");
    if (!wanted || !*wanted)
        return;
    history_kept = true;
    const char* rank = uses_mpi() ? rank_of_launcher() : nullptr;
    std::snprintf(path, sizeof path, "%s%s%s%s%s", *wanted == '/' ? "" : working_directory(),
                  *wanted == '/' ? "" : "/", wanted, rank ? "_" : "", rank ? rank : "");
    std::FILE* file = std::fopen(path, "rbe");
    if (!file)
        return;
    char start[sizeof magic - 1];
    continues = std::fread(start, 1, sizeof start, file) == sizeof start &&
                std::memcmp(start, magic, sizeof start) == 0 && read_names(file) &&
                read_streams(file);
    std::fclose(file);
    if (!continues) {
        message("%s is not a history of an analysis; it is not used", path);
        matches = false;
    }
}

Parameters history_of_check(Thread& thread, const FunctionRecord& record, std::uint32_t site,
                            Parameters set) {
    const Locked locked;
    Stream& stream = stream_of(thread, record, site);
    while (stream.place < stream.before.size && stream.used == stream.before[stream.place].count) {
        ++stream.place;
        stream.used = 0;
    }
    if (stream.place < stream.before.size) {
        set |= stream.before[stream.place].set;
        ++stream.used;
    } else if (continues) {
        matches = false;
    }
    if (stream.now.size != 0 && stream.now[stream.now.size - 1].set == set)
        ++stream.now[stream.now.size - 1].count;
    else
        stream.now.add({set, 1});
    return set;
}

bool write_history() {
    for (const Stream* stream : earlier_streams)
        if (!streams.contains(const_cast<Stream*>(stream)) ||
            stream->place + 1 < stream->before.size ||
            (stream->place < stream->before.size &&
             stream->used < stream->before[stream->place].count))
            matches = false;
    if (!matches) {
        message("the program did not do the same as in the previous run: the labels of the two "
                "cannot be united");
        return false;
    }
    std::FILE* file = std::fopen(path, "wbe");
    if (!file) {
        message("%s cannot be written: %m", path);
        return false;
    }
    std::fwrite(magic, 1, sizeof magic - 1, file);
    write_number(file, parameter_count());
    for (std::size_t i = 0; i < parameter_count(); ++i)
        write_text(file, parameter_name(i));
    write_number(file, streams.size);
    for (const Stream* stream : streams) {
        write_text(file, stream->function);
        write_number(file, stream->thread);
        write_number(file, stream->site);
        write_number(file, stream->now.size);
        for (const Run& run : stream->now) {
            write_number(file, run.set);
            write_number(file, run.count);
        }
    }
    if (std::fclose(file) != 0)
        message("%s cannot be written: %m", path);
    return true;
}

}  // namespace vftrace::taint
