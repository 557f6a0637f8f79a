// Reads signals, for test/runtime/sources/test_signals.py and for examining a machine:
//
//     show_signals [-s /sys] [-p /proc] [-o] [-c READS] REQUESTS
//
// Prints the signals, the problems and the values, and the values again for each line on stdin. -o:
// signals that the machine lacks are optional. -c: prints the microseconds of a reading instead.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "host_signals/signal_reader.hpp"

using namespace vftrace;

namespace {

void show_values(SignalReader& reader) {
    std::vector<double> values(reader.signals().size());
    reader.read(values);
    for (std::size_t i = 0; i < values.size(); i++)
        std::printf("value %s %.17g\n", label(reader.signals()[i]).c_str(), values[i]);
    std::puts("end");
    std::fflush(stdout);
}

void show_cost(SignalReader& reader, int reads) {
    std::vector<double> values(reader.signals().size());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < reads; i++)
        reader.read(values);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("%zu signals: %.2f us\n", values.size(), time.count() / reads);
}

}  // namespace

int main(int argc, char** argv) {
    SignalSettings settings;
    bool required = true;
    int reads = 0;
    for (int option; (option = getopt(argc, argv, "s:p:oc:")) != -1;) {
        if (option == 's')
            settings.system_files = optarg;
        else if (option == 'p')
            settings.processes_files = optarg;
        else if (option == 'o')
            required = false;
        else if (option == 'c')
            reads = std::atoi(optarg);
        else
            return 2;
    }
    std::string error;
    auto requests = signal_requests(optind < argc ? argv[optind] : "", error);
    if (!requests) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 2;
    }
    for (SignalRequest& request : *requests)
        request.required = required;
    SignalReader reader(settings, *requests);
    reader.follow_threads(std::vector<pid_t>{gettid()});
    for (const Signal& signal : reader.signals())
        std::printf("signal %s %s %s\n", label(signal).c_str(), signal.unit,
                    signal.is_sum ? "sum" : "state");
    for (const std::string& problem : reader.problems())
        std::printf("problem %s\n", problem.c_str());
    if (reads > 0) {
        show_cost(reader, reads);
        return 0;
    }
    show_values(reader);
    char line[16];
    while (std::fgets(line, sizeof line, stdin))
        show_values(reader);
    return 0;
}
