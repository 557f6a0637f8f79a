! Recursion, internal procedures as arguments, the array and input/output routines of the library.
program stack_walks
    implicit none
    real(8) :: matrix(60, 60), total
    character(len=80) :: text
    integer :: turn, number
    total = 0
    do turn = 1, 300
        call random_number(matrix)
        matrix = matmul(matrix, transpose(matrix))
        total = total + sum(matrix) / 1e6
        write (text, '(i6, f12.4, a)') turn, 1.5d0 * turn, ' text'
        read (text(1:6), *) number
        total = total + applied(turned, number) + mod(fibonacci(15), 7)
    end do
    if (total > 0) print '(a)', 'done'
contains
    real(8) function applied(function_of, number)
        interface
            real(8) function function_of(number)
                integer, intent(in) :: number
            end function
        end interface
        integer, intent(in) :: number
        applied = function_of(number)
    end function

    real(8) function turned(number)
        integer, intent(in) :: number
        turned = sin(real(number + turn, 8))
    end function

    recursive integer function fibonacci(n) result(value)
        integer, intent(in) :: n
        if (n < 2) then
            value = n
        else
            value = fibonacci(n - 1) + fibonacci(n - 2)
        end if
    end function
end program
