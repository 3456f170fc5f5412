//! Broadcasts, reductions and gathers of every type.

use crate::world::World;
use comm::{Comm, Error, Number, Operation, Reducible};
use std::fmt::Debug;

/// The longest broadcast that is one call of MPI, in elements.
const CALL_MAX: usize = 1 << 28;

/// Numbers of one type with bits that conversions would lose.
trait Extremes: Number + Debug {
    fn extremes() -> Vec<Self>;
    /// The value as its bits: numbers that are none differ from themselves.
    fn bits(self) -> u64;
}

macro_rules! extremes {
    ($($number:ty: $bits:expr, [$($extreme:expr),*]);* $(;)?) => {
        $(impl Extremes for $number {
            fn extremes() -> Vec<Self> {
                vec![$($extreme),*]
            }

            fn bits(self) -> u64 {
                ($bits)(self)
            }
        })*
    };
}

extremes! {
    u8: u64::from, [0, 1, 0x80, 0xff];
    i32: |x: i32| u64::from(x.cast_unsigned()), [0, -1, i32::MIN, i32::MAX];
    i64: i64::cast_unsigned, [0, -1, i64::MIN, i64::MAX, 1 << 53 | 1];
    u64: |x| x, [0, 1, 1 << 63, u64::MAX, 1 << 63 | 1];
    f32: |x: f32| u64::from(x.to_bits()), [0.0, -0.0, f32::MIN_POSITIVE / 2.0, f32::INFINITY, f32::from_bits(0x7fc1_2345)];
    f64: f64::to_bits, [0.0, -0.0, f64::MIN_POSITIVE / 2.0, f64::INFINITY, f64::from_bits(0x7ff8_dead_beef_0001)];
}

fn bits<T: Extremes>(values: &[T]) -> Vec<u64> {
    values.iter().map(|&value| value.bits()).collect()
}

/// The extremes as rank `rank` has them: in another order on each.
fn turned<T: Extremes>(rank: usize) -> Vec<T> {
    let mut values = T::extremes();
    let len = values.len();
    values.rotate_left(rank % len);
    values
}

pub(crate) fn every_bit_of_every_type_is_broadcast_by_every_rank(world: &World) {
    fn check<T: Extremes>(comm: &Comm) {
        for root in 0..comm.size() {
            let mut values = turned::<T>(comm.rank());
            comm.broadcast(&mut values, root).unwrap();
            assert_eq!(bits(&values), bits(&turned::<T>(root)), "{values:?} of rank {root}");
        }
    }
    let comm = world.comm();
    check::<u8>(comm);
    check::<i32>(comm);
    check::<i64>(comm);
    check::<u64>(comm);
    check::<f32>(comm);
    check::<f64>(comm);
}

pub(crate) fn every_bit_of_every_type_is_gathered_in_the_order_of_ranks(world: &World) {
    fn check<T: Extremes>(comm: &Comm) {
        let expected: Vec<T> = (0..comm.size()).flat_map(turned::<T>).collect();
        assert_eq!(bits(&comm.all_gather(&turned::<T>(comm.rank())).unwrap()), bits(&expected));
    }
    let comm = world.comm();
    check::<u8>(comm);
    check::<i32>(comm);
    check::<i64>(comm);
    check::<u64>(comm);
    check::<f32>(comm);
    check::<f64>(comm);
}

pub(crate) fn a_broadcast_may_be_longer_than_one_call_of_mpi(world: &World) {
    let comm = world.comm();
    let value = |at: usize| (at % 251) as u8;
    let mut bytes = vec![0u8; CALL_MAX + 5];
    if comm.rank() == 1 {
        bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = value(at));
    }
    comm.broadcast(&mut bytes, 1).unwrap();
    assert!(bytes.iter().enumerate().all(|(at, &byte)| byte == value(at)));
}

/// What an operation makes of the numbers of all ranks, one after the other.
fn reduced<T: Copy>(comm: &Comm, of: impl Fn(usize) -> T, combine: impl Fn(T, T) -> T) -> T {
    (1..comm.size()).fold(of(0), |so_far, rank| combine(so_far, of(rank)))
}

fn all_reduced<T: Reducible>(comm: &Comm, of: impl Fn(usize) -> T, operation: Operation) -> T {
    let mut values = [of(comm.rank()); 3];
    values[1] = of(comm.size() - 1 - comm.rank());
    comm.all_reduce(&mut values, operation).unwrap();
    values[2]
}

macro_rules! check_reductions {
    ($comm:expr, $number:ty, $of:expr, $sum:expr, $product:expr) => {{
        let (comm, of): (&Comm, fn(usize) -> $number) = ($comm, $of);
        assert_eq!(all_reduced(comm, of, Operation::Sum), reduced(comm, of, $sum));
        assert_eq!(all_reduced(comm, of, Operation::Product), reduced(comm, of, $product));
        assert_eq!(all_reduced(comm, of, Operation::Max), reduced(comm, of, <$number>::max));
        assert_eq!(all_reduced(comm, of, Operation::Min), reduced(comm, of, <$number>::min));
    }};
}

pub(crate) fn every_reduction_of_every_type_is_that_of_plain_numbers(world: &World) {
    let comm = world.comm();
    // Of both signs, and not in the order of ranks.
    let small = |rank: usize| (rank as i32 * 3 + 2) % 7 - 3;
    check_reductions!(comm, i32, |rank| (rank as i32 * 3 + 2) % 7 - 3, i32::wrapping_add, i32::wrapping_mul);
    check_reductions!(
        comm,
        i64,
        |rank| (1 << 40) * ((rank as i64 * 3 + 2) % 7 - 3) + 1,
        i64::wrapping_add,
        i64::wrapping_mul
    );
    check_reductions!(comm, f32, |rank| 2.0f32.powi(rank as i32) - 9.0, |x, y| x + y, |x, y| x * y);
    check_reductions!(comm, f64, |rank| 2.0f64.powi(rank as i32) - 9.0, |x, y| x + y, |x, y| x * y);
    let bit = |rank: usize| if small(rank) > 0 { 1i64 << (rank + 50) } else { i64::MIN };
    assert_eq!(all_reduced(comm, bit, Operation::Or), reduced(comm, bit, |x, y| x | y));
    let bit = |rank: usize| 1i32 << (rank + 20);
    assert_eq!(all_reduced(comm, bit, Operation::Or), reduced(comm, bit, |x, y| x | y));
    // The extremes of a type.
    let ends = |rank: usize| if rank == 0 { i64::MIN } else { i64::MAX };
    assert_eq!(all_reduced(comm, ends, Operation::Max), if comm.size() == 1 { i64::MIN } else { i64::MAX });
    assert_eq!(all_reduced(comm, ends, Operation::Min), i64::MIN);
}

pub(crate) fn nothing_is_reduced_gathered_and_broadcast(world: &World) {
    let comm = world.comm();
    comm.all_reduce::<f64>(&mut [], Operation::Sum).unwrap();
    comm.broadcast::<u8>(&mut [], comm.size() - 1).unwrap();
    assert_eq!(comm.all_gather::<i32>(&[]).unwrap(), []);
}

pub(crate) fn a_reduction_that_mpi_refuses_is_an_error_on_every_rank(world: &World) {
    let refused = world.comm().all_reduce(&mut [1.5f64], Operation::Or);
    match refused {
        Err(Error::Mpi { call: "MPI_Allreduce", message, .. }) => {
            assert!(message.contains("MPI_ERR_OP") || message.contains("MPI_Op"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // MPI goes on.
    assert_eq!(all_reduced(world.comm(), |_| 1i32, Operation::Sum), world.comm().size() as i32);
}

pub(crate) fn a_root_that_is_not_there_is_refused_at_once(world: &World) {
    let comm = world.comm();
    // By one rank alone: nobody has to come.
    if comm.rank() == 0 {
        let refused = comm.broadcast(&mut [1u8], comm.size());
        assert_eq!(refused, Err(Error::NoSuchRank { rank: comm.size(), ranks: comm.size() }));
    }
}
