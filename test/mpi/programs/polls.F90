! Waits for messages by MPI_Testsome, with sends so small that they complete at once, sends to
! MPI_PROC_NULL, null requests and many requests.
program polls
    use mpi
    implicit none
    integer, parameter :: rounds = 3, sizes(5) = (/0, 1, 3, 500, 20000/)
    integer :: rank, ranks, error, round, i, k, found, done
    integer :: requests(40), indices(40), statuses(MPI_STATUS_SIZE, 40)
    double precision :: sent(20000), got(20000, 20)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    sent = rank
    do round = 1, rounds
        k = 0
        do i = 1, 5 * mod(round, 3) + 5
            k = k + 1
            call MPI_Irecv(got(1, i), 20000, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), i, &
                           MPI_COMM_WORLD, requests(k), error)
        end do
        do i = 1, 5 * mod(round, 3) + 5
            k = k + 1
            call MPI_Isend(sent, sizes(mod(i, 5) + 1), MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), i, &
                           MPI_COMM_WORLD, requests(k), error)
        end do
        k = k + 1
        call MPI_Isend(sent, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(k), error)
        k = k + 1
        requests(k) = MPI_REQUEST_NULL
        done = 0
        do
            if (mod(round, 2) == 0) then
                call MPI_Testsome(k, requests, found, indices, MPI_STATUSES_IGNORE, error)
            else
                call MPI_Testsome(k, requests, found, indices, statuses, error)
            end if
            if (found == MPI_UNDEFINED) exit
            done = done + found
        end do
        if (done /= k - 1) print *, 'rank', rank, 'has completed', done, 'of', k - 1
    end do
    call MPI_Finalize(error)
end program
