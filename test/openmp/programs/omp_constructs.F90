! Fortran: regions, loops, workshare, tasks, locks and critical regions, in a team of two.
module parts
    implicit none
    integer :: total = 0
contains
    subroutine leaf()
        !$omp atomic
        total = total + 1
    end subroutine

    subroutine static_loop()
        integer :: i
        !$omp parallel do num_threads(2) schedule(static)
        do i = 1, 10
            call leaf()
        end do
        !$omp end parallel do
    end subroutine

    subroutine dynamic_loop()
        integer :: i
        !$omp parallel do num_threads(2) schedule(dynamic)
        do i = 1, 10
            call leaf()
        end do
        !$omp end parallel do
    end subroutine

    subroutine synchronised()
        use omp_lib
        integer(omp_lock_kind) :: lock
        call omp_init_lock(lock)
        !$omp parallel num_threads(2)
        !$omp critical
        call leaf()
        !$omp end critical
        call omp_set_lock(lock)
        call leaf()
        call omp_unset_lock(lock)
        !$omp barrier
        !$omp end parallel
        call omp_destroy_lock(lock)
    end subroutine

    subroutine tasks()
        integer :: i
        !$omp parallel num_threads(2)
        !$omp single
        do i = 1, 5
            !$omp task
            call leaf()
            !$omp end task
        end do
        !$omp end single
        !$omp end parallel
    end subroutine
end module

program constructs
    use parts
    implicit none
    call static_loop()
    call dynamic_loop()
    call synchronised()
    call tasks()
    print *, total
end program
