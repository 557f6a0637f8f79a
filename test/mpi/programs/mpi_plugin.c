/* See plugin_host.c. */
#include "places.h"

#include <stddef.h>

__attribute__((visibility("default"))) int run_plugin(void) {
    Place places[place_count];
    int got = -1;
    MPI_Init(NULL, NULL);
    open_places(places);
    const Place* place = &places[0];
    MPI_Sendrecv(&place->rank, 1, MPI_INT, right_of(place), 1, &got, 1, MPI_INT, left_of(place), 1,
                 place->comm, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", right_of(place), sizeof got);
    expect_received("MPI_Sendrecv", left_of(place), sizeof got);
    report("plugin got %d", got);
    close_places(places);
    MPI_Finalize();
    return 0;
}
