! The functions that most Fortran programs use, through mpif.h (-DBINDING=1), module mpi (2) or
! mpi_f08 (3): with statuses and without, in place, with absolute addresses.

! What expect.h declares.
module expectations
    use, intrinsic :: iso_c_binding
    implicit none

    interface
        subroutine c_rank(rank) bind(c, name="expect_rank")
            import :: c_int
            integer(c_int), value :: rank
        end subroutine
        subroutine c_sent(name, peer, bytes) bind(c, name="expect_sent")
            import :: c_char, c_int, c_long_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: peer
            integer(c_long_long), value :: bytes
        end subroutine
        subroutine c_received(name, peer, bytes) bind(c, name="expect_received")
            import :: c_char, c_int, c_long_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: peer
            integer(c_long_long), value :: bytes
        end subroutine
        subroutine c_collective_sent(name, messages, bytes) bind(c, name="expect_collective_sent")
            import :: c_char, c_int, c_long_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: messages
            integer(c_long_long), value :: bytes
        end subroutine
        subroutine c_collective_received(name, messages, bytes) &
            bind(c, name="expect_collective_received")
            import :: c_char, c_int, c_long_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: messages
            integer(c_long_long), value :: bytes
        end subroutine
        subroutine c_calls(name, calls) bind(c, name="expect_calls")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: calls
        end subroutine
        subroutine c_write() bind(c, name="expect_write")
        end subroutine
        subroutine c_report(what, number) bind(c, name="report_number")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: what(*)
            integer(c_int), value :: number
        end subroutine
    end interface

    integer, parameter :: integer_bytes = storage_size(1) / 8

contains

    ! Sizes are numbers of integers.
    subroutine sent(name, peer, integers)
        character(len=*), intent(in) :: name
        integer, intent(in) :: peer, integers
        call c_sent(name // c_null_char, peer, int(integers * integer_bytes, c_long_long))
    end subroutine

    subroutine received(name, peer, integers)
        character(len=*), intent(in) :: name
        integer, intent(in) :: peer, integers
        call c_received(name // c_null_char, peer, int(integers * integer_bytes, c_long_long))
    end subroutine

    subroutine collective(name, sends, receives, integers)
        character(len=*), intent(in) :: name
        integer, intent(in) :: sends, receives, integers
        integer(c_long_long) :: bytes
        bytes = integers * integer_bytes
        call c_collective_sent(name // c_null_char, sends, bytes)
        call c_collective_received(name // c_null_char, receives, bytes)
    end subroutine

    subroutine calls(name, number)
        character(len=*), intent(in) :: name
        integer, intent(in) :: number
        call c_calls(name // c_null_char, number)
    end subroutine

    subroutine report(what, number)
        character(len=*), intent(in) :: what
        integer, intent(in) :: number
        call c_report(what // c_null_char, number)
    end subroutine
end module

#if BINDING == 3
#define HANDLE(kind) type(kind)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define A_STATUS type(MPI_Status) :: status
#define STATUSES(n) type(MPI_Status) :: statuses(n)
#define NTH(i) statuses(i)
#else
#define HANDLE(kind) integer
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define A_STATUS integer :: status(MPI_STATUS_SIZE)
#define STATUSES(n) integer :: statuses(MPI_STATUS_SIZE, n)
#define NTH(i) statuses(:, i)
#endif

program exchange
    use expectations
#if BINDING == 2
    use mpi
#elif BINDING == 3
    use mpi_f08
#endif
    implicit none
#if BINDING == 1
    include 'mpif.h'
#endif
    integer, parameter :: n = 13, room = 100
    integer :: rank, size, left, right, error
    integer :: numbers(n), got(room)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    call c_rank(rank)
    right = mod(rank + 1, size)
    left = mod(rank + size - 1, size)
    numbers = rank

    call blocking()
    call nonblocking()
    call persistent()
    call collectives()
    call absolute_addresses()
    call calls("mpi_comm_rank", 1)
    call calls("mpi_comm_size", 1)
    call c_write()
    call MPI_Finalize(error)

contains

    subroutine blocking()
        A_STATUS
        integer :: count, round
        got = 0
        do round = 1, 2
            if (rank == 0) then
                call MPI_Send(numbers, n, MPI_INTEGER, right, round, MPI_COMM_WORLD, error)
            end if
            if (round == 1) then
                call MPI_Recv(got, room, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
                              MPI_COMM_WORLD, status, error)
                call MPI_Get_count(status, MPI_INTEGER, count, error)
                call report("source", SOURCE_OF(status))
                call report("tag", TAG_OF(status))
                call report("count", count)
            else
                call MPI_Recv(got, room, MPI_INTEGER, left, round, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, error)
            end if
            call received("mpi_recv", left, n)
            if (rank /= 0) then
                call MPI_Send(numbers, n, MPI_INTEGER, right, round, MPI_COMM_WORLD, error)
            end if
            call sent("mpi_send", right, n)
            call report("sum", sum(got))
        end do
        call calls("mpi_send", 2)
        call calls("mpi_recv", 2)
        call calls("mpi_get_count", 1)

        call MPI_Sendrecv(numbers, 5, MPI_INTEGER, right, 3, got, room, MPI_INTEGER, left, 3, &
                          MPI_COMM_WORLD, status, error)
        call sent("mpi_sendrecv", right, 5)
        call received("mpi_sendrecv", left, 5)
        call report("source", SOURCE_OF(status))
        call MPI_Sendrecv(numbers, 1, MPI_INTEGER, MPI_PROC_NULL, 3, got, room, MPI_INTEGER, &
                          MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call calls("mpi_sendrecv", 2)
    end subroutine

    subroutine nonblocking()
        HANDLE(MPI_Request) :: requests(4)
        A_STATUS
        STATUSES(4)
        integer :: i, index, inbox(room, 2)
        logical :: flag
        inbox = 0
        do i = 1, 2
            call MPI_Irecv(inbox(:, i), room, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i), &
                           error)
            call MPI_Isend(numbers, n - i, MPI_INTEGER, right, i, MPI_COMM_WORLD, &
                           requests(2 + i), error)
            call received("mpi_irecv", left, n - i)
            call sent("mpi_isend", right, n - i)
        end do
        call MPI_Waitall(4, requests, statuses, error)
        do i = 1, 2
            status = NTH(i)
            call report("source", SOURCE_OF(status))
            call report("tag", TAG_OF(status))
        end do
        call MPI_Irecv(inbox(:, 1), room, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(numbers, 0, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2), error)
        call received("mpi_irecv", left, 0)
        call sent("mpi_isend", right, 0)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)

        call MPI_Irecv(inbox(:, 2), room, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &
                       requests(2), error)
        requests(1) = MPI_REQUEST_NULL
        call MPI_Isend(numbers, 2, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(3), error)
        call received("mpi_irecv", left, 2)
        call sent("mpi_isend", right, 2)
        call MPI_Waitany(2, requests, index, status, error)
        call report("index", index)
        call report("tag", TAG_OF(status))
        flag = .false.
        do while (.not. flag)
            call MPI_Test(requests(3), flag, MPI_STATUS_IGNORE, error)
        end do

        call MPI_Irecv(inbox(:, 1), room, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(numbers, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2), error)
        call received("mpi_irecv", left, 1)
        call sent("mpi_isend", right, 1)
        call MPI_Wait(requests(1), status, error)
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
        call report("sum", sum(inbox))
        call calls("mpi_isend", 5)
        call calls("mpi_irecv", 5)
        call calls("mpi_waitall", 2)
        call calls("mpi_waitany", 1)
        call calls("mpi_wait", 2)
    end subroutine

    subroutine persistent()
        HANDLE(MPI_Request) :: requests(2)
        integer :: round
        call MPI_Recv_init(got, room, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(1), error)
        call MPI_Send_init(numbers, n, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(2), error)
        do round = 1, 3
            call MPI_Startall(2, requests, error)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
            call sent("mpi_startall", right, n)
            call received("mpi_startall", left, n)
        end do
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
        call calls("mpi_waitall", 3)
        call calls("mpi_startall", 3)
        call calls("mpi_request_free", 2)
    end subroutine

    subroutine collectives()
        integer :: values(4), others
        logical :: at_root
        at_root = rank == 0
        others = size - 1
        values = rank + [1, 2, 3, 4]
        call MPI_Bcast(values, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        call collective("mpi_bcast", merge(size, 0, at_root), merge(0, 1, at_root), 4)
        call report("bcast", sum(values))
        values = rank + values
        call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call collective("mpi_allreduce", others, others, 4)
        call report("allreduce in place", sum(values))
        call MPI_Allreduce(values(1), got, 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
        call collective("mpi_allreduce", size, size, 4)
        call report("allreduce", got(4))
        if (at_root) then
            got(1) = 77
            call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, &
                            MPI_COMM_WORLD, error)
            call collective("mpi_gather", 0, others, 1)
        else
            call MPI_Gather(numbers(1), 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, &
                            MPI_COMM_WORLD, error)
            call collective("mpi_gather", 1, 0, 1)
        end if
        call report("gather", sum(got(1:size)))
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call calls("mpi_bcast", 1)
        call calls("mpi_allreduce", 2)
        call calls("mpi_gather", 1)
        call calls("mpi_barrier", 1)
    end subroutine

    subroutine absolute_addresses()
        HANDLE(MPI_Datatype) :: type_here, type_there
        integer, target, save :: here(3), there(3)
        integer(MPI_ADDRESS_KIND) :: address(1)
        here = rank + [10, 20, 30]
        there = 0
        call MPI_Get_address(here, address(1), error)
        call MPI_Type_create_hindexed(1, [3], address, MPI_INTEGER, type_here, error)
        call MPI_Type_commit(type_here, error)
        call MPI_Get_address(there, address(1), error)
        call MPI_Type_create_hindexed(1, [3], address, MPI_INTEGER, type_there, error)
        call MPI_Type_commit(type_there, error)
        call MPI_Sendrecv(MPI_BOTTOM, 1, type_here, right, 8, MPI_BOTTOM, 1, type_there, left, 8, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call sent("mpi_sendrecv", right, 3)
        call received("mpi_sendrecv", left, 3)
        call calls("mpi_sendrecv", 1)
        call report("absolute", sum(there))
        call MPI_Type_free(type_here, error)
        call MPI_Type_free(type_there, error)
        call calls("mpi_type_free", 2)
    end subroutine
end program
