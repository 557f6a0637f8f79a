// The record of a process and everything that it points to, rebuilt from its tree file.
//
// The result can be passed to code that trusts its input (collate/): every pointer points to an
// object of this process or is nullptr, lists end, parents were created before their children, and
// numbers are valid indices. Everything else in the file is left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "record/file_rows.hpp"
#include "record/gpu_record.hpp"
#include "record/message_figures.hpp"
#include "record/process_record.hpp"
#include "record/series.hpp"
#include "record/side_table.hpp"
#include "recover/file_image.hpp"

namespace vftrace {

// Sets impossible costs of hooks to 0, those of a second or more and those that are not a number,
// and moves dates to between 1970 and 2096, so that sums of times do not overflow.
void make_plausible(ProcessRecord& record);

class RecoveredProcess {
  public:
    // Copies the data that it needs; `image` may be destroyed afterwards.
    explicit RecoveredProcess(const FileImage& image);
    RecoveredProcess(const RecoveredProcess&) = delete;
    RecoveredProcess& operator=(const RecoveredProcess&) = delete;

    // Texts are never nullptr. Threads without a tree are not in the list.
    const ProcessRecord& record() const { return record_; }

    // The number of pieces of the file that could not be interpreted and are missing. A few are to
    // be expected if the process was writing.
    std::uint64_t left_out() const { return left_out_; }

    // The latest recorded moment, in ticks: the begin or end of a call.
    std::uint64_t latest_ticks() const { return latest_ticks_; }

    // Limits times to `longest` ticks, because longer ones are impossible.
    void limit_times(std::uint64_t longest);

    // For a process that is running.
    void set_processor_time(std::uint64_t ns) { record_.processor_ns = ns; }

    // Makes all figures count from the moment at which `mark`, a copy of the same process's file
    // (recover/mark_file.hpp), was read: recording starts there, calls that were open then begin
    // there, and sums are differences. Largest and smallest values remain those since the start.
    void count_from(const RecoveredProcess& mark);
    bool counts_from_mark() const { return counts_from_mark_; }
    // Ticks that the process was paused before the mark.
    std::uint64_t paused_before_mark() const { return paused_before_mark_; }

    // Names a thread that the program has not named.
    void name_thread(std::int32_t tid, const std::string& name);

  private:
    // SideTable and its columns, SideRow and its values, as words.
    using SideWords = std::deque<std::vector<std::uint64_t>>;
    struct Thread {
        ThreadRecord record{};
        std::uint64_t open_until = 0;                 // record.open_until points to it
        std::size_t first_node = 0;                   // in nodes_
        std::vector<std::uint64_t> ticks_of_callees;  // by Node::number; of closed calls
        std::deque<StackSegment> segments;
        std::deque<std::vector<Frame>> frames;
        ThreadMessages messages{};
        std::deque<MessageEntry> entries;
        std::deque<AddressRow> addresses;
        std::deque<LockWaitRow> lock_waits;
        std::deque<LatencyRow> latencies;
        std::deque<HeapSite> heap;
        std::deque<PlacementRow> placement;
        std::deque<FileRow> files;
        SideWords side_words;
        std::vector<CallRatio> call_ratios;
    };

    bool spend(std::size_t bytes);
    const char* keep_text(const char* pointer, const char* otherwise);
    const char* keep_section_name(const char* pointer);
    // Copies an array; it ends at the first element that cannot be read.
    template <class Item, class Count>
    void read_items(Item*& items, Count& count, std::vector<Item>& kept);
    void read_modules();
    void read_unwanted();
    void read_threads();
    void number_threads();
    bool read_nodes(Thread& thread);
    bool read_node(Thread& thread, const Node& found, std::size_t slot);
    void read_segments(Thread& thread);
    void read_frames(Thread& thread, StackSegment& segment);
    void note_open_frame(const Thread& thread, const Frame& frame);
    void note_time(std::uint64_t ticks);
    void read_messages(Thread& thread);
    template <class Row>
    void read_rows(const Thread& thread, Row*& first, std::deque<Row>& kept,
                   std::type_identity_t<const Node * Row::*> node_of_row);
    void read_addresses(Thread& thread);
    void read_lock_waits(Thread& thread);
    void read_latencies(Thread& thread);
    void read_heap(Thread& thread);
    void read_placement(Thread& thread);
    template <class Row, class Keep>
    void read_list(Row*& first, std::deque<Row>& rows, std::size_t most, Keep keep);
    void read_annotations();
    void read_files();  // of the process
    void read_files(Thread& thread);
    void read_side_tables(SideTable*& list, SideWords& words, const Thread* thread);
    void read_side_rows(SideTable& table, SideWords& words, const Thread* thread,
                        const SideRow* next);
    void read_series();
    void read_earlier_sections();
    void read_parameters();
    GpuCallName* gpu_name(const GpuCallName* pointer);
    void read_gpu();
    void connect_threads();
    void connect_messages(Thread& thread);
    void connect_lock_waits(Thread& thread);
    void connect_placement(Thread& thread);
    void count_thread_from(Thread& thread, const RecoveredProcess& mark, const Thread& marked);
    void count_nodes_from(Thread& thread, const RecoveredProcess& mark, const Thread& marked);
    void move_open_calls(Thread& thread, const RecoveredProcess& mark, const Thread& marked);
    void count_messages_from(Thread& thread, const Thread& marked);
    void count_addresses_from(Thread& thread, const Thread& marked);
    void count_lock_waits_from(Thread& thread, const Thread& marked);
    void count_latencies_from(Thread& thread, const Thread& marked);
    void count_heap_from(Thread& thread, const Thread& marked);
    void count_placement_from(Thread& thread, const Thread& marked);
    void count_files_from(Thread& thread, const Thread& marked);
    void count_gpu_from(const RecoveredProcess& mark);
    Node* node_at(const void* pointer);
    bool belongs_to(const Thread& thread, const Node* node) const;

    const FileImage* image_;  // while the constructor runs
    // The number of bytes that may still be copied, at most the size of the file. Ends circular
    // lists.
    std::size_t budget_;
    ProcessRecord record_;
    std::uint64_t left_out_ = 0;
    std::uint64_t latest_ticks_ = 0;
    bool counts_from_mark_ = false;
    std::uint64_t paused_before_mark_ = 0;
    std::deque<Node> nodes_;                 // the nodes of a thread follow each other
    std::vector<std::uint32_t> node_slots_;  // by offset in the file / 64: index into nodes_ + 1
    std::vector<LoadedModule> modules_;
    std::vector<UnwantedFunction> unwanted_;
    std::deque<Thread> threads_;
    SideWords side_words_;
    struct OneSeries {
        SeriesRecord record;
        std::vector<SeriesPoint> points;
    };
    std::deque<OneSeries> series_;
    std::deque<AnnotationRow> annotations_;
    std::deque<FileRecord> files_;
    std::unordered_map<const FileRecord*, FileRecord*> known_files_;  // by address there
    std::vector<EarlierSectionRecord> earlier_sections_;
    std::vector<ParameterRecord> parameters_;
    GpuRecord gpu_{};
    std::deque<GpuCallName> gpu_names_;
    std::deque<GpuPathWork> gpu_work_;
    std::deque<GpuStream> gpu_streams_;
    std::deque<GpuDevice> gpu_devices_;
    std::deque<ConstructTransfers> transfers_;
    std::deque<ConstructDevice> construct_devices_;
    std::unordered_map<const GpuCallName*, GpuCallName*> known_gpu_names_;  // by address there
    std::deque<std::string> texts_;
    std::unordered_map<const char*, const char*> known_texts_;  // by address in the process
};

}  // namespace vftrace
