#!/bin/sh
# Fuzzes all readers of files (readers.hpp) with clang's libFuzzer and the address and undefined-behaviour
# sanitizers: `make fuzz`, each for FUZZ_SECONDS (60), or those that FUZZ_READERS names. New inputs that increase
# coverage go to ./fuzz/corpus, failing ones to ./fuzz. Ends with status 1 if a reader failed. Without a clang that
# has libFuzzer it only prints a message.
#
#   fuzz.sh SOURCE_FOLDER [OPTIONS OF LIBFUZZER...]
set -eu
source=$1
shift

mkdir -p fuzz
# Some versions of clang reject RapidJSON.
for candidate in "${FUZZ_CXX:-clang++}" clang++-14 clang++-19; do
    if printf '%s\n' '#include <rapidjson/document.h>' \
        'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }' |
        "$candidate" -std=c++20 -x c++ -fsanitize=fuzzer,address,undefined -o fuzz/probe - 2>/dev/null; then
        compiler=$candidate
        break
    fi
done
if [ -z "${compiler:-}" ]; then
    echo "fuzz.sh: no clang with libFuzzer was found that compiles RapidJSON; nothing is fuzzed"
    exit 0
fi

checks="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
checks="$checks -fsanitize-ignorelist=$source/test/fuzz/not_checked"
mkdir -p fuzz/instrumented
cd fuzz/instrumented
launcher=
if command -v ccache >/dev/null; then launcher="ccache "; fi
[ -e config.status ] || "$source/configure" --quiet --disable-fortran --without-llvm \
    CC="$launcher$(echo "$compiler" | sed 's/++//')" CXX="$launcher$compiler" \
    CXXFLAGS="-O1 -gline-tables-only -fsanitize=fuzzer-no-link $checks"
make --silent wrappers/mpi_functions.inc
make --silent -j"$(nproc)" libvftrace_core.a libvftrace_tools.a
# shellcheck disable=SC2016  # make replaces the variable
libraries=$(printf 'include Makefile\nprint-libraries:\n\t@echo $(TOOL_LDADD)\n' | make --silent -f - print-libraries)
# shellcheck disable=SC2086  # these are words
"$compiler" -std=c++20 -O1 -gline-tables-only -fsanitize=fuzzer $checks -I "$source/src/core" -I "$source/src/tools" \
    -o ../readers "$source"/test/fuzz/*.cpp $libraries $libraries -ldl -lpthread
cd ..

status=0
for reader in ${FUZZ_READERS:-vfd tree mark trace profile parameters models extrap hosts roll_call log configuration}; do
    mkdir -p "corpus/$reader"
    echo "fuzz.sh: $reader"
    FUZZ_READER=$reader ./readers -max_total_time="${FUZZ_SECONDS:-60}" -max_len=32768 -timeout=10 \
        -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 -artifact_prefix="$reader-" "$@" "corpus/$reader" \
        "$source/test/fuzz/corpus/$reader" || status=1
done
exit $status
