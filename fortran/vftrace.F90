! Module vftrace: regions, pause and resume, and the current call path, for Fortran programs.
!
! Example
!
!     program example
!        use vftrace
!        implicit none
!        character(len=:), pointer :: stack
!        call vftrace_region_begin("time loop")
!        call advance()
!        stack => vftrace_get_stack()
!        print "(a)", stack(:len(stack) - 1)     ! time loop<MAIN<init
!        deallocate (stack)
!        call vftrace_region_end("time loop")
!     end program
!
!     $ vftrace-fc example.f90 -o example && ./example
!
! The routines are those of vftrace.h, which says what they do when profiling is off or paused and
! when they are misused.
!
! The object of this module lies in libvftrace, which C programs link as well: it must not need the
! Fortran run-time library. So names are copied by hand here: trim and adjustl are calls of that
! library, and so are the messages behind an allocate without stat.
module vftrace
   use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, &
                                          c_ptr, c_size_t
   implicit none
   private

   public :: vftrace_region_begin
   public :: vftrace_region_end
   public :: vftrace_get_stack
   public :: vftrace_pause
   public :: vftrace_resume
   public :: vftrace_restore_hooks

   ! Names up to this length, which is every sensible one, need no memory from the heap.
   integer, parameter :: short_name = 256

   interface
      ! Stops recording, on all threads, until vftrace_resume.
      subroutine vftrace_pause() bind(c, name="vftrace_pause")
      end subroutine vftrace_pause

      ! Takes up recording after vftrace_pause.
      subroutine vftrace_resume() bind(c, name="vftrace_resume")
      end subroutine vftrace_resume

      ! Puts the calls of the profiler back into the functions that it took them out of. Returns how
      ! many.
      function vftrace_restore_hooks() bind(c, name="vftrace_restore_hooks") result(calls)
         import :: c_int
         integer(kind=c_int) :: calls
      end function vftrace_restore_hooks
   end interface

   interface
      subroutine c_region_begin(name) bind(c, name="vftrace_region_begin")
         import :: c_char
         character(kind=c_char), intent(in) :: name(*)
      end subroutine c_region_begin

      subroutine c_region_end(name) bind(c, name="vftrace_region_end")
         import :: c_char
         character(kind=c_char), intent(in) :: name(*)
      end subroutine c_region_end

      function c_get_stack() bind(c, name="vftrace_get_stack") result(text)
         import :: c_ptr
         type(c_ptr) :: text
      end function c_get_stack

      function c_length(text) bind(c, name="strlen") result(length)
         import :: c_ptr, c_size_t
         type(c_ptr), value :: text
         integer(kind=c_size_t) :: length
      end function c_length

      subroutine c_free(memory) bind(c, name="free")
         import :: c_ptr
         type(c_ptr), value :: memory
      end subroutine c_free
   end interface

   abstract interface
      subroutine region_function(name) bind(c)
         import :: c_char
         character(kind=c_char), intent(in) :: name(*)
      end subroutine region_function
   end interface

contains

   ! Begins a region. Blanks at the end of the name do not count, and blanks at its front are moved
   ! to its end: "  padded region " is shown as "padded region  ".
   subroutine vftrace_region_begin(name)
      character(len=*), intent(in) :: name

      call call_with_c_name(c_region_begin, name)
   end subroutine vftrace_region_begin

   ! Ends the innermost open region of that name.
   subroutine vftrace_region_end(name)
      character(len=*), intent(in) :: name

      call call_with_c_name(c_region_end, name)
   end subroutine vftrace_region_end

   ! Returns the current call path, innermost first, for example "inner<outer<MAIN<init". Its last
   ! character is a NUL, which len counts; when profiling is off or finished there is nothing else.
   ! The caller deallocates it. Not associated if memory is exhausted.
   function vftrace_get_stack() result(stack)
      character(len=:), pointer :: stack
      character(kind=c_char), pointer :: characters(:)
      type(c_ptr) :: text
      integer :: i, length, status

      nullify (stack)
      text = c_get_stack()
      if (.not. c_associated(text)) return
      length = int(c_length(text)) + 1
      call c_f_pointer(text, characters, [length])
      allocate (character(len=length) :: stack, stat=status)
      if (status == 0) then
         do i = 1, length
            stack(i:i) = characters(i)
         end do
      end if
      call c_free(text)
   end function vftrace_get_stack

   ! Calls region with name as C has it. A long name is cut if there is no memory for it.
   subroutine call_with_c_name(region, name)
      procedure(region_function) :: region
      character(len=*), intent(in) :: name
      character(kind=c_char) :: buffer(short_name + 1)
      character(kind=c_char), allocatable :: long_buffer(:)
      integer :: length, status

      length = trimmed_length(name)
      if (length > short_name) then
         allocate (long_buffer(length + 1), stat=status)
         if (status == 0) then
            call copy_name(name, length, long_buffer)
            call region(long_buffer)
            return
         end if
         length = short_name
      end if
      call copy_name(name, length, buffer)
      call region(buffer)
   end subroutine call_with_c_name

   ! Returns the length of name without the blanks at its end.
   pure function trimmed_length(name) result(length)
      character(len=*), intent(in) :: name
      integer :: length

      do length = len(name), 1, -1
         if (.not. is_blank(name(length:length))) return
      end do
      length = 0
   end function trimmed_length

   ! Compares codes, since gfortran makes a library call of a comparison with " ".
   pure function is_blank(letter) result(blank)
      character(len=1), intent(in) :: letter
      logical :: blank

      blank = iachar(letter) == iachar(" ")
   end function is_blank

   ! Writes name(1:length) to buffer, leading blanks moved to the end, and a NUL behind it.
   pure subroutine copy_name(name, length, buffer)
      character(len=*), intent(in) :: name
      integer, intent(in) :: length
      character(kind=c_char), intent(out) :: buffer(length + 1)
      integer :: i, blanks

      blanks = 0
      do while (blanks < length)
         if (.not. is_blank(name(blanks + 1:blanks + 1))) exit
         blanks = blanks + 1
      end do
      do i = 1, length - blanks
         buffer(i) = name(blanks + i:blanks + i)
      end do
      do i = length - blanks + 1, length
         buffer(i) = " "
      end do
      buffer(length + 1) = c_null_char
   end subroutine copy_name
end module vftrace
