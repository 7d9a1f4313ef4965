! The constants and derived types of the headers in include/ashlar, where each is documented.
module ashlar_types
    use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_funptr, c_int, c_int64_t, c_null_char, &
        c_null_funptr, c_null_ptr, c_ptr, c_size_t
    implicit none
    private

    enum, bind(c)
        enumerator :: ASHLAR_OK = 0, ASHLAR_ERR_ARG = 1, ASHLAR_ERR_MEMORY = 2, ASHLAR_ERR_LIMIT = 3
        enumerator :: ASHLAR_ERR_OVERFLOW = 4, ASHLAR_ERR_MPI = 5, ASHLAR_ERR_IO = 6, ASHLAR_ERR_UNSUPPORTED = 7
        enumerator :: ASHLAR_ERR_INTERNAL = 8, ASHLAR_ERR_INTERRUPTED = 9, ASHLAR_ERR_DEVICE = 10
    end enum
    public :: ASHLAR_OK, ASHLAR_ERR_ARG, ASHLAR_ERR_MEMORY, ASHLAR_ERR_LIMIT, ASHLAR_ERR_OVERFLOW, ASHLAR_ERR_MPI
    public :: ASHLAR_ERR_IO, ASHLAR_ERR_UNSUPPORTED, ASHLAR_ERR_INTERNAL, ASHLAR_ERR_INTERRUPTED
    public :: ASHLAR_ERR_DEVICE

    enum, bind(c)
        enumerator :: ASHLAR_TYPE_S = 0, ASHLAR_TYPE_D = 1, ASHLAR_TYPE_C = 2, ASHLAR_TYPE_Z = 3
        enumerator :: ASHLAR_TYPE_H = 4, ASHLAR_TYPE_B = 5
    end enum
    public :: ASHLAR_TYPE_S, ASHLAR_TYPE_D, ASHLAR_TYPE_C, ASHLAR_TYPE_Z, ASHLAR_TYPE_H, ASHLAR_TYPE_B

    enum, bind(c)
        enumerator :: ASHLAR_OP_N = 0, ASHLAR_OP_T = 1, ASHLAR_OP_C = 2
    end enum
    public :: ASHLAR_OP_N, ASHLAR_OP_T, ASHLAR_OP_C

    enum, bind(c)
        enumerator :: ASHLAR_A = 0, ASHLAR_B = 1, ASHLAR_C = 2
    end enum
    public :: ASHLAR_A, ASHLAR_B, ASHLAR_C

    enum, bind(c)
        enumerator :: ASHLAR_COL_MAJOR = 0, ASHLAR_ROW_MAJOR = 1
    end enum
    public :: ASHLAR_COL_MAJOR, ASHLAR_ROW_MAJOR

    enum, bind(c)
        enumerator :: ASHLAR_LEAST_TIME = 0, ASHLAR_LEAST_WORDS = 1
    end enum
    public :: ASHLAR_LEAST_TIME, ASHLAR_LEAST_WORDS

    enum, bind(c)
        enumerator :: ASHLAR_TWO_SIDED = 0, ASHLAR_ONE_SIDED = 1
    end enum
    public :: ASHLAR_TWO_SIDED, ASHLAR_ONE_SIDED

    enum, bind(c)
        enumerator :: ASHLAR_ROUTE_DIRECT = 0, ASHLAR_ROUTE_TREE = 1, ASHLAR_ROUTE_AUTO = 2
        enumerator :: ASHLAR_ROUTE_RECTANGULAR = 3
    end enum
    public :: ASHLAR_ROUTE_DIRECT, ASHLAR_ROUTE_TREE, ASHLAR_ROUTE_AUTO, ASHLAR_ROUTE_RECTANGULAR

    enum, bind(c)
        enumerator :: ASHLAR_GENERAL = 0, ASHLAR_SYMMETRIC = 1, ASHLAR_ANTISYMMETRIC = 2, ASHLAR_HERMITIAN = 3
        enumerator :: ASHLAR_ANTIHERMITIAN = 4
    end enum
    public :: ASHLAR_GENERAL, ASHLAR_SYMMETRIC, ASHLAR_ANTISYMMETRIC, ASHLAR_HERMITIAN, ASHLAR_ANTIHERMITIAN

    enum, bind(c)
        enumerator :: ASHLAR_PLANNED_NEW = 0, ASHLAR_PLANNED_CHANGED = 1, ASHLAR_PLANNED_REUSED = 2
    end enum
    public :: ASHLAR_PLANNED_NEW, ASHLAR_PLANNED_CHANGED, ASHLAR_PLANNED_REUSED

    enum, bind(c)
        enumerator :: ASHLAR_STAYS_CHOSEN = 0, ASHLAR_STAYS_A = 1, ASHLAR_STAYS_B = 2, ASHLAR_STAYS_C = 3
    end enum
    public :: ASHLAR_STAYS_CHOSEN, ASHLAR_STAYS_A, ASHLAR_STAYS_B, ASHLAR_STAYS_C

    integer, parameter, public :: ASHLAR_VERSION_MAJOR = 0
    integer, parameter, public :: ASHLAR_VERSION_MINOR = 1
    integer, parameter, public :: ASHLAR_VERSION_PATCH = 0
    integer, parameter, public :: ASHLAR_MESSAGE_MAX = 512
    integer, parameter, public :: ASHLAR_TORUS_MOST = 12
    integer, parameter, public :: ASHLAR_TENSOR_ORDER_MOST = 64

    ! Read `text` with the function ashlar_text.
    type, bind(c), public :: ashlar_error
        integer(c_int) :: status = ASHLAR_OK
        character(kind=c_char) :: text(ASHLAR_MESSAGE_MAX) = c_null_char
    end type

    ! A layout, or none while c_associated(handle) is false. A copy is the same layout: free one of them.
    type, bind(c), public :: ashlar_layout
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_tile
        integer(c_int64_t) :: row
        integer(c_int64_t) :: col
        integer(c_int64_t) :: rows
        integer(c_int64_t) :: cols
        integer(c_int) :: order
        integer(c_int64_t) :: ld
        integer(c_int64_t) :: offset
    end type

    ! A context, or none while c_associated(handle) is false. A copy is the same context: free one of them.
    type, bind(c), public :: ashlar_context
        type(c_ptr) :: handle = c_null_ptr
    end type

    ! A matrix in a file, or none while c_associated(handle) is false. A copy is the same file: close one of them.
    type, bind(c), public :: ashlar_file
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_file_info
        integer(c_int) :: type
        integer(c_int) :: order
        integer(c_int64_t) :: rows
        integer(c_int64_t) :: cols
    end type

    ! The check of an execution, or none while c_associated(handle) is false. A copy is the same check.
    type, bind(c), public :: ashlar_verification
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_verdict
        logical(c_bool) :: passed
        integer(c_int) :: vectors
        real(c_double) :: worst
        integer(c_int64_t) :: row
    end type

    ! A plan, or none while c_associated(handle) is false. A copy is the same plan: free one of them.
    type, public :: ashlar_plan
        type(c_ptr) :: handle = c_null_ptr
        integer(c_int) :: type = -1 ! set by ashlar_plan_create: what the arrays of an execution must be
        logical :: in_file(3) = .false. ! set by ashlar_plan_create: of A, B and C, whose arrays are not looked at
    end type

    ! A mover, or none while c_associated(handle) is false. A copy is the same mover: free one of them.
    type, public :: ashlar_mover
        type(c_ptr) :: handle = c_null_ptr
        integer(c_int) :: type = -1 ! set by ashlar_mover_create: what the arrays of an execution must be
    end type

    ! A matrix of tiles, or none while c_associated(handle) is false. A copy is the same matrix: free one of them.
    type, bind(c), public :: ashlar_tiles
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_tiles_description
        integer(c_size_t) :: size = 104
        integer(c_int) :: type
        integer(c_int) :: symmetry = ASHLAR_GENERAL
        integer(c_int64_t) :: tile_rows
        integer(c_int64_t) :: tile_cols
        type(c_ptr) :: row_sizes = c_null_ptr
        type(c_ptr) :: col_sizes = c_null_ptr
        integer(c_int64_t) :: grid_rows = 0
        integer(c_int64_t) :: grid_cols = 0
        type(c_ptr) :: grid_ranks = c_null_ptr
        type(c_ptr) :: row_map = c_null_ptr
        type(c_ptr) :: col_map = c_null_ptr
        type(c_funptr) :: owner = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
    end type

    type, bind(c), public :: ashlar_tiles_info
        integer(c_int) :: type
        integer(c_int) :: symmetry
        integer(c_int64_t) :: rows
        integer(c_int64_t) :: cols
        integer(c_int64_t) :: tile_rows
        integer(c_int64_t) :: tile_cols
        type(c_ptr) :: row_cuts
        type(c_ptr) :: col_cuts
        integer(c_int64_t) :: grid_rows
        integer(c_int64_t) :: grid_cols
        integer(c_int64_t) :: local_tiles
        integer(c_int64_t) :: local_words
        integer(c_int64_t) :: tiles
        integer(c_int64_t) :: words
        real(c_double) :: density
        integer(c_int64_t) :: low_rank_tiles
    end type

    type, bind(c), public :: ashlar_tiles_options
        integer(c_size_t) :: size = 120
        integer(c_int) :: retain = 0
        integer(c_int) :: window = 0
        integer(c_int) :: keep_small_products = 0
        integer(c_int) :: keep_small_tiles = 0
        integer(c_int) :: bound = 0
        real(c_double) :: threshold = 0
        type(c_ptr) :: ranges = c_null_ptr
        real(c_double) :: budget = 0
        type(c_ptr) :: trace = c_null_ptr ! the c_loc of a string that ends with c_null_char
        integer(c_int) :: stays = ASHLAR_STAYS_CHOSEN
        integer(c_int) :: layers = 0
        real(c_double) :: tolerance = 0
        integer(c_int) :: relative = 0
        integer(c_int64_t) :: memory_words = 0
        type(c_funptr) :: progress = c_null_funptr ! the c_funloc of an ashlar_progress
        type(c_ptr) :: progress_user = c_null_ptr
        type(c_ptr) :: machine = c_null_ptr ! the c_loc of an ashlar_machine
    end type

    type, bind(c), public :: ashlar_tiles_result
        integer(c_int64_t) :: products
        integer(c_int64_t) :: left_out
        integer(c_int64_t) :: dropped
        integer(c_int64_t) :: flops
        integer(c_int64_t) :: words
        integer(c_int64_t) :: messages
        integer(c_int64_t) :: workspace_words
        integer(c_int64_t) :: iterations
        integer(c_int) :: window
        real(c_double) :: error_bound
        real(c_double) :: seconds
        integer(c_int) :: planned
        integer(c_int64_t) :: planning_steps
        real(c_double) :: planning_seconds
        integer(c_int64_t) :: predicted_words
        integer(c_int) :: stays
        integer(c_int64_t) :: layers
        real(c_double) :: imbalance
        integer(c_int64_t) :: memory_words
    end type

    ! alpha is the c_loc of one element.
    type, bind(c), public :: ashlar_tiles_term
        type(c_ptr) :: alpha = c_null_ptr
        integer(c_int) :: op_a = ASHLAR_OP_N
        integer(c_int) :: op_b = ASHLAR_OP_N
        type(ashlar_tiles) :: a
        type(ashlar_tiles) :: b
    end type

    ! A plan of a product of matrices of tiles, or none while c_associated(handle) is false. A copy is the same plan: free
    ! one of them.
    type, bind(c), public :: ashlar_tiles_plan
        type(c_ptr) :: handle = c_null_ptr
    end type

    ! planned(1) counts executions that planned everything, planned(2) those that changed the plan, planned(3) those
    ! that used it as it was.
    type, bind(c), public :: ashlar_tiles_plan_info
        integer(c_int64_t) :: terms
        integer(c_int64_t) :: bytes
        integer(c_int64_t) :: workspace_words
        integer(c_int64_t) :: products
        integer(c_int64_t) :: flops
        integer(c_int64_t) :: c_tiles
        integer(c_int64_t) :: iterations
        integer(c_int) :: window
        integer(c_int) :: ready
        integer(c_int64_t) :: planned(3)
        integer(c_int64_t) :: memory_words
    end type

    type, bind(c), public :: ashlar_stored_tile
        integer(c_int64_t) :: row
        integer(c_int64_t) :: col
        integer(c_int64_t) :: rows
        integer(c_int64_t) :: cols
        integer(c_int64_t) :: ld
        integer(c_int64_t) :: owner
        integer(c_int64_t) :: number
        type(c_ptr) :: data
        integer(c_int64_t) :: rank
        type(c_ptr) :: u
        type(c_ptr) :: v
    end type

    ! The member `size` of a structure is set by itself, and stays as it is.
    type, bind(c), public :: ashlar_problem
        integer(c_size_t) :: size = 104
        integer(c_int) :: type
        integer(c_int) :: op_a = ASHLAR_OP_N
        integer(c_int) :: op_b = ASHLAR_OP_N
        integer(c_int64_t) :: m
        integer(c_int64_t) :: n
        integer(c_int64_t) :: k
        type(ashlar_layout) :: a = ashlar_layout()
        type(ashlar_layout) :: b = ashlar_layout()
        type(ashlar_layout) :: c = ashlar_layout()
        type(ashlar_file) :: a_file = ashlar_file()
        type(ashlar_file) :: b_file = ashlar_file()
        type(ashlar_file) :: c_file = ashlar_file()
        type(ashlar_file) :: c0_file = ashlar_file()
    end type

    type, bind(c), public :: ashlar_machine
        integer(c_size_t) :: size = 288
        real(c_double) :: flops_per_second
        real(c_double) :: latency
        real(c_double) :: bandwidth
        real(c_double) :: copy_bandwidth
        real(c_double) :: disk_bandwidth
        integer(c_int) :: torus_dims
        integer(c_int64_t) :: torus(ASHLAR_TORUS_MOST)
        real(c_double) :: forms(4)
        real(c_double) :: disk_read_bandwidth
        real(c_double) :: disk_write_bandwidth
        real(c_double) :: task_seconds
        real(c_double) :: message_work
        real(c_double) :: product_bandwidth
        real(c_double) :: device_in_bandwidth
        real(c_double) :: device_out_bandwidth
        real(c_double) :: device_delay
        real(c_double) :: device_flops(4)
        real(c_double) :: device_memory
    end type

    ! `strategy` is set by ashlar_options_set_strategy, `machine` is c_null_ptr or the c_loc of an ashlar_machine,
    ! `scratch` is c_null_ptr or the c_loc of a text that ends with c_null_char.
    type, bind(c), public :: ashlar_options
        integer(c_size_t) :: size = 120
        type(c_ptr) :: strategy
        integer(c_int) :: objective
        integer(c_int) :: transport
        integer(c_int) :: route
        integer(c_int64_t) :: memory_words
        real(c_double) :: idle
        integer(c_int) :: window
        logical(c_bool) :: caller_workspace
        logical(c_bool) :: trusted
        integer(c_int64_t) :: node_ranks
        integer(c_int64_t) :: grid(3)
        type(c_ptr) :: machine
        real(c_double) :: checkpoint_seconds
        integer(c_int64_t) :: local_disks
        type(c_ptr) :: scratch
    end type

    type, bind(c), public :: ashlar_figures
        integer(c_int64_t) :: words_max
        real(c_double) :: words_mean
        integer(c_int64_t) :: words_total
        integer(c_int64_t) :: messages_max
        integer(c_int64_t) :: memory_words
        integer(c_int64_t) :: disk_words
        real(c_double) :: seconds
        real(c_double) :: read_seconds
        real(c_double) :: write_seconds
        real(c_double) :: resumed
    end type

    ! Read the strings, which are of type c_ptr, with the function ashlar_text.
    type, bind(c), public :: ashlar_explanation
        type(c_ptr) :: strategy
        type(c_ptr) :: reason
        integer(c_int64_t) :: grid(3)
        integer(c_int64_t) :: ranks_used
        integer(c_int64_t) :: rounds
        real(c_double) :: bound_words
        type(c_ptr) :: bound_case
        integer(c_int64_t) :: relayout_words
        integer(c_int64_t) :: workspace_words
        type(c_ptr) :: warning
        real(c_double) :: bound_disk_words
        type(c_ptr) :: bound_disk_case
    end type

    ! Read the strings with ashlar_text.
    type, bind(c), public :: ashlar_device_figures
        type(c_ptr) :: name
        type(c_ptr) :: rule
        type(c_ptr) :: warning
        type(c_ptr) :: failure
        integer(c_int64_t) :: ranks
        integer(c_int64_t) :: words_in_max
        integer(c_int64_t) :: words_in_total
        integer(c_int64_t) :: words_out_max
        integer(c_int64_t) :: words_out_total
        integer(c_int64_t) :: memory_words
        real(c_double) :: seconds
        real(c_double) :: host_seconds
        integer(c_int64_t) :: measured_in_max
        integer(c_int64_t) :: measured_in_total
        integer(c_int64_t) :: measured_out_max
        integer(c_int64_t) :: measured_out_total
        integer(c_int64_t) :: measured_memory_words
        integer(c_int64_t) :: measured_host_products
        integer(c_int64_t) :: staged_words
        integer(c_int64_t) :: measured_staged_words
    end type

    ! A layout of a tensor, or none while c_associated(handle) is false. A copy is the same layout: free one of them.
    type, bind(c), public :: ashlar_tensor_layout
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_tensor_box
        integer(c_int) :: order
        integer(c_int64_t) :: from(ASHLAR_TENSOR_ORDER_MOST)
        integer(c_int64_t) :: extent(ASHLAR_TENSOR_ORDER_MOST)
        integer(c_int64_t) :: stride(ASHLAR_TENSOR_ORDER_MOST)
        integer(c_int64_t) :: offset
    end type

    ! A tensor in a file, or none while c_associated(handle) is false. A copy is the same file: close one of them.
    type, bind(c), public :: ashlar_tensor_file
        type(c_ptr) :: handle = c_null_ptr
    end type

    type, bind(c), public :: ashlar_tensor_info
        integer(c_int) :: type
        integer(c_int) :: order
        integer(c_int64_t) :: extent(ASHLAR_TENSOR_ORDER_MOST)
    end type

    ! `extent` is the c_loc of an array.
    type, bind(c), public :: ashlar_tensor
        integer(c_size_t) :: size = 48
        integer(c_int) :: order = 0
        type(c_ptr) :: extent = c_null_ptr
        type(ashlar_tensor_layout) :: layout = ashlar_tensor_layout()
        type(ashlar_tensor_file) :: file = ashlar_tensor_file()
        logical(c_bool) :: conjugate = .false._c_bool
    end type

    ! `expression` is the c_loc of a string that ends with c_null_char, `operand` that of an array of ashlar_tensor,
    ! `output` that of one ashlar_tensor.
    type, bind(c), public :: ashlar_contraction
        integer(c_size_t) :: size = 56
        integer(c_int) :: type
        type(c_ptr) :: expression
        integer(c_int) :: operands
        type(c_ptr) :: operand
        type(c_ptr) :: output
        type(ashlar_tensor_file) :: output0 = ashlar_tensor_file()
    end type

    ! A plan of a contraction, or none while c_associated(handle) is false. A copy is the same plan: free one of them.
    type, bind(c), public :: ashlar_contraction_plan
        type(c_ptr) :: handle = c_null_ptr
    end type

    ! Read the strings, which are of type c_ptr, with the function ashlar_text.
    type, bind(c), public :: ashlar_contraction_explanation
        type(c_ptr) :: text
        integer(c_int64_t) :: steps
        real(c_double) :: multiply_adds
        integer(c_int64_t) :: workspace_words
        real(c_double) :: bound_words
        type(c_ptr) :: bound_case
    end type

    type, bind(c), public :: ashlar_mover_options
        integer(c_size_t) :: size = 24
        logical(c_bool) :: caller_workspace
        logical(c_bool) :: trusted
        integer(c_int64_t) :: memory_words
    end type

    type, bind(c), public :: ashlar_movement
        integer(c_int64_t) :: words
        integer(c_int64_t) :: words_max
        integer(c_int64_t) :: words_total
        integer(c_int64_t) :: messages
        integer(c_int64_t) :: messages_max
        integer(c_int64_t) :: rounds
        integer(c_int64_t) :: workspace_words
    end type

    abstract interface
        ! What ashlar_plan_on_progress calls.
        subroutine ashlar_progress(user, done, all) bind(c)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: user
            integer(c_int64_t), value :: done, all
        end subroutine
    end interface
    public :: ashlar_progress
end module
