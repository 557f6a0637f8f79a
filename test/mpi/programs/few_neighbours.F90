! A grid of 2 dimensions in which processes are neighbours of themselves: there are more neighbours than
! processes. BINDING: 1 mpif.h, 2 module mpi, 3 module mpi_f08. Prints what each process has
! received.
#if BINDING == 3
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program few_neighbours
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer :: rank, ranks, i, dims(2), ierr
  HANDLE(MPI_Comm) :: grid
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Datatype) :: sendtypes(4), recvtypes(4)
  integer :: sendcounts(4), recvcounts(4), sent(4), blocking(4), nonblocking(4)
  integer(kind=MPI_ADDRESS_KIND) :: places(4), addresses(4)
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  sendcounts = 1
  recvcounts = 1
  sendtypes = MPI_INTEGER
  recvtypes = MPI_INTEGER
  blocking = -1
  nonblocking = -1
  do i = 1, 4
    sent(i) = 10 * rank + i
    places(i) = 4 * (i - 1)
    call MPI_Get_address(nonblocking(i), addresses(i), ierr)
  end do
  call MPI_Neighbor_alltoallw(sent, sendcounts, places, sendtypes, blocking, recvcounts, places, recvtypes, &
                              grid, ierr)
  call MPI_Ineighbor_alltoallw(sent, sendcounts, places, sendtypes, MPI_BOTTOM, recvcounts, addresses, &
                               recvtypes, grid, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Get_address(nonblocking, addresses(1), ierr) ! so that the compiler reads it again
  print '(a,i0,4(a,i0))', 'blocking ', rank, (' ', blocking(i), i = 1, 4)
  print '(a,i0,4(a,i0))', 'nonblocking ', rank, (' ', nonblocking(i), i = 1, 4)
  call MPI_Finalize(ierr)
end program
