! Rank 2 comes late: rank 0 waits for its message, and all wait for it at a barrier.
program late_ranks
    use mpi
    implicit none
    integer :: rank, number, ierror, request, status(MPI_STATUS_SIZE)

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    number = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (rank == 2) then
        call late_work()
        call MPI_Send(number, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierror)
        call late_work()
    else if (rank == 0) then
        call MPI_Irecv(number, 1, MPI_INTEGER, 2, 1, MPI_COMM_WORLD, request, ierror)
        call MPI_Wait(request, status, ierror)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)

contains

    subroutine late_work()
        double precision :: start
        start = MPI_Wtime()
        do while (MPI_Wtime() - start < 0.1d0)
        end do
    end subroutine late_work

end program late_ranks
