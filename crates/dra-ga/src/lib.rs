//! Disk-resident arrays for our own distributed arrays: where [`dra`] and [`ga`] meet. Neither knows of the other.
//!
//! ```no_run
//! use dra::{Access, ArraySpec, DataType, Settings, Transfer};
//! # use std::path::Path;
//! let ga = ga::Context::new()?;
//! let in_memory = ga.array(ga::ElementType::Double, &[500, 1000]).name("half").create()?;
//! let disk = dra_ga::context(&ga, Settings::default())?;
//! let spec = ArraySpec::new(&[1000, 1000], DataType::Float64)?;
//! let on_disk = disk.create(Path::new("/scratch/amplitudes"), &spec, Access::ReadWrite)?;
//! let upper_half = Transfer {
//!     in_memory: in_memory.whole(),
//!     on_disk: section::Section::new(&[0, 0], &[500, 1000])?,
//!     reversed: false,
//! };
//! let mut request = on_disk.write(&dra_ga::in_memory(&in_memory), &upper_half)?;
//! // ... compute, but leave those elements alone ...
//! request.wait()?;
//! on_disk.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

mod reach;

use dra::{ArrayInMemory, DataType, MadeArray, MakeArray, MemoryError, MemoryPiece};
use ga::{Array, ElementType, Patch, PatchMut};
use section::{Section, Shape};
use std::sync::Arc;

/// A context of all ranks of `ga`, for arrays on disk. Collective over them.
///
/// # Errors
/// - [`dra::Error::Comm`]: the ranks could not talk to each other.
pub fn context(ga: &ga::Context, settings: dra::Settings) -> dra::Result<dra::Context> {
    let comm = ga.world().communicator().map_err(|error| match error {
        ga::Error::Comm(error) => dra::Error::Comm(error),
        other => dra::Error::Caller { code: dra::codes::FAILED, message: other.to_string() },
    })?;
    dra::Context::new(&Arc::new(comm), settings)
}

/// An array for transfers. It is kept in memory until they are complete, even if it is destroyed before; between nodes they
/// fail then. Local.
pub fn in_memory(array: &Array) -> Arc<dyn ArrayInMemory> {
    Arc::new(InMemory(array.keep()))
}

/// Arrays of `ga` for whoever needs some for a while.
pub fn maker(ga: &ga::Context) -> Maker {
    Maker(ga.clone())
}

/// See [`maker`].
#[derive(Clone, Debug)]
pub struct Maker(ga::Context);

impl MakeArray for Maker {
    fn make(&self, data_type: DataType, dims: &Shape) -> Result<Box<dyn MadeArray>, MemoryError> {
        let array = self.0.array(element_type(data_type), dims);
        let chunk = whole_rows(dims, self.0.world().ranks() as u64);
        Ok(Box::new(Made(array.chunk(&chunk).exact().create()?)))
    }
}

/// What keeps all dimensions but the slowest one whole on each of so many ranks, if none then has more than a sixteenth more than its share:
/// bricks of which an array has whole rows are in one piece in memory, as they are on disk, and can be read straight to it.
fn whole_rows(dims: &Shape, ranks: u64) -> Vec<i64> {
    let rows = dims[0];
    if u128::from(rows.div_ceil(ranks) * ranks) * 16 > u128::from(rows) * 17 {
        return vec![];
    }
    dims.iter().enumerate().map(|(d, &extent)| if d == 0 { 0 } else { extent.cast_signed() }).collect()
}

#[derive(Debug)]
struct Made(Array);

impl MadeArray for Made {
    fn in_memory(&self) -> Arc<dyn ArrayInMemory> {
        in_memory(&self.0)
    }

    fn taken_bytes(&self) -> Option<u64> {
        Some(self.0.taken_bytes())
    }

    fn free(self: Box<Self>) -> Result<(), MemoryError> {
        Ok(self.0.destroy()?)
    }
}

/// The type on disk of elements in memory.
pub fn data_type(element_type: ElementType) -> DataType {
    match element_type {
        ElementType::Int => DataType::Int32,
        ElementType::Long => DataType::Int64,
        ElementType::Float => DataType::Float32,
        ElementType::Double => DataType::Float64,
        ElementType::SingleComplex => DataType::Complex64,
        ElementType::DoubleComplex => DataType::Complex128,
    }
}

/// The type in memory of elements on disk.
pub fn element_type(data_type: DataType) -> ElementType {
    match data_type {
        DataType::Int32 => ElementType::Int,
        DataType::Int64 => ElementType::Long,
        DataType::Float32 => ElementType::Float,
        DataType::Float64 => ElementType::Double,
        DataType::Complex64 => ElementType::SingleComplex,
        DataType::Complex128 => ElementType::DoubleComplex,
    }
}

#[derive(Debug)]
struct InMemory(Array);

impl ArrayInMemory for InMemory {
    fn name(&self) -> String {
        self.0.name().to_owned()
    }

    fn data_type(&self) -> DataType {
        data_type(self.0.element_type())
    }

    fn dims(&self) -> Shape {
        Shape::new(self.0.shape()).expect("an array has a shape")
    }

    fn any_thread(&self) -> bool {
        self.0.is_in_reach()
    }

    fn complete(&self) -> Result<(), MemoryError> {
        let context = self.0.context();
        context.fence()?;
        // What was stored in this rank's own memory.
        Ok(context.see_others()?)
    }

    fn see_others(&self) -> Result<(), MemoryError> {
        Ok(self.0.context().see_others()?)
    }

    fn get(&self, section: &Section, to: &mut [u8], extents: &Shape) -> Result<(), MemoryError> {
        Ok(self.0.get(section, PatchMut::of_bytes(to, self.0.element_type(), extents)?)?)
    }

    fn put(&self, section: &Section, from: &[u8], extents: &Shape) -> Result<(), MemoryError> {
        Ok(self.0.put(section, Patch::of_bytes(from, self.0.element_type(), extents)?)?)
    }

    fn pieces(&self, section: &Section, count_max: usize) -> Option<Vec<MemoryPiece>> {
        reach::pieces(&self.0, section, count_max)
    }

    fn is_in_huge_pages(&self) -> bool {
        self.0.is_in_huge_pages()
    }

    fn populate(&self, before: usize) -> Option<usize> {
        self.0.populate(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_whole_where_ranks_have_about_as_many() {
        let cases: [(&[u64], u64, &[i64]); 7] = [
            (&[128, 16384], 2, &[0, 16384]),
            (&[2, 16384], 2, &[0, 16384]),
            (&[15, 16384], 2, &[]),
            (&[17, 16384], 2, &[0, 16384]),
            (&[1, 16384], 2, &[]),
            (&[100, 3, 5], 64, &[]),
            (&[7], 1, &[0]),
        ];
        for (dims, ranks, expected) in cases {
            assert_eq!(whole_rows(&Shape::new(dims).unwrap(), ranks), expected, "{dims:?} on {ranks} ranks");
        }
    }
}
