! An OpenMP team works on a large array, which the first thread has filled ("serial"), or each thread the part that it
! uses ("parallel"). Prints the sum.
program first_touch
    implicit none
    integer, parameter :: number = 8 * 1024 * 1024, rounds = 120
    real(8), allocatable :: field(:)
    real(8) :: total
    character(len=16) :: how

    call get_command_argument(1, how)
    call make_field(how == "parallel")
    call add_up(total)
    print '(f0.0)', total
    deallocate (field)

contains

    subroutine make_field(in_parallel)
        logical, intent(in) :: in_parallel
        integer :: i
        allocate (field(number))
        !$omp parallel do schedule(static) if (in_parallel)
        do i = 1, number
            field(i) = 1d0
        end do
    end subroutine make_field

    subroutine add_up(total)
        real(8), intent(out) :: total
        integer :: i, round
        total = 0
        do round = 1, rounds
            !$omp parallel do schedule(static) reduction(+:total)
            do i = 1, number
                total = total + field(i)
            end do
        end do
    end subroutine add_up

end program first_touch
