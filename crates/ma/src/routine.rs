//! The public calls, for error messages and statistics.

macro_rules! routines {
    ($($routine:ident = $name:literal,)*) => {
        /// A public call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Routine {
            $($routine,)*
        }

        impl Routine {
            pub(crate) const ALL: [Self; [$($name),*].len()] = [$(Self::$routine),*];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$routine => $name,)*
                }
            }
        }
    };
}

routines! {
    AllocGet = "MA_alloc_get",
    AllocateHeap = "MA_allocate_heap",
    ChopStack = "MA_chop_stack",
    FreeHeap = "MA_free_heap",
    FreeHeapPiece = "MA_free_heap_piece",
    GetIndex = "MA_get_index",
    GetMbase = "MA_get_mbase",
    GetNextMemhandle = "MA_get_next_memhandle",
    GetNumalign = "MA_get_numalign",
    GetPointer = "MA_get_pointer",
    Init = "MA_init",
    Initialized = "MA_initialized",
    InitMemhandleIterator = "MA_init_memhandle_iterator",
    InquireAvail = "MA_inquire_avail",
    InquireHeap = "MA_inquire_heap",
    InquireHeapCheckStack = "MA_inquire_heap_check_stack",
    InquireHeapNoPartition = "MA_inquire_heap_no_partition",
    InquireStack = "MA_inquire_stack",
    InquireStackCheckHeap = "MA_inquire_stack_check_heap",
    InquireStackNoPartition = "MA_inquire_stack_no_partition",
    PopStack = "MA_pop_stack",
    PrintStats = "MA_print_stats",
    PushGet = "MA_push_get",
    PushStack = "MA_push_stack",
    SetAutoVerify = "MA_set_auto_verify",
    SetErrorCallback = "MA_set_error_callback",
    SetErrorPrint = "MA_set_error_print",
    SetHardFail = "MA_set_hard_fail",
    SetNumalign = "MA_set_numalign",
    Sizeof = "MA_sizeof",
    SizeofOverhead = "MA_sizeof_overhead",
    SummarizeAllocatedBlocks = "MA_summarize_allocated_blocks",
    Trace = "MA_trace",
    VerifyAllocatorStuff = "MA_verify_allocator_stuff",
}

impl Routine {
    /// Whether automatic verification comes before it. Settings and questions about settings go without.
    pub(crate) fn is_verified(self) -> bool {
        !matches!(
            self,
            Self::GetMbase
                | Self::GetNumalign
                | Self::Initialized
                | Self::SetAutoVerify
                | Self::SetErrorCallback
                | Self::SetErrorPrint
                | Self::SetHardFail
                | Self::SetNumalign
                | Self::Trace
                | Self::VerifyAllocatorStuff
        )
    }

    /// Whether its result is a number or an address, which cannot say that the call has failed.
    pub(crate) fn result_hides_failure(self) -> bool {
        matches!(
            self,
            Self::GetMbase
                | Self::InquireAvail
                | Self::InquireHeap
                | Self::InquireHeapCheckStack
                | Self::InquireHeapNoPartition
                | Self::InquireStack
                | Self::InquireStackCheckHeap
                | Self::InquireStackNoPartition
                | Self::Sizeof
                | Self::SizeofOverhead
        )
    }
}
