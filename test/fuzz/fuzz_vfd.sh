#!/bin/sh
# Fuzzes the reader of vfd files with clang's libFuzzer and the address and undefined-behaviour
# sanitizers: `make fuzz`, for FUZZ_SECONDS (60). New inputs that increase coverage go to
# ./fuzz/corpus, failing ones to ./fuzz. Without a clang that has libFuzzer it only prints a
# message.
#
#   fuzz_vfd.sh SOURCE_FOLDER [OPTIONS OF LIBFUZZER...]
set -eu
source=$1
shift

mkdir -p fuzz/corpus
for compiler in "${FUZZ_CXX:-clang++}" clang++-19 clang++-14; do
    if echo 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
        "$compiler" -x c++ -fsanitize=fuzzer,address,undefined -o fuzz/probe - 2>/dev/null; then
        found=$compiler
        break
    fi
done
if [ -z "${found:-}" ]; then
    echo "fuzz_vfd.sh: no clang with libFuzzer was found; nothing is fuzzed"
    exit 0
fi

cd fuzz
# shellcheck disable=SC2046  # one word per file
"$found" -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -DFMT_HEADER_ONLY -I "$source/src/core" -I "$source/src/tools" -o fuzz_vfd "$source/test/fuzz/fuzz_vfd.cpp" \
    $(for part in readers/vfd_cursor readers/vfd_extension readers/vfd_reader readers/vfd_sample_stream \
        readers/vfd_tables readers/vfd_thread_stream readers/vfd_work_stream readers/vfd_operation_stream \
        readers/device_names waits/analysis waits/blame waits/collective_waits waits/critical_path \
        waits/message_waits waits/run_traces waits/spilled_memory export/clock_alignment export/replay \
        export/trace_stacks export/timeline collate/stids collate/path_hash \
        commands/vfd_text base/links base/new_file base/output_file base/text base/utf8 symbol/cxx_names \
        symbol/cxx_scan symbol/cxx_types symbol/demangle symbol/names profile/display_names profile/kind_words; do
        echo "$source"/src/*/"$part.cpp"
    done)
./fuzz_vfd -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    "$@" corpus "$source/test/fuzz/corpus"
