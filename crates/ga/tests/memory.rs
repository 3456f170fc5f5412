//! What operations on large arrays need besides the arrays: counted at the allocator of each rank, and no more than is
//! documented, however large the arrays are.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "sizes of arrays that fit in memory, and whole numbers that are exact"
)]

use ga::{Array, Context, ElementType, Factor, Patch, PatchMut, Transpose, gemm};
use num_complex::Complex;
use section::Section;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use test_support::{Suite, Variant, scenario};

/// Counts the bytes that are allocated, and the most that ever were.
struct Counting;

static NOW_BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK_BYTES: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is done by the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW_BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK_BYTES.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The most that was allocated at a time while something ran, beyond what was before.
fn peak_bytes(work: impl FnOnce()) -> usize {
    let before = NOW_BYTES.load(Ordering::Relaxed);
    PEAK_BYTES.store(before, Ordering::Relaxed);
    work();
    PEAK_BYTES.load(Ordering::Relaxed) - before
}

const MIB: usize = 1 << 20;

/// What a rank holds of a large array.
const BLOCK_BYTES: usize = 64 * MIB;

/// Descriptions of sections, requests and the like: nothing that holds elements.
const SMALL_BYTES: usize = MIB / 4;

/// Buffers of an operation on arrays and patches: three of a MiB, see the head of `patch_ops`.
const PATCH_BYTES_MAX: usize = 3 * MIB + SMALL_BYTES;

/// Tiles of a product: of 4 MiB, two for each factor and between nodes one more, see `gemm`.
fn product_bytes_max() -> usize {
    let tiles_count = if between_nodes() { 3 } else { 2 };
    2 * tiles_count * 4 * MIB + SMALL_BYTES
}

/// Whether other ranks are reached as if they were on other nodes.
fn between_nodes() -> bool {
    std::env::var("CHEMIO_GA_PATH").as_deref() == Ok("rma")
}

fn check(what: &str, bytes_max: usize, work: impl FnOnce()) {
    let bytes = peak_bytes(work);
    println!("   {what}: {bytes} bytes of at most {bytes_max}");
    assert!(bytes <= bytes_max, "{what} needs {bytes} bytes, documented are {bytes_max}");
}

/// The columns of matrices of doubles.
const COLS: u64 = 4096;

/// Rows with which each rank has a block of [`BLOCK_BYTES`].
fn rows(ga: &Context) -> u64 {
    (BLOCK_BYTES * ga.ranks()) as u64 / 8 / COLS
}

fn by_rows(ga: &Context, element_type: ElementType, shape: [u64; 2]) -> Array {
    ga.array(element_type, &shape).chunk(&[1, shape[1].cast_signed()]).create().unwrap()
}

fn by_columns(ga: &Context, element_type: ElementType, shape: [u64; 2]) -> Array {
    ga.array(element_type, &shape).chunk(&[shape[0].cast_signed(), 1]).create().unwrap()
}

/// Without which nothing here could fail.
fn the_counter_sees_what_is_allocated(_: &Context) {
    let bytes = peak_bytes(|| drop(black_box(vec![1u8; BLOCK_BYTES])));
    assert!((BLOCK_BYTES..BLOCK_BYTES + SMALL_BYTES).contains(&bytes), "{bytes}");
}

fn operations_on_large_arrays_need_only_their_buffers(ga: &Context) {
    let shape = [rows(ga), COLS];
    let (a, b) = (by_rows(ga, ElementType::Double, shape), by_columns(ga, ElementType::Double, shape));
    let c = by_rows(ga, ElementType::Double, [COLS, rows(ga)]);
    check("fill", PATCH_BYTES_MAX, || a.fill(3.0.into()).unwrap());
    check("scale", PATCH_BYTES_MAX, || a.scale(2.0.into()).unwrap());
    check("copy to another distribution", PATCH_BYTES_MAX, || a.copy_to(&b).unwrap());
    check("add", PATCH_BYTES_MAX, || a.add(2.0.into(), &b, 1.0.into(), &a).unwrap());
    check("transpose", PATCH_BYTES_MAX, || a.transpose_into(&c).unwrap());
    check("dot", PATCH_BYTES_MAX, || {
        let expected = 6.0 * 18.0 * (shape[0] * shape[1]) as f64;
        assert_eq!(a.dot(&b).unwrap(), expected.into());
    });
    let reshaped = ga.array(ElementType::Double, &[shape[0] * shape[1]]).create().unwrap();
    check("copy to another shape", PATCH_BYTES_MAX, || {
        b.copy_patch(false, &b.whole(), &reshaped, &reshaped.whole()).unwrap();
    });
    check("copy of every other element", PATCH_BYTES_MAX, || {
        let odd = Section::with_step(&[0, 1], &shape, &[1, 2]).unwrap();
        let even = Section::with_step(&[0, 0], &shape, &[1, 2]).unwrap();
        a.copy_patch(false, &odd, &b, &even).unwrap();
    });
    for array in [a, b, c, reshaped] {
        array.destroy().unwrap();
    }
}

fn a_large_matrix_becomes_symmetric_with_the_same_buffers(ga: &Context) {
    let side = (rows(ga) * COLS).isqrt();
    let a = by_rows(ga, ElementType::Double, [side, side]);
    check("symmetrize", PATCH_BYTES_MAX, || a.symmetrize().unwrap());
    a.destroy().unwrap();
}

/// A dense patch goes to where it is to be, and comes from there, as it is.
fn large_transfers_need_no_copy_but_accumulates_between_nodes(ga: &Context) {
    let a = by_rows(ga, ElementType::Double, [rows(ga), COLS]);
    // A block of another rank, where there is one.
    let owner = (ga.rank() + 1) % ga.ranks();
    let section = a.distribution().block_of(owner).expect("a block");
    let mut elements = vec![1.5f64; BLOCK_BYTES / 8];
    ga.sync().unwrap();
    check("put", SMALL_BYTES, || a.put(&section, Patch::dense(&elements)).unwrap());
    check("get", SMALL_BYTES, || a.get(&section, PatchMut::dense(&mut elements)).unwrap());
    // Between nodes it is multiplied in a copy.
    let copied_bytes = if between_nodes() { BLOCK_BYTES } else { 0 };
    check("accumulate", copied_bytes + SMALL_BYTES, || {
        a.accumulate(&section, Patch::dense(&elements), 2.0.into()).unwrap();
    });
    check("completion", SMALL_BYTES, || ga.sync().unwrap());
    a.destroy().unwrap();
}

fn products_of_large_matrices_need_only_their_tiles(ga: &Context) {
    let (rows, depth) = (rows(ga), 256);
    let thin =
        [by_columns(ga, ElementType::Double, [rows, depth]), by_rows(ga, ElementType::Double, [depth, COLS])];
    let large = by_rows(ga, ElementType::Double, [rows, COLS]);
    thin[0].fill(1.0.into()).unwrap();
    thin[1].fill(2.0.into()).unwrap();
    let factor = |array, transpose| Factor::whole(array, transpose);
    check("a large result", product_bytes_max(), || {
        let (a, b) = (factor(&thin[0], Transpose::No), factor(&thin[1], Transpose::No));
        gemm(1.0.into(), &a, &b, 0.0.into(), &large, &large.whole()).unwrap();
    });
    check("a large factor", product_bytes_max(), || {
        let (a, b) = (factor(&thin[1], Transpose::No), factor(&large, Transpose::Yes));
        let transposed = by_columns(ga, ElementType::Double, [depth, rows]);
        gemm(1.0.into(), &a, &b, 0.0.into(), &transposed, &transposed.whole()).unwrap();
        // Every element of the large factor is 512, and of the thin one 2.
        assert_eq!(
            transposed.dot(&transposed).unwrap(),
            ((1024.0 * COLS as f64).powi(2) * (depth * rows) as f64).into()
        );
        transposed.destroy().unwrap();
    });
    for array in thin.into_iter().chain([large]) {
        array.destroy().unwrap();
    }
}

/// The largest elements, of which a tile takes the most.
fn products_of_complex_matrices_need_only_their_tiles(ga: &Context) {
    let (rows, depth) = (rows(ga) / 2, 256);
    let a = by_columns(ga, ElementType::DoubleComplex, [rows, depth]);
    let b = by_rows(ga, ElementType::DoubleComplex, [depth, COLS]);
    let c = by_rows(ga, ElementType::DoubleComplex, [rows, COLS]);
    let one = Complex::new(1.0f64, 0.0);
    check("a large complex result", product_bytes_max(), || {
        let (a, b) = (Factor::whole(&a, Transpose::No), Factor::whole(&b, Transpose::No));
        gemm(one.into(), &a, &b, one.into(), &c, &c.whole()).unwrap();
    });
    // Few rows and columns and much depth: the depth is divided, and the parts are added up.
    let d = by_rows(ga, ElementType::DoubleComplex, [depth, depth]);
    check("a small complex result", product_bytes_max(), || {
        let (a, c) = (Factor::whole(&a, Transpose::Conjugate), Factor::whole(&a, Transpose::No));
        gemm(one.into(), &a, &c, one.into(), &d, &d.whole()).unwrap();
    });
    for array in [a, b, c, d] {
        array.destroy().unwrap();
    }
}

fn main() -> ExitCode {
    Suite::new(|| Context::new().expect("a context"))
        .place(|ga| (ga.rank(), ga.ranks()))
        .barrier(|ga| ga.sync().expect("a barrier"))
        .variant(Variant::named("chosen"))
        .variant(Variant::named("rma").set("CHEMIO_GA_PATH", "rma"))
        .ranks([1, 2, 3])
        .ranks_per_host([])
        .run(&[
            scenario!(the_counter_sees_what_is_allocated),
            scenario!(operations_on_large_arrays_need_only_their_buffers),
            scenario!(a_large_matrix_becomes_symmetric_with_the_same_buffers),
            scenario!(large_transfers_need_no_copy_but_accumulates_between_nodes),
            scenario!(products_of_large_matrices_need_only_their_tiles),
            scenario!(products_of_complex_matrices_need_only_their_tiles),
        ])
}
