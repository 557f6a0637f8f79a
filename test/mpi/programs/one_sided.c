/* One-sided communication with all kinds of synchronisation, atomic updates and requests, on
   windows of different communicators. What a rank does to another rank is only recorded by its own
   calls. */
#include "places.h"

enum { ints = 6, window_ints = 32 };

static const long size_of_int = sizeof(int);

static void report_window(const char* what, const int* memory) {
    report("%s: %u", what, checksum(memory, window_ints * size_of_int));
}

static void both(const char* function, int peer, long bytes) {
    expect_sent(function, peer, bytes);
    expect_received(function, peer, bytes);
}

/* Between fences, every rank sends to the right and to MPI_PROC_NULL. */
static void fenced(const Place* place, MPI_Win window, int* memory) {
    int right = right_of(place), peer = world_rank(place, right);
    int data[ints] = {place->rank, 2, 3, 4, 5, 6}, got[ints] = {0};
    MPI_Win_fence(0, window);
    MPI_Put(data, ints, MPI_INT, right, 0, ints, MPI_INT, window);
    expect_sent("MPI_Put", peer, ints * size_of_int);
    MPI_Put(data, ints, MPI_INT, MPI_PROC_NULL, 0, ints, MPI_INT, window);
    MPI_Get(got, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window);
    MPI_Put(data, 0, MPI_INT, right, 0, 0, MPI_INT, window);
    expect_sent("MPI_Put", peer, 0);
    MPI_Win_fence(0, window);
    MPI_Get(got, ints - 1, MPI_INT, right, 0, ints - 1, MPI_INT, window);
    expect_received("MPI_Get", peer, (ints - 1) * size_of_int);
    MPI_Accumulate(data, ints, MPI_INT, right, 8, ints, MPI_INT, MPI_SUM, window);
    expect_sent("MPI_Accumulate", peer, ints * size_of_int);
    MPI_Win_fence(0, window);
    report("got %u", checksum(got, sizeof got));
    report_window("fenced", memory);
}

static void locked(const Place* place, MPI_Win window, int* memory) {
    int right = right_of(place), peer = world_rank(place, right);
    int data[ints] = {place->rank, 1, 1, 1, 1, 1}, got[ints] = {0}, one = 1, compare = 7, old;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    MPI_Get_accumulate(data, ints, MPI_INT, got, ints, MPI_INT, right, 16, ints, MPI_INT, MPI_SUM,
                       window);
    both("MPI_Get_accumulate", peer, ints * size_of_int);
    MPI_Win_flush(right, window);
    report("get_accumulate %u", checksum(got, sizeof got));
    MPI_Fetch_and_op(&one, &old, MPI_INT, right, 24, MPI_SUM, window);
    both("MPI_Fetch_and_op", peer, size_of_int);
    MPI_Win_flush(right, window);
    report("fetch_and_op %d", old);
    MPI_Compare_and_swap(&one, &compare, &old, MPI_INT, right, 25, window);
    both("MPI_Compare_and_swap", peer, size_of_int);
    MPI_Win_unlock(right, window);
    report("compare_and_swap %d", old);
    MPI_Barrier(place->comm);
    MPI_Win_lock(MPI_LOCK_SHARED, place->rank, 0, window);
    report_window("locked", memory);
    MPI_Win_unlock(place->rank, window);
    MPI_Barrier(place->comm);
}

static void with_requests(const Place* place, MPI_Win window, int* memory) {
    int right = right_of(place), peer = world_rank(place, right);
    int data[ints] = {place->rank, 9, 8, 7, 6, 5}, got[2][ints] = {{0}};
    MPI_Request requests[2];
    MPI_Win_lock_all(0, window);
    MPI_Rput(data, ints, MPI_INT, right, 0, ints, MPI_INT, window, &requests[0]);
    expect_sent("MPI_Rput", peer, ints * size_of_int);
    MPI_Raccumulate(data, 2, MPI_INT, right, 8, 2, MPI_INT, MPI_SUM, window, &requests[1]);
    expect_sent("MPI_Raccumulate", peer, 2 * size_of_int);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Rget(got[0], ints, MPI_INT, right, 0, ints, MPI_INT, window, &requests[0]);
    expect_received("MPI_Rget", peer, ints * size_of_int);
    MPI_Rget_accumulate(data, 3, MPI_INT, got[1], 3, MPI_INT, right, 16, 3, MPI_INT, MPI_SUM,
                        window, &requests[1]);
    both("MPI_Rget_accumulate", peer, 3 * size_of_int);
    for (int i = 0; i < 2; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    report("got %u", checksum(got, sizeof got));
    MPI_Barrier(place->comm);
    report_window("requests", memory);
    MPI_Barrier(place->comm);
}

/* Post, start, complete, wait: the group contains only the neighbour. */
static void active_target(const Place* place, MPI_Win window, int* memory) {
    int right = right_of(place), left = left_of(place);
    int data[ints] = {place->rank, 5, 5, 5, 5, 5};
    MPI_Group all, of_left, of_right;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, &left, &of_left);
    MPI_Group_incl(all, 1, &right, &of_right);
    MPI_Win_post(of_left, 0, window);
    MPI_Win_start(of_right, 0, window);
    MPI_Put(data, 3, MPI_INT, right, 4, 3, MPI_INT, window);
    expect_sent("MPI_Put", world_rank(place, right), 3 * size_of_int);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&all);
    MPI_Group_free(&of_left);
    MPI_Group_free(&of_right);
    report_window("active target", memory);
    MPI_Barrier(place->comm);
}

/* The sizes are those at the origin, of the true data. */
static void derived(const Place* place, MPI_Win window, int* memory) {
    int data[ints] = {1, 2, 3, 4, 5, 6}, right = right_of(place);
    MPI_Datatype every_other;
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Win_fence(0, window);
    MPI_Put(data, 1, every_other, right, 26, 3, MPI_INT, window);
    expect_sent("MPI_Put", world_rank(place, right), 3 * size_of_int);
    MPI_Type_free(&every_other);
    MPI_Win_fence(0, window);
    report_window("derived", memory);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        const Place* place = &places[p];
        int* memory;
        MPI_Win window;
        MPI_Win_allocate(window_ints * size_of_int, sizeof(int), MPI_INFO_NULL, place->comm,
                         &memory, &window);
        for (int i = 0; i < window_ints; i++)
            memory[i] = i == 25 ? 7 : 10 * place->rank + i;
        fenced(place, window, memory);
        MPI_Barrier(place->comm);
        locked(place, window, memory);
        with_requests(place, window, memory);
        active_target(place, window, memory);
        derived(place, window, memory);
        MPI_Win_free(&window);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
