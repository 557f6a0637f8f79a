// The processes of a run. Each has a band of whole rows of the grid, the first process the lowest.
// processes_serial.cpp is for one process, processes_mpi.cpp for as many as mpirun starts; one of
// them is linked.
#pragma once

#include "field.hpp"

#include <initializer_list>
#include <memory>

namespace shallow_water {

// Joins the other processes, and leaves them at the end of the scope. One object, made by main.
class Processes {
  public:
    Processes();
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;
};

int process_rank();  // from 0
int process_count();
inline bool is_first_process() { return process_rank() == 0; }
inline bool is_last_process() { return process_rank() == process_count() - 1; }

// Ends all processes, for errors that the others do not know about.
[[noreturn]] void end_all_processes(int exit_status);

// All processes make the calls below together.

// The part of a grid that this process computes. Throws std::invalid_argument if the grid has fewer
// rows than there are processes.
Grid part_of_this_process(const Grid& whole);

// Returns the largest of the values that the processes pass.
double largest_of_all(double value);

// Fills the halo rows of fields with the neighbours' rows. While the rows are on their way, before
// wait(), the interior may be read but must not be written, and the halo rows must not be read.
class HaloExchange {
  public:
    // In a periodic run the first and the last process are also neighbours; otherwise the lower
    // halo row of the first process and the upper one of the last are left as they are.
    HaloExchange(std::initializer_list<Field<double>*> fields, bool periodic);
    ~HaloExchange();
    void wait();

  private:
    struct Messages;
    std::unique_ptr<Messages> messages_;
};

// Returns the field of the whole grid to the first process, and one without cells to the others.
Field<double> gather(const Field<double>& part, const Grid& whole);

}  // namespace shallow_water
