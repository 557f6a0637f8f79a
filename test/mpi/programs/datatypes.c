/* Messages whose bytes are not count times extent: derived datatypes with gaps, of several basic
   types, of no bytes, freed before the message is complete, and absolute addresses (MPI_BOTTOM). */
#include "places.h"

#include <stddef.h>

typedef struct {
    char letter;
    double number;
    short last;
} Record;

enum { items = 5, true_record_bytes = sizeof(char) + sizeof(double) + sizeof(short) };

static MPI_Datatype record_type(void) {
    int lengths[3] = {1, 1, 1};
    MPI_Aint displacements[3] = {offsetof(Record, letter), offsetof(Record, number),
                                 offsetof(Record, last)};
    MPI_Datatype parts[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, packed, result;
    MPI_Type_create_struct(3, lengths, displacements, parts, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(Record), &result);
    MPI_Type_commit(&result);
    MPI_Type_free(&packed);
    return result;
}

static void records(const Place* place) {
    Record sent[items], got[2 * items];
    MPI_Datatype type = record_type();
    MPI_Status status = FRESH_STATUS;
    int count;
    for (int i = 0; i < items; i++)
        sent[i] = (Record){'a' + i, place->rank + 0.5 * i, i};
    MPI_Sendrecv(sent, items, type, right_of(place), 1, got, 2 * items, type, left_of(place), 1,
                 place->comm, &status);
    expect_sent("MPI_Sendrecv", world_rank(place, right_of(place)), items * true_record_bytes);
    expect_received("MPI_Sendrecv", world_rank(place, left_of(place)), items * true_record_bytes);
    MPI_Get_count(&status, type, &count);
    report("records %d", count);
    MPI_Get_elements(&status, type, &count);
    report("elements %d", count);
    for (int i = 0; i < items; i++)
        report("%c %g %d", got[i].letter, got[i].number, got[i].last);
    MPI_Type_free(&type);
}

/* A column of a matrix, received as a row. */
static void column(const Place* place) {
    int matrix[items][items], row[items] = {0};
    MPI_Datatype type;
    MPI_Request requests[2];
    for (int i = 0; i < items * items; i++)
        matrix[i / items][i % items] = 100 * place->rank + i;
    MPI_Type_vector(items, 1, items, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Isend(&matrix[0][2], 1, type, right_of(place), 2, place->comm, &requests[0]);
    MPI_Irecv(row, items, MPI_INT, left_of(place), 2, place->comm, &requests[1]);
    MPI_Type_free(&type); /* while the message is in transit */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect_sent("MPI_Isend", world_rank(place, right_of(place)), sizeof row);
    expect_received("MPI_Irecv", world_rank(place, left_of(place)), sizeof row);
    report("column %u", checksum(row, sizeof row));
}

static MPI_Datatype absolute_type(int* first, int* second) {
    int lengths[2] = {2, 1};
    MPI_Aint addresses[2];
    MPI_Datatype type;
    MPI_Get_address(first, &addresses[0]);
    MPI_Get_address(second, &addresses[1]);
    MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void absolute_addresses(const Place* place) {
    int here[2] = {place->rank, 2}, there = 3, into[2] = {0}, last = 0;
    MPI_Datatype from = absolute_type(here, &there), to = absolute_type(into, &last);
    int right = world_rank(place, right_of(place)), left = world_rank(place, left_of(place));
    MPI_Sendrecv(MPI_BOTTOM, 1, from, right_of(place), 3, MPI_BOTTOM, 1, to, left_of(place), 3,
                 place->comm, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", right, 3 * sizeof(int));
    expect_received("MPI_Sendrecv", left, 3 * sizeof(int));
    report("absolute %d %d %d", into[0], into[1], last);
    MPI_Bcast(MPI_BOTTOM, 1, from, 0, place->comm);
    expect_collective_sent("MPI_Bcast", place->rank == 0 ? place->size : 0, 3 * sizeof(int));
    expect_collective_received("MPI_Bcast", place->rank == 0 ? 0 : 1, 3 * sizeof(int));
    report("absolute %d %d %d", here[0], here[1], there);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
}

static void type_of_no_bytes(const Place* place) {
    MPI_Datatype type;
    MPI_Status status = FRESH_STATUS;
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(NULL, 1000, type, right_of(place), 4, NULL, 1000, type, left_of(place), 4,
                 place->comm, &status);
    expect_sent("MPI_Sendrecv", world_rank(place, right_of(place)), 0);
    expect_received("MPI_Sendrecv", world_rank(place, left_of(place)), 0);
    report_status("no bytes", place, &status);
    MPI_Type_free(&type);
}

/* One side packs, the other receives doubles. */
static void packed(const Place* place) {
    double numbers[items] = {place->rank, 1.5}, got[items] = {0};
    char buffer[200];
    int position = 0, right = right_of(place), left = left_of(place);
    MPI_Pack(numbers, items, MPI_DOUBLE, buffer, sizeof buffer, &position, place->comm);
    MPI_Sendrecv(buffer, position, MPI_PACKED, right, 5, got, items, MPI_DOUBLE, left, 5,
                 place->comm, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", world_rank(place, right), sizeof numbers);
    expect_received("MPI_Sendrecv", world_rank(place, left), sizeof numbers);
    report("packed %g %g", got[0], got[1]);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        records(&places[p]);
        column(&places[p]);
        absolute_addresses(&places[p]);
        type_of_no_bytes(&places[p]);
        packed(&places[p]);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
