// A run of one process, which has all rows. See processes.hpp.
#include "processes.hpp"

#include <algorithm>
#include <cstdlib>

namespace shallow_water {

Processes::Processes() = default;
Processes::~Processes() = default;

int process_rank() { return 0; }

int process_count() { return 1; }

void end_all_processes(int exit_status) { std::exit(exit_status); }

Grid part_of_this_process(const Grid& whole) { return whole; }

double largest_of_all(double value) { return value; }

struct HaloExchange::Messages {};

// The process is its own neighbour.
HaloExchange::HaloExchange(std::initializer_list<Field<double>*> fields, bool periodic) {
    if (!periodic) {
        return;
    }
    for (Field<double>* field : fields) {
        std::copy_n(field->row(field->ny()), field->row_size(), field->row(0));
        std::copy_n(field->row(1), field->row_size(), field->row(field->ny() + 1));
    }
}

HaloExchange::~HaloExchange() = default;

void HaloExchange::wait() {}

Field<double> gather(const Field<double>& part, const Grid&) { return part; }

}  // namespace shallow_water
