// A run of several processes that communicate by MPI. See processes.hpp.
#include "processes.hpp"

#define OMPI_SKIP_MPICXX 1  // only the C interface
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace shallow_water {

namespace {

int this_rank = 0;
int rank_count = 1;

// The rows of a process are first_row(rank) + 1 to first_row(rank + 1) of the whole grid.
int first_row(int ny, int rank) {
    return static_cast<int>(static_cast<long long>(ny) * rank / rank_count);
}

}  // namespace

Processes::Processes() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &this_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
}

Processes::~Processes() { MPI_Finalize(); }

int process_rank() { return this_rank; }

int process_count() { return rank_count; }

void end_all_processes(int exit_status) {
    MPI_Abort(MPI_COMM_WORLD, exit_status);
    std::abort();
}

Grid part_of_this_process(const Grid& whole) {
    if (whole.ny < rank_count) {
        throw std::invalid_argument(std::to_string(whole.ny) + " rows are too few for " +
                                    std::to_string(rank_count) + " processes");
    }
    Grid part = whole;
    part.rows_below = first_row(whole.ny, this_rank);
    part.ny = first_row(whole.ny, this_rank + 1) - part.rows_below;
    return part;
}

double largest_of_all(double value) {
    double largest = value;
    MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

struct HaloExchange::Messages {
    std::vector<MPI_Request> requests;

    void exchange(double* halo_row, const double* own_row, int size, int neighbour, int send_tag,
                  int receive_tag) {
        MPI_Irecv(halo_row, size, MPI_DOUBLE, neighbour, receive_tag, MPI_COMM_WORLD,
                  &requests.emplace_back());
        MPI_Isend(own_row, size, MPI_DOUBLE, neighbour, send_tag, MPI_COMM_WORLD,
                  &requests.emplace_back());
    }
};

HaloExchange::HaloExchange(std::initializer_list<Field<double>*> fields, bool periodic)
    : messages_(std::make_unique<Messages>()) {
    const int beyond_first = periodic ? rank_count - 1 : MPI_PROC_NULL;
    const int beyond_last = periodic ? 0 : MPI_PROC_NULL;
    const int below = is_first_process() ? beyond_first : this_rank - 1;
    const int above = is_last_process() ? beyond_last : this_rank + 1;
    messages_->requests.reserve(4 * fields.size());
    int tag = 0;  // two per field: for rows that go up, and for rows that go down
    for (Field<double>* field : fields) {
        const int size = field->row_size();
        const int last = field->ny();
        const int up = tag++;
        const int down = tag++;
        messages_->exchange(field->row(0), field->row(1), size, below, down, up);
        messages_->exchange(field->row(last + 1), field->row(last), size, above, up, down);
    }
}

HaloExchange::~HaloExchange() { wait(); }

void HaloExchange::wait() {
    if (messages_->requests.empty()) {
        return;
    }
    MPI_Waitall(static_cast<int>(messages_->requests.size()), messages_->requests.data(),
                MPI_STATUSES_IGNORE);
    messages_->requests.clear();
}

Field<double> gather(const Field<double>& part, const Grid& whole) {
    Field<double> result(is_first_process() ? whole : Grid{});
    std::vector<int> sizes;
    std::vector<int> offsets;
    for (int rank = 0; rank < rank_count; rank++) {
        const int begin = first_row(whole.ny, rank);
        sizes.push_back((first_row(whole.ny, rank + 1) - begin) * part.row_size());
        offsets.push_back(begin * part.row_size());
    }
    MPI_Gatherv(part.row(1), part.ny() * part.row_size(), MPI_DOUBLE, result.row(1), sizes.data(),
                offsets.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return result;
}

}  // namespace shallow_water
