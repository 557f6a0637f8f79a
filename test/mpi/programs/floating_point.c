/* Floating-point exceptions: MPI calls with integers do not raise any, whether they are checked or
   trapped. */
#include "places.h"

#include <fenv.h>
#include <stddef.h>

enum { rounds = 10, bytes = 7 };

int feenableexcept(int);
int fedisableexcept(int);

static void exchange(void) {
    char data[bytes] = {1, 2, 3}, got[bytes] = {0};
    MPI_Request request;
    MPI_Irecv(got, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(data, bytes, MPI_CHAR, 0, 1, got, bytes, MPI_CHAR, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_SELF);
    expect_sent("MPI_Send", 0, bytes);
    expect_received("MPI_Irecv", 0, bytes);
    expect_sent("MPI_Sendrecv", 0, bytes);
    expect_received("MPI_Sendrecv", 0, bytes);
    expect_collective_sent("MPI_Bcast", 1, bytes);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    exchange();
    feclearexcept(FE_ALL_EXCEPT);
    for (int round = 0; round < rounds; round++)
        exchange();
    report("exceptions %x", (unsigned)fetestexcept(FE_ALL_EXCEPT));
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INEXACT);
    for (int round = 0; round < rounds; round++)
        exchange();
    fedisableexcept(FE_INEXACT);
    report("not trapped");
    close_places(places);
    MPI_Finalize();
    return 0;
}
