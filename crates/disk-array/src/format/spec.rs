//! What an array to be made is to be.

use super::{Alignment, ArrayLayout, Attributes, BrickShape, DataType, Maker, Metadata};
use crate::error::Result;
use section::Shape;
use serde_json::{Map, Value};

/// How an array is to be cut into bricks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bricks {
    /// For sections such as the hint in the attributes says, see [`BrickShape::by_hint`]; without a hint as we like.
    ByHint,
    /// Exactly so.
    Exact(BrickShape),
}

/// An array to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySpec {
    /// Its shape as it is stored: the last index is contiguous.
    pub dims: Shape,
    /// What its elements are.
    pub data_type: DataType,
    /// How it is cut.
    pub bricks: Bricks,
    /// How many files there should be, beside the metadata.
    pub files: u64,
    /// Where bricks may begin.
    pub alignment: Alignment,
    /// What is noted about it.
    pub attributes: Attributes,
    /// Names of the dimensions, in the order of `dims`, where they have any.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// Attributes of others, which it has from the first moment on; ours, `chemio`, is not among them.
    pub more_attributes: Map<String, Value>,
    /// Whether it may take the place of a complete array of ours.
    pub replaces: Replaces,
}

/// What may be where an array is to be made, beside nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replaces {
    /// Any array of ours, complete or not.
    #[default]
    Any,
    /// One that is marked as [`UNFINISHED`](super::UNFINISHED), or half-made.
    Unfinished,
}

impl ArraySpec {
    /// An array that is cut as we like, in one file if 65,536 bricks are enough, aligned as `CHEMIO_ALIGN` says.
    ///
    /// # Errors
    /// - [`crate::Error::Shape`]: not 1 to 7 dimensions.
    /// - [`crate::Error::Setting`]: the variable makes no sense.
    pub fn new(dims: &[u64], data_type: DataType) -> Result<Self> {
        Ok(Self {
            dims: Shape::new(dims)?,
            data_type,
            bricks: Bricks::ByHint,
            files: 1,
            alignment: Alignment::from_environment()?,
            attributes: Attributes::default(),
            dimension_names: None,
            more_attributes: Map::new(),
            replaces: Replaces::default(),
        })
    }

    /// The same for a Fortran program, which names dimensions, and extents in `brick_hint` (none, or as many), in the other
    /// order.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fortran(dims: &[u64], data_type: DataType, brick_hint: &[i64]) -> Result<Self> {
        let mut spec = Self::new(Shape::new(dims)?.reversed().as_ref(), data_type)?;
        spec.attributes.made_by = Maker::Fortran;
        spec.attributes.brick_hint = brick_hint.iter().rev().copied().collect();
        Ok(spec)
    }

    /// Where everything will be.
    ///
    /// # Errors
    /// As [`BrickShape::by_hint`] and [`ArrayLayout::choose`].
    pub fn layout(&self) -> Result<ArrayLayout> {
        let brick = match &self.bricks {
            Bricks::Exact(brick) => *brick,
            Bricks::ByHint if self.attributes.brick_hint.is_empty() => {
                BrickShape::by_hint(&self.dims, self.data_type, &vec![-1; self.dims.len()])?
            }
            Bricks::ByHint => BrickShape::by_hint(&self.dims, self.data_type, &self.attributes.brick_hint)?,
        };
        ArrayLayout::choose(&self.dims, self.data_type, &brick, self.alignment, self.files)
    }

    /// What `zarr.json` will say.
    ///
    /// # Errors
    /// As [`layout`](Self::layout); and [`crate::Error::Shape`]: not as many names of dimensions as dimensions.
    pub fn metadata(&self) -> Result<Metadata> {
        let mut attributes = self.more_attributes.clone();
        attributes.extend(self.attributes.to_map(self.alignment));
        let names = &self.dimension_names;
        if let Some(got) = names.as_ref().map(Vec::len).filter(|&got| got != self.dims.len()) {
            return Err(section::Error::DimsDiffer { expected: self.dims.len(), got }.into());
        }
        Ok(Metadata { dimension_names: names.clone(), ..Metadata::of_layout(&self.layout()?, attributes)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fortran_array_is_stored_with_its_dimensions_reversed() {
        let spec = ArraySpec::fortran(&[100, 200, 3], DataType::Float64, &[100, 200, 1]).unwrap();
        let metadata = spec.metadata().unwrap();
        assert_eq!((&metadata.dims[..], &metadata.brick_shape[..]), (&[3, 200, 100][..], &[3, 200, 100][..]));
        let (attributes, _) = Attributes::of_map(&metadata.attributes).unwrap();
        assert_eq!((attributes.made_by, &attributes.brick_hint[..]), (Maker::Fortran, &[1, 200, 100][..]));
    }

    #[test]
    fn attributes_of_others_are_beside_ours_and_never_in_their_place() {
        let mut spec = ArraySpec::new(&[4], DataType::Float64).unwrap();
        spec.attributes.name = "fock".to_owned();
        spec.more_attributes =
            Map::from_iter([("units".to_owned(), "hartree".into()), ("chemio".to_owned(), 1.into())]);
        let metadata = spec.metadata().unwrap();
        assert_eq!(metadata.attributes["units"], "hartree");
        assert_eq!(Attributes::of_map(&metadata.attributes).unwrap().0.name, "fock");
    }

    #[test]
    fn names_of_dimensions_are_in_the_text_and_come_back() {
        let mut spec = ArraySpec::new(&[4, 5], DataType::Float64).unwrap();
        spec.dimension_names = Some(vec![Some("orbital".to_owned()), None]);
        let text = spec.metadata().unwrap().to_text();
        assert_eq!(Metadata::of_text(text.as_bytes()).unwrap().dimension_names, spec.dimension_names);
        spec.dimension_names = Some(vec![None]);
        assert!(spec.metadata().is_err());
    }

    #[test]
    fn a_hint_of_another_number_of_dimensions_is_refused() {
        assert!(ArraySpec::fortran(&[100, 200], DataType::Float64, &[100]).unwrap().layout().is_err());
    }
}
