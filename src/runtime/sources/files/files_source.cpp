// The source `files`.
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "files/byte_series.hpp"
#include "files/file_calls.hpp"
#include "files/open_files.hpp"
#include "service/process_bytes.hpp"
#include "tree/own_record.hpp"
#include "tree/source.hpp"

namespace vftrace {

namespace {

void prepare(const Options& options) {
    if (options.io_active)
        prepare_file_calls();
}

void process_begins() {
    if (file_calls_are_wanted())
        begin_byte_series();
}

// Recording begins last, because other sources look at files when the program begins. What was read
// and written before was for us.
void begin() {
    if (!file_calls_are_wanted())
        return;
    if (process_record) {  // else it will be made at the first event
        const ProcessBytes before = bytes_since_start();
        set_shared(process_record->own_read, before.read);
        set_shared(process_record->own_written, before.written);
    }
    record_file_calls(true);
}

void forget_parent() {
    forget_files();
    forget_byte_series();
}

void finish(ThreadState* own) {
    record_file_calls(false);
    end_byte_series();
    if (own)
        end_file_calls(*own);
}

}  // namespace

constexpr Source files_source = {.prepare = prepare,
                                 .process_begins = process_begins,
                                 .begin = begin,
                                 .thread_ends = end_file_calls,
                                 .forget_parent = forget_parent,
                                 .finish = finish};

}  // namespace vftrace
