// Tree files, of dead and of running processes, marks and traces.
#include "readers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/output_file.hpp"
#include "live/live_tree.hpp"
#include "profile/profile_json.hpp"
#include "recover/process_clock.hpp"
#include "recover/recovered_process.hpp"
#include "recover/recovered_profile.hpp"
#include "recover/trace_recovery.hpp"
#include "report/text_log.hpp"

using namespace vftrace;

namespace {

// With the beginning that every version checks first, which the corpus need not be renewed for.
std::vector<char> as_tree(std::string_view input) {
    std::vector<char> contents(input.begin(), input.end());
    contents.resize(std::max(contents.size(), offsetof(ProcessRecord, address)));
    const std::uint32_t layout = process_record_layout, bytes = sizeof(ProcessRecord);
    std::memcpy(contents.data() + offsetof(ProcessRecord, magic), process_record_magic,
                sizeof process_record_magic);
    std::memcpy(contents.data() + offsetof(ProcessRecord, layout), &layout, sizeof layout);
    std::memcpy(contents.data() + offsetof(ProcessRecord, record_bytes), &bytes, sizeof bytes);
    return contents;
}

void write_profile(RecoveredProcess& process, Occasion occasion) {
    const Profile profile = recovered_profile(process, occasion);
    OutputFile nowhere("/dev/null");
    write_text_log(profile, report_options(options_of(process.record())), LogScope::rank, nowhere);
    write_profile_json(profile, "/dev/null");
}

void watch(const std::vector<char>& contents) {
    const std::string path = fuzz::file_with({contents.data(), contents.size()});
    LiveNames names;
    try {
        LiveTree tree({1234, 1, "program", path, ""}, names);
        tree.refresh();
        tree.refresh();
    } catch (const TreeFileError&) {
    }
}

}  // namespace

void fuzz::read_tree(std::string_view input) {
    const std::vector<char> contents = as_tree(input);
    try {
        RecoveredProcess process(FileImage(contents, "input"));
        write_profile(process, Occasion::end);
    } catch (const TreeFileError&) {
    }
    watch(contents);
}

// The first two bytes are the length of the mark.
void fuzz::read_mark(std::string_view input) {
    if (input.size() < 2)
        return;
    const std::size_t length = std::min<std::size_t>(static_cast<unsigned char>(input[0]) |
                                                         static_cast<unsigned char>(input[1]) << 8,
                                                     input.size() - 2);
    try {
        const RecoveredProcess mark(FileImage(as_tree(input.substr(2, length)), "mark"));
        RecoveredProcess process(FileImage(as_tree(input.substr(2 + length)), "input"));
        process.count_from(mark);
        write_profile(process, Occasion::snapshot);
    } catch (const TreeFileError&) {
    }
}

void fuzz::read_trace(std::string_view input) {
    static const std::string output = "trace_" + std::to_string(getpid());
    RecoveryRequest request;
    try {
        TraceInWork trace(file_with(input), request);
        std::remove(trace.write(output).c_str());
    } catch (const TreeFileError&) {
    }
}
