/* The delete callback of an attribute, in code that is not instrumented, frees a communicator whose
   handle MPI reuses for another one with a different order of ranks. */
#include "places.h"

#include <stddef.h>

enum { tries = 8 };

__attribute__((no_instrument_function)) static int free_inner(MPI_Comm comm, int keyval,
                                                              void* attribute, void* extra) {
    (void)comm;
    (void)keyval;
    (void)extra;
    return MPI_Comm_free(attribute);
}

/* To the next rank of a communicator in which mine is `rank`. */
static void shift(const Place* place, MPI_Comm comm, int mirrored) {
    int rank, got = -1, last = place->size - 1;
    MPI_Comm_rank(comm, &rank);
    int right = (rank + 1) % place->size, left = (rank + last) % place->size;
    MPI_Sendrecv(&place->rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, comm,
                 MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", mirrored ? last - right : right, sizeof got);
    expect_received("MPI_Sendrecv", mirrored ? last - left : left, sizeof got);
    report("mirrored %d: got %d", mirrored, got);
}

int main(int argc, char** argv) {
    static MPI_Comm inner;
    Place places[place_count];
    MPI_Comm outer, mirrored[tries];
    int keyval;
    MPI_Init(&argc, &argv);
    open_places(places);
    const Place* place = &places[0];
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &outer);
    MPI_Comm_dup(MPI_COMM_WORLD, &inner);
    MPI_Comm old = inner;
    MPI_Comm_set_attr(outer, keyval, &inner);
    shift(place, inner, 0);
    MPI_Comm_free(&outer);
    int again = 0;
    for (int i = 0; i < tries; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -place->rank, &mirrored[i]);
        again |= mirrored[i] == old;
        shift(place, mirrored[i], 1);
    }
    report("same handle: %d", again);
    for (int i = 0; i < tries; i++)
        MPI_Comm_free(&mirrored[i]);
    MPI_Comm_free_keyval(&keyval);
    close_places(places);
    MPI_Finalize();
    return 0;
}
