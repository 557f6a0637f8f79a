! Module vftrace: regions, sections, asynchronous tasks, pause and resume, the current call path, and
! parameters of the run, for Fortran programs.
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
! The routines are those of vftrace.h, vftrace/parameters.h, vftrace/sections.h and vftrace/tasks.h,
! which describe what they do when profiling is off or paused and when they are misused.
!
! The object of this module is part of libvftrace, which C programs link as well, so it must not
! need the Fortran run-time library. Names are therefore copied by hand: trim and adjustl are calls
! of that library, and so are the messages of an allocate without stat.
module vftrace
   use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_int32_t, &
                                          c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
   implicit none
   private

   public :: vftrace_region_begin
   public :: vftrace_region_end
   public :: vftrace_region_hint
   public :: vftrace_epoch
   public :: vftrace_get_stack
   public :: vftrace_pause
   public :: vftrace_resume
   public :: vftrace_restore_hooks
   public :: vftrace_parameter
   public :: vftrace_section_id
   public :: vftrace_section_register
   public :: vftrace_section_begin
   public :: vftrace_section_end
   public :: vftrace_section_data
   public :: vftrace_section_text
   public :: vftrace_section_snapshot
   public :: vftrace_task_id
   public :: vftrace_task_create
   public :: vftrace_task_ready
   public :: vftrace_task_run
   public :: vftrace_task_pause
   public :: vftrace_task_complete
   public :: vftrace_task_fail
   public :: vftrace_task_cancel
   public :: vftrace_task_is_live

   ! A section: see vftrace/sections.h.
   type, bind(c) :: vftrace_section_id
      private
      type(c_ptr) :: section = c_null_ptr
   end type vftrace_section_id

   ! An asynchronous task: see vftrace/tasks.h. All routines ignore a task that has not been created. Copies
   ! refer to the same task.
   type, bind(c) :: vftrace_task_id
      private
      integer(kind=c_int64_t) :: id = 0
   end type vftrace_task_id

   ! The kind of work done in a region, for the report of regions and energy.
   integer, parameter, public :: vftrace_hint_unset = 0
   integer, parameter, public :: vftrace_hint_unknown = 1
   integer, parameter, public :: vftrace_hint_compute = 2
   integer, parameter, public :: vftrace_hint_memory = 3
   integer, parameter, public :: vftrace_hint_network = 4
   integer, parameter, public :: vftrace_hint_io = 5
   integer, parameter, public :: vftrace_hint_serial = 6
   integer, parameter, public :: vftrace_hint_parallel = 7
   integer, parameter, public :: vftrace_hint_ignore = 8
   integer, parameter, public :: vftrace_hint_spin = 9

   ! Figures of a section. Times in seconds, memory in MB (2**20 bytes).
   integer, parameter, public :: vftrace_self = 0
   integer, parameter, public :: vftrace_children = 1
   integer, parameter, public :: vftrace_total = 2
   integer, parameter, public :: vftrace_self_avg = 3
   integer, parameter, public :: vftrace_children_avg = 4
   integer, parameter, public :: vftrace_total_avg = 5
   integer, parameter, public :: vftrace_self_percent = 6
   integer, parameter, public :: vftrace_children_percent = 7
   integer, parameter, public :: vftrace_total_percent = 8
   integer, parameter, public :: vftrace_self_memory = 9
   integer, parameter, public :: vftrace_children_memory = 10
   integer, parameter, public :: vftrace_total_memory = 11
   integer, parameter, public :: vftrace_calls = 12

   ! Errors of vftrace_section_data.
   integer, parameter, public :: vftrace_section_ok = 0
   integer, parameter, public :: vftrace_section_unknown = 1
   integer, parameter, public :: vftrace_section_no_figures = 2
   integer, parameter, public :: vftrace_section_bad_figure = 3
   integer, parameter, public :: vftrace_section_no_memory = 4

   ! Names up to this length, which includes all usual ones, do not need heap memory.
   integer, parameter :: short_name = 256

   ! Records the value of a variable that differs between runs of the program, such as the size of
   ! its input: call vftrace_parameter(variable, name), with an integer or real of 4 or 8 bytes.
   ! Code compiled by gfortran cannot be analysed: this only records the value.
   interface vftrace_parameter
      module procedure parameter_of_int32
      module procedure parameter_of_int64
      module procedure parameter_of_real32
      module procedure parameter_of_real64
   end interface vftrace_parameter

   ! As in enum vftrace_parameter_type.
   integer(kind=c_int), parameter :: parameter_integer = 0
   integer(kind=c_int), parameter :: parameter_real = 2

   interface
      ! Stops recording on all threads until vftrace_resume is called.
      subroutine vftrace_pause() bind(c, name="vftrace_pause")
      end subroutine vftrace_pause

      ! Resumes recording after vftrace_pause.
      subroutine vftrace_resume() bind(c, name="vftrace_resume")
      end subroutine vftrace_resume

      ! Restores the hooks that were removed from functions. Returns their number.
      function vftrace_restore_hooks() bind(c, name="vftrace_restore_hooks") result(calls)
         import :: c_int
         integer(kind=c_int) :: calls
      end function vftrace_restore_hooks
   end interface

   interface
      ! Begin and end a section on the calling thread. vftrace_section_end ends the innermost
      ! activation of this section; sections that began later continue.
      subroutine vftrace_section_begin(id) bind(c, name="vftrace_section_begin")
         import :: vftrace_section_id
         type(vftrace_section_id), value :: id
      end subroutine vftrace_section_begin

      ! Stores the current figures of all sections, to be plotted over label. Returns
      ! vftrace_section_ok, ...
      function vftrace_section_snapshot(label) bind(c, name="vftrace_section_snapshot") &
         result(error)
         import :: c_double, c_int
         real(kind=c_double), value :: label
         integer(kind=c_int) :: error
      end function vftrace_section_snapshot

      subroutine vftrace_section_end(id) bind(c, name="vftrace_section_end")
         import :: vftrace_section_id
         type(vftrace_section_id), value :: id
      end subroutine vftrace_section_end
   end interface

   interface
      ! What the task waits for has happened, ns_ago nanoseconds ago (0: now): it could run since then.
      subroutine vftrace_task_ready(task, ns_ago) bind(c, name="vftrace_task_ready")
         import :: c_int64_t, vftrace_task_id
         type(vftrace_task_id), value :: task
         integer(c_int64_t), value :: ns_ago
      end subroutine vftrace_task_ready

      ! The calling thread runs the task from now on: for the first time, or again after a pause.
      subroutine vftrace_task_run(task) bind(c, name="vftrace_task_run")
         import :: vftrace_task_id
         type(vftrace_task_id), value :: task
      end subroutine vftrace_task_run

      ! The task stops running on the calling thread, and may be run again later.
      subroutine vftrace_task_pause(task) bind(c, name="vftrace_task_pause")
         import :: vftrace_task_id
         type(vftrace_task_id), value :: task
      end subroutine vftrace_task_pause

      ! Ends the task: it succeeded, failed, or is no longer wanted.
      subroutine vftrace_task_complete(task) bind(c, name="vftrace_task_complete")
         import :: vftrace_task_id
         type(vftrace_task_id), value :: task
      end subroutine vftrace_task_complete

      subroutine vftrace_task_fail(task) bind(c, name="vftrace_task_fail")
         import :: vftrace_task_id
         type(vftrace_task_id), value :: task
      end subroutine vftrace_task_fail

      subroutine vftrace_task_cancel(task) bind(c, name="vftrace_task_cancel")
         import :: vftrace_task_id
         type(vftrace_task_id), value :: task
      end subroutine vftrace_task_cancel

      function c_task_create(task_type, file, line) bind(c, name="vftrace_task_create") result(id)
         import :: c_int, c_int64_t, c_ptr
         type(c_ptr), value :: task_type, file
         integer(kind=c_int), value :: line
         integer(kind=c_int64_t) :: id
      end function c_task_create

      function c_task_is_live(task) bind(c, name="vftrace_task_is_live") result(is_live)
         import :: c_int, vftrace_task_id
         type(vftrace_task_id), value :: task
         integer(kind=c_int) :: is_live
      end function c_task_is_live
   end interface

   ! As in struct vftrace_section_table.
   type, bind(c) :: section_table
      integer(kind=c_int) :: level, branch, heaviest, regions, this_thread
   end type section_table

   interface
      function c_section_register(name, level, live_message, print_dots) &
         bind(c, name="vftrace_section_register") result(section)
         import :: c_char, c_int, c_ptr
         character(kind=c_char), intent(in) :: name(*), live_message(*)
         integer(kind=c_int), value :: level, print_dots
         type(c_ptr) :: section
      end function c_section_register

      function c_section_data(figure, name, options, value) bind(c, name="vftrace_section_data") &
         result(error)
         import :: c_char, c_double, c_int
         integer(kind=c_int), value :: figure, options
         character(kind=c_char), intent(in) :: name(*)
         real(kind=c_double), intent(out) :: value
         integer(kind=c_int) :: error
      end function c_section_data

      function c_section_text(table) bind(c, name="vftrace_section_text") result(text)
         import :: c_ptr, section_table
         type(section_table), intent(in) :: table
         type(c_ptr) :: text
      end function c_section_text
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

      subroutine c_region_hint(name, hint) bind(c, name="vftrace_region_hint")
         import :: c_char, c_int
         character(kind=c_char), intent(in) :: name(*)
         integer(kind=c_int), value :: hint
      end subroutine c_region_hint

      ! Begins an epoch: a pass of the outer loop.
      subroutine vftrace_epoch() bind(c, name="vftrace_epoch")
      end subroutine vftrace_epoch

      subroutine c_parameter(variable, size, name, parameter_type) &
         bind(c, name="vftrace_parameter_typed")
         import :: c_char, c_int, c_ptr, c_size_t
         type(c_ptr), value :: variable
         integer(kind=c_size_t), value :: size
         character(kind=c_char), intent(in) :: name(*)
         integer(kind=c_int), value :: parameter_type
      end subroutine c_parameter

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

   ! Begins a region. Trailing blanks of the name are ignored, and leading blanks are moved to its
   ! end: "  padded region " is shown as "padded region  ".
   subroutine vftrace_region_begin(name)
      character(len=*), intent(in) :: name

      call call_with_c_name(c_region_begin, name)
   end subroutine vftrace_region_begin

   ! Ends the innermost open region with this name.
   subroutine vftrace_region_end(name)
      character(len=*), intent(in) :: name

      call call_with_c_name(c_region_end, name)
   end subroutine vftrace_region_end

   ! Sets the hint (vftrace_hint_compute, ...) for regions with this name.
   subroutine vftrace_region_hint(name, hint)
      character(len=*), intent(in) :: name
      integer, intent(in) :: hint
      character(kind=c_char), allocatable :: c_name(:)

      call make_c_text(name, c_name)
      if (allocated(c_name)) call c_region_hint(c_name, int(hint, c_int))
   end subroutine vftrace_region_hint

   subroutine parameter_of_int32(variable, name)
      integer(kind=c_int32_t), intent(in), target :: variable
      character(len=*), intent(in) :: name

      call record_parameter(c_loc(variable), 4, name, parameter_integer)
   end subroutine parameter_of_int32

   subroutine parameter_of_int64(variable, name)
      integer(kind=c_int64_t), intent(in), target :: variable
      character(len=*), intent(in) :: name

      call record_parameter(c_loc(variable), 8, name, parameter_integer)
   end subroutine parameter_of_int64

   subroutine parameter_of_real32(variable, name)
      real(kind=c_float), intent(in), target :: variable
      character(len=*), intent(in) :: name

      call record_parameter(c_loc(variable), 4, name, parameter_real)
   end subroutine parameter_of_real32

   subroutine parameter_of_real64(variable, name)
      real(kind=c_double), intent(in), target :: variable
      character(len=*), intent(in) :: name

      call record_parameter(c_loc(variable), 8, name, parameter_real)
   end subroutine parameter_of_real64

   subroutine record_parameter(variable, bytes, name, parameter_type)
      type(c_ptr), intent(in) :: variable
      integer, intent(in) :: bytes
      character(len=*), intent(in) :: name
      integer(kind=c_int), intent(in) :: parameter_type
      character(kind=c_char), allocatable :: c_name(:)

      call make_c_text(name, c_name)
      if (allocated(c_name)) &
         call c_parameter(variable, int(bytes, c_size_t), c_name, parameter_type)
   end subroutine record_parameter

   ! Returns the current call path, innermost first, for example "inner<outer<MAIN<init". Its last
   ! character is a NUL, which len counts; when profiling is off or finished, this is the only
   ! character. The caller deallocates it. Not associated if memory is exhausted.
   function vftrace_get_stack() result(stack)
      character(len=:), pointer :: stack

      stack => text_of(c_get_stack(), 1)
   end function vftrace_get_stack

   ! Registers a section and returns it; equal names give the same section.
   !
   ! level         0 (of interest to every user) to 6; 1 if absent
   ! live_message  printed if the section takes long
   ! print_dots    .false.: the message is printed when the section has ended
   function vftrace_section_register(name, level, live_message, print_dots) result(id)
      character(len=*), intent(in) :: name
      integer, intent(in), optional :: level
      character(len=*), intent(in), optional :: live_message
      logical, intent(in), optional :: print_dots
      type(vftrace_section_id) :: id
      character(kind=c_char), allocatable :: c_name(:), c_message(:)
      integer(kind=c_int) :: its_level, dots

      its_level = 1
      if (present(level)) its_level = int(level, c_int)
      dots = 1
      if (present(print_dots)) dots = merge(1_c_int, 0_c_int, print_dots)
      call make_c_text(name, c_name)
      if (present(live_message)) then
         call make_c_text(live_message, c_message)
      else
         call make_c_text("", c_message)
      end if
      if (allocated(c_name) .and. allocated(c_message)) &
         id%section = c_section_register(c_name, its_level, c_message, dots)
   end function vftrace_section_register

   ! Returns a figure (vftrace_total, ...) of a section while the program runs; "Root" is the whole
   ! program. 0 for a section that has not run, NaN on errors.
   !
   ! must_exist   .false.: all figures of an unknown section are 0
   ! this_thread  .true.: only what the calling thread did
   ! error        vftrace_section_ok, ...
   function vftrace_section_data(figure, name, must_exist, this_thread, error) result(value)
      integer, intent(in) :: figure
      character(len=*), intent(in) :: name
      logical, intent(in), optional :: must_exist, this_thread
      integer, intent(out), optional :: error
      real(kind=c_double) :: value
      character(kind=c_char), allocatable :: c_name(:)
      integer(kind=c_int) :: options, status

      options = 0
      if (present(this_thread)) options = merge(1_c_int, 0_c_int, this_thread)
      if (present(must_exist)) options = options + merge(0_c_int, 2_c_int, must_exist)
      call make_c_text(name, c_name)
      if (allocated(c_name)) then
         status = c_section_data(int(figure, c_int), c_name, options, value)
      else
         status = c_section_data(-1_c_int, [c_null_char], options, value)  ! sets the NaN
         status = vftrace_section_no_memory
      end if
      if (present(error)) error = status
   end function vftrace_section_data

   ! Returns tables of sections as text, which the caller deallocates. Not associated if nothing is
   ! recorded or memory is exhausted.
   !
   ! level        the highest level in the table; the option section.level if absent; -1: no table
   ! branch       .true.: adds the child that takes most time, from the root down
   ! heaviest     adds this number of sections with the most self time
   ! regions      .true.: regions are shown like sections of level 1
   ! this_thread  .true.: only what the calling thread did
   function vftrace_section_text(level, branch, heaviest, regions, this_thread) result(text)
      integer, intent(in), optional :: level, heaviest
      logical, intent(in), optional :: branch, regions, this_thread
      character(len=:), pointer :: text
      type(section_table) :: table

      table = section_table(0, 0, 0, 0, 0)
      if (present(level)) table%level = int(level, c_int)
      if (present(heaviest)) table%heaviest = int(heaviest, c_int)
      if (present(branch)) table%branch = merge(1_c_int, 0_c_int, branch)
      if (present(regions)) table%regions = merge(1_c_int, 0_c_int, regions)
      if (present(this_thread)) table%this_thread = merge(1_c_int, 0_c_int, this_thread)
      text => text_of(c_section_text(table), 0)
   end function vftrace_section_text

   ! Creates a task, which waits to be run. Its parent is the task that runs on this thread, if any.
   !
   ! task_type   the name of this kind of task, such as the subroutine that runs in it
   ! file, line  where tasks are created (__FILE__, __LINE__); not shown if absent
   function vftrace_task_create(task_type, file, line) result(task)
      character(len=*), intent(in) :: task_type
      character(len=*), intent(in), optional :: file
      integer, intent(in), optional :: line
      type(vftrace_task_id) :: task
      character(kind=c_char), allocatable, target :: c_type(:), c_file(:)
      type(c_ptr) :: place
      integer(kind=c_int) :: its_line

      call make_c_text(task_type, c_type)
      if (.not. allocated(c_type)) return
      place = c_null_ptr
      if (present(file)) then
         call make_c_text(file, c_file)
         if (allocated(c_file)) place = c_loc(c_file)
      end if
      its_line = 0
      if (present(line)) its_line = int(line, c_int)
      task%id = c_task_create(c_loc(c_type), place, its_line)
   end function vftrace_task_create

   ! Returns whether the task belongs to this process and has not ended.
   function vftrace_task_is_live(task) result(is_live)
      type(vftrace_task_id), intent(in) :: task
      logical :: is_live

      is_live = c_task_is_live(task) /= 0
   end function vftrace_task_is_live

   ! Returns a copy of a C string with this number of bytes after its last character, and frees the
   ! original.
   function text_of(c_text, more) result(text)
      type(c_ptr), intent(in) :: c_text
      integer, intent(in) :: more
      character(len=:), pointer :: text
      character(kind=c_char), pointer :: characters(:)
      integer :: i, length, status

      nullify (text)
      if (.not. c_associated(c_text)) return
      length = int(c_length(c_text)) + more
      call c_f_pointer(c_text, characters, [length])
      allocate (character(len=length) :: text, stat=status)
      if (status == 0) then
         do i = 1, length
            text(i:i) = characters(i)
         end do
      end if
      call c_free(c_text)
   end function text_of

   ! Makes a C string from a text; not allocated if memory is exhausted.
   subroutine make_c_text(text, c_text)
      character(len=*), intent(in) :: text
      character(kind=c_char), allocatable, intent(out) :: c_text(:)
      integer :: length, status

      length = trimmed_length(text)
      allocate (c_text(length + 1), stat=status)
      if (status == 0) call copy_name(text, length, c_text)
   end subroutine make_c_text

   ! Calls region with the name as a C string. A long name is truncated if there is no memory for it.
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

   ! Compares codes, because gfortran turns a comparison with " " into a library call.
   pure function is_blank(letter) result(blank)
      character(len=1), intent(in) :: letter
      logical :: blank

      blank = iachar(letter) == iachar(" ")
   end function is_blank

   ! Writes name(1:length) to buffer, with leading blanks moved to the end, and a NUL after it.
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
