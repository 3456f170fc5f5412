//! How an array is cut into bricks.
//!
//! A *hint* gives the extent of a typical section in each dimension, or anything that is not positive where the caller has
//! no opinion. In bytes of a brick:
//!
//! 1. Extents beyond the array are cut to it.
//! 2. Where no opinion was given, extents are ours: as equal as the array allows, so that no direction of access is bad, and
//!    such that the dimension is cut into nearly equal parts. Together they aim at a thousandth of the array, within 1 to
//!    3 MiB, and never leave 1 to 4 MiB unless the array or the extents given do.
//! 3. If any extent was given: 256 KiB to 16 MiB are taken as they are. What is smaller is doubled, evenly in all dimensions
//!    and the last first, until it has about 1 MiB (0.7 to 1.5) or is the whole array; every brick then holds whole
//!    sections. What is larger is divided, the longest dimension first and where possible exactly, to 4 MiB or less.
//!
//! Source of the hints: the `ChemIO` paper, section 4.3.

use super::DataType;
use crate::error::{Error, Result};
use section::Shape;

const KIB: u128 = 1 << 10;
const MIB: u128 = 1 << 20;
/// Hints of at least this and at most the next are taken exactly.
const EXACT_BYTES_MIN: u128 = 256 * KIB;
const EXACT_BYTES_MAX: u128 = 16 * MIB;
/// Smaller hints are doubled until they reach this: the nearest power of two times the hint is then within 1 MiB / sqrt 2
/// and 1 MiB * sqrt 2.
const GROWN_BYTES_MIN: u128 = 724 * KIB;
/// The bricks that we choose, and what larger hints are divided to.
const CHOSEN_BYTES_MIN: u128 = MIB;
const CHOSEN_BYTES_MAX: u128 = 4 * MIB;
/// What we aim at, at most: the last extent is rounded up, which must not leave the limit above.
const AIM_BYTES_MAX: u128 = 3 * MIB;
/// How many bricks an array should have, if their size allows.
const BRICKS_AIM: u128 = 1024;

/// The shape of the bricks of an array, in elements; the last index is contiguous. At least one element in each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrickShape(Shape);

impl BrickShape {
    /// Exactly this shape.
    ///
    /// # Errors
    /// - [`Error::Shape`]: not 1 to 7 dimensions, or an extent of zero.
    pub fn exact(extents: &[u64]) -> Result<Self> {
        match extents.iter().position(|&extent| extent == 0) {
            Some(dim) => Err(section::Error::EmptyBrick { dim }.into()),
            None => Ok(Self(Shape::new(extents)?)),
        }
    }

    /// A good shape for an array of shape `dims` that is accessed as `hint` says.
    ///
    /// # Errors
    /// - [`Error::EmptyDimension`]: an array without elements.
    /// - [`Error::Shape`]: a hint for another number of dimensions.
    pub fn by_hint(dims: &Shape, data_type: DataType, hint: &[i64]) -> Result<Self> {
        if let Some(dim) = dims.iter().position(|&extent| extent == 0) {
            return Err(Error::EmptyDimension { dim, dims: dims.to_vec() });
        }
        if hint.len() != dims.len() {
            return Err(section::Error::DimsDiffer { expected: dims.len(), got: hint.len() }.into());
        }
        let element_bytes = u128::from(data_type.bytes());
        let given = |d: usize| {
            u64::try_from(hint[d]).ok().filter(|&extent| extent > 0).map(|extent| extent.min(dims[d]))
        };
        let chosen = choose(dims, element_bytes, given);
        let ours = (0..dims.len()).all(|d| given(d).is_none());
        Ok(Self(if ours { chosen } else { fit(chosen, dims, element_bytes) }))
    }

    /// Elements in each dimension.
    pub fn extents(&self) -> &Shape {
        &self.0
    }

    /// Bytes of a brick; `None` if they do not fit in 64 bits.
    pub fn checked_bytes(&self, data_type: DataType) -> Option<u64> {
        self.0.checked_len()?.checked_mul(data_type.bytes())
    }
}

/// Bytes of a box; the largest number if they are more.
fn bytes(extents: &[u64], element_bytes: u128) -> u128 {
    extents.iter().fold(element_bytes, |product, &extent| product.saturating_mul(u128::from(extent)))
}

/// The extents given, and for the others the rule 2 above.
fn choose(dims: &Shape, element_bytes: u128, given: impl Fn(usize) -> Option<u64>) -> Shape {
    let mut brick = Shape::from_fn(dims.len(), |d| given(d).unwrap_or(1));
    let mut open: Vec<usize> = (0..dims.len()).filter(|&d| given(d).is_none()).collect();
    // Short dimensions first: what they cannot take, the longer ones do. The last dimension comes last among equals, so that
    // it gets what is left and runs are long.
    open.sort_by_key(|&d| (dims[d], d));
    let aim_bytes = (bytes(dims, element_bytes) / BRICKS_AIM).clamp(CHOSEN_BYTES_MIN, AIM_BYTES_MAX);
    for (position, &d) in open.iter().enumerate() {
        let left = aim_bytes.div_ceil(bytes(&brick, element_bytes));
        let dims_left = open.len() - position;
        let extent = if dims_left == 1 { left } else { root(left, dims_left) };
        let extent = u64::try_from(extent).unwrap_or(u64::MAX).clamp(1, dims[d]);
        brick[d] = evened(dims[d], extent);
        let whole = bytes(&brick, element_bytes);
        if dims_left == 1 && !(CHOSEN_BYTES_MIN..=CHOSEN_BYTES_MAX).contains(&whole) {
            brick[d] = extent;
        }
    }
    brick
}

/// About `extent`, such that `whole` is cut into parts that are nearly equal.
fn evened(whole: u64, extent: u64) -> u64 {
    let parts = (whole / extent + u64::from(whole % extent > extent / 2)).max(1);
    whole.div_ceil(parts)
}

/// The largest number whose `degree`-th power is at most `value`, at least 1. `value` is a number of elements in a brick.
fn root(value: u128, degree: usize) -> u128 {
    let power = |base: u128| (0..degree).fold(1u128, |product, _| product.saturating_mul(base));
    let (mut low, mut high) = (1u128, AIM_BYTES_MAX);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if power(middle) <= value {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Rule 3 above.
fn fit(brick: Shape, dims: &Shape, element_bytes: u128) -> Shape {
    let given_bytes = bytes(&brick, element_bytes);
    if given_bytes < EXACT_BYTES_MIN {
        grown(brick, dims, element_bytes)
    } else if given_bytes > EXACT_BYTES_MAX {
        divided(brick, element_bytes)
    } else {
        brick
    }
}

/// A multiple of `brick`, or all of a dimension.
fn grown(mut brick: Shape, dims: &Shape, element_bytes: u128) -> Shape {
    let mut doublings = [0u32; section::DIMS_MAX];
    while bytes(&brick, element_bytes) < GROWN_BYTES_MIN {
        let room = (0..dims.len()).rev().filter(|&d| brick[d] < dims[d]);
        let Some(d) = room.min_by_key(|&d| doublings[d]) else { break };
        brick[d] = brick[d].saturating_mul(2).min(dims[d]);
        doublings[d] += 1;
    }
    brick
}

/// A part of `brick`.
fn divided(mut brick: Shape, element_bytes: u128) -> Shape {
    while bytes(&brick, element_bytes) > CHOSEN_BYTES_MAX {
        let longest = (0..brick.len()).rev().max_by_key(|&d| brick[d]).expect("at least one dimension");
        let extent = brick[longest];
        let exact = [2, 3, 5, 7].into_iter().find(|&divisor| extent.is_multiple_of(divisor));
        brick[longest] = extent.div_ceil(exact.unwrap_or(2));
    }
    brick
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_hint(dims: &[u64], data_type: DataType, hint: &[i64]) -> Vec<u64> {
        BrickShape::by_hint(&Shape::new(dims).unwrap(), data_type, hint).unwrap().extents().to_vec()
    }

    fn doubles(dims: &[u64], hint: &[i64]) -> Vec<u64> {
        by_hint(dims, DataType::Float64, hint)
    }

    #[test]
    fn a_hint_of_256_kib_to_16_mib_is_taken_exactly() {
        for hint in [[8, 5000], [400, 300], [32768, 1], [1, 32768], [2048, 1024]] {
            assert_eq!(doubles(&[100_000, 100_000], &hint), hint.map(i64::unsigned_abs));
        }
    }

    #[test]
    fn a_smaller_hint_is_doubled_in_all_dimensions_to_about_1_mib() {
        assert_eq!(doubles(&[10_000, 10_000], &[50, 40]), [400, 320]);
        assert_eq!(doubles(&[10_000, 10_000], &[1, 1]), [256, 512]);
        assert_eq!(doubles(&[2, 10_000], &[1, 1]), [2, 10_000], "all there is");
        assert_eq!(doubles(&[2, 100_000_000], &[1, 1]), [2, 65_536]);
    }

    #[test]
    fn a_larger_hint_is_divided_exactly_where_it_can_be() {
        assert_eq!(doubles(&[10_000, 10_000], &[5000, 5000]), [625, 625]);
        assert_eq!(doubles(&[10_000, 10_000], &[2187, 2187]), [243, 729], "by three");
        assert_eq!(doubles(&[10_000_019], &[10_000_019]), [166_667], "halved with one more, then 2, 3, 5");
    }

    #[test]
    fn a_hint_beyond_the_array_is_cut_to_it() {
        assert_eq!(doubles(&[300, 200], &[i64::MAX, i64::MAX]), [300, 200]);
    }

    #[test]
    fn what_is_not_positive_is_ours_to_choose() {
        for hint in [[-1, -1], [0, 0], [i64::MIN, -7]] {
            assert_eq!(doubles(&[10_000, 10_000], &hint), doubles(&[10_000, 10_000], &[-1, -1]));
        }
        assert_eq!(doubles(&[10_000, 10_000], &[-1, -1]), [358, 371]);
        assert_eq!(doubles(&[10_000, 10_000], &[8, -1]), [8, 10_000], "the extent given is kept");
        assert_eq!(doubles(&[10_000, 1000], &[1, -1]), [128, 1000], "unless the brick would be small");
    }

    #[test]
    fn a_small_array_is_one_brick() {
        assert_eq!(doubles(&[300, 200], &[-1, -1]), [300, 200]);
        assert_eq!(doubles(&[1, 1, 1, 1, 1, 1, 1], &[-1; 7]), [1; 7]);
        assert_eq!(doubles(&[5], &[3]), [5]);
    }

    #[test]
    fn an_array_near_the_largest_has_bricks_like_any_other() {
        assert_eq!(by_hint(&[1 << 63], DataType::Int32, &[-1]), [786_432]);
        for data_type in DataType::ALL {
            for dims in 1..=7 {
                let shape = vec![(1 << 63) - 1; dims];
                let brick = BrickShape(Shape::new(&by_hint(&shape, data_type, &vec![-1; dims])).unwrap());
                let bytes = u128::from(brick.checked_bytes(data_type).unwrap());
                assert!((CHOSEN_BYTES_MIN..=CHOSEN_BYTES_MAX).contains(&bytes), "{brick:?} {data_type}");
            }
        }
    }

    #[test]
    fn an_array_without_elements_or_a_hint_of_other_dimensions_is_refused() {
        let empty = BrickShape::by_hint(&Shape::new(&[4, 0]).unwrap(), DataType::Int32, &[-1, -1]);
        assert!(matches!(empty, Err(Error::EmptyDimension { dim: 1, .. })));
        let other = BrickShape::by_hint(&Shape::new(&[4]).unwrap(), DataType::Int32, &[-1, -1]);
        assert!(matches!(other, Err(Error::Shape(_))));
        assert!(matches!(BrickShape::exact(&[3, 0]), Err(Error::Shape(_))));
        assert_eq!(BrickShape::exact(&[1 << 62, 3]).unwrap().checked_bytes(DataType::Int32), None);
    }

    fn extents() -> impl Strategy<Value = Vec<u64>> {
        let extent = prop_oneof![Just(1u64), 1u64..20, 1u64..3000, 1u64..1 << 40, Just(u64::MAX >> 1)];
        prop::collection::vec(extent, 1..=7)
    }

    proptest! {
        #[test]
        fn bricks_of_ours_have_1_to_4_mib_or_are_the_whole_array(dims in extents(), kind in 0usize..6) {
            let data_type = DataType::ALL[kind];
            let element_bytes = u128::from(data_type.bytes());
            let brick = by_hint(&dims, data_type, &vec![-1; dims.len()]);
            let brick_bytes = bytes(&brick, element_bytes);
            prop_assert!(brick.iter().zip(&dims).all(|(b, d)| b >= &1 && b <= d));
            prop_assert!(brick == dims || (CHOSEN_BYTES_MIN..=CHOSEN_BYTES_MAX).contains(&brick_bytes),
                "{:?}: {} bytes", brick, brick_bytes);
        }

        #[test]
        fn bricks_of_ours_are_never_much_longer_one_way_than_the_array_demands(dims in extents(), kind in 0usize..6) {
            let brick = by_hint(&dims, DataType::ALL[kind], &vec![-1; dims.len()]);
            let longest = brick.iter().max().unwrap();
            for (extent, whole) in brick.iter().zip(&dims) {
                prop_assert!(extent == whole || extent * 8 >= *longest, "{:?} of {:?}", brick, dims);
            }
        }

        #[test]
        fn hints_give_bricks_that_hold_whole_sections_or_divide_them(
            dims in extents(), hint in prop::collection::vec(1i64..100_000, 7), kind in 0usize..6
        ) {
            let data_type = DataType::ALL[kind];
            let element_bytes = u128::from(data_type.bytes());
            let brick = by_hint(&dims, data_type, &hint[..dims.len()]);
            let cut: Vec<u64> = dims.iter().zip(&hint).map(|(&d, h)| d.min(h.unsigned_abs())).collect();
            let (hint_bytes, brick_bytes) = (bytes(&cut, element_bytes), bytes(&brick, element_bytes));
            if hint_bytes < EXACT_BYTES_MIN {
                for d in 0..dims.len() {
                    prop_assert!(brick[d] == dims[d] || brick[d].is_multiple_of(cut[d]));
                }
                prop_assert!(brick == dims || brick_bytes >= GROWN_BYTES_MIN);
                prop_assert!(brick_bytes < 2 * GROWN_BYTES_MIN);
            } else if hint_bytes > EXACT_BYTES_MAX {
                prop_assert!(brick_bytes <= CHOSEN_BYTES_MAX && brick_bytes > CHOSEN_BYTES_MAX / 8);
                prop_assert!(brick.iter().zip(&cut).all(|(b, c)| b <= c));
            } else {
                prop_assert_eq!(brick, cut);
            }
        }
    }
}
