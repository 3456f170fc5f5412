//! Arrays as text: what legacy programs print and people compare.
//!
//! Everything here is written as column-major, one-based callers see it, whatever language they are written in: the first
//! of their dimensions is the last one here. A matrix is printed with their first dimension downwards.

use crate::element::with_element;
use crate::patch_ops::collectively;
use crate::{Array, Element, ElementType, Result, Scalar};
use num_complex::Complex;
use section::{Section, Shape};
use std::fmt::Write;
use std::ops::Range;

/// Columns side by side in a table.
const COLUMNS_MAX: usize = 6;

/// Elements that are read at a time.
const ELEMENTS_MAX: usize = 1 << 16;

/// From here on real numbers are written with an exponent.
const FIXED_MAX: f64 = 1e5;

/// How the elements of an array are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// Matrices of up to six columns, with the numbers of rows and columns: `ga_print`.
    Table,
    /// One line for each row, with nothing but elements: `ga_print_patch` with `pretty` 0.
    Rows,
    /// One line for each element, with its name and subscripts: `nga_print_patch` with `pretty` 0.
    Elements,
}

/// How sections of a distribution are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscripts {
    /// From zero, the last one varies fastest.
    C,
    /// From one, the first one varies fastest.
    Fortran,
}

impl Array {
    /// A section, or all of the array, as text; on rank 0 of the group, `None` on others. `handle` is the number by which the
    /// caller knows the array. Collective over the array's group.
    ///
    /// Cost: rank 0 reads the section in rows, and has the whole text in memory.
    ///
    /// # Errors
    /// - [`Error::OutOfRange`](crate::Error::OutOfRange): the section is not in the array.
    /// - [`Error::Comm`](crate::Error::Comm): MPI failed. [`Error::OnRank`](crate::Error::OnRank): one of these on another rank.
    pub fn text(&self, section: Option<&Section>, style: TextStyle, handle: i64) -> Result<Option<String>> {
        let section = section.copied().unwrap_or_else(|| self.whole());
        collectively(self, self.check_section(&section), |()| {
            if self.group().rank() > 0 {
                return Ok(None);
            }
            let mut text = Text { array: self, out: String::new() };
            text.write(&section, style, handle)?;
            Ok(Some(text.out))
        })
    }

    /// Which rank holds which section, as text. Local, the same on every rank.
    pub fn distribution_text(&self, handle: i64, subscripts: Subscripts) -> String {
        let type_name = match self.element_type() {
            ElementType::Double => "double",
            other => legacy_name(other),
        };
        let (name, extents) = (self.name(), self.extents_text(subscripts, "x"));
        let ranks = (0..self.group().ranks()).map(|rank| {
            format!("Process={rank}\t owns array section: [{}] \n", self.bounds_text(rank, subscripts))
        });
        [format!("Array Handle={handle} Name:'{name}' Data Type:{type_name}\nArray Dimensions:{extents}\n")]
            .into_iter()
            .chain(ranks)
            .collect()
    }

    /// One line for number `number` of a list of arrays, and one for each rank's block if `blocks` says so. Local, the same
    /// on every rank.
    pub fn summary_text(&self, number: usize, handle: i64, blocks: bool) -> String {
        let extents = self.extents_text(Subscripts::Fortran, ",");
        let (type_name, name) = (legacy_name(self.element_type()), self.name());
        let ranks = (0..if blocks { self.group().ranks() } else { 0 })
            .map(|rank| format!("    ({}) -> {rank} \n", self.bounds_text(rank, Subscripts::Fortran)));
        [format!("  array {number} => {type_name} {name}({extents}),  handle: {handle} \n")]
            .into_iter()
            .chain(ranks)
            .collect()
    }

    fn extents_text(&self, subscripts: Subscripts, between: &str) -> String {
        let extents: Vec<String> = self.shape().iter().map(u64::to_string).collect();
        ordered(&extents, subscripts).join(between)
    }

    /// First and last index of a rank's block in each dimension; of one that has none, a last one before the first.
    fn bounds_text(&self, rank: usize, subscripts: Subscripts) -> String {
        let block = self.distribution().block_of(rank);
        let dims = self.shape().len();
        let bounds = (0..dims).map(|d| match (&block, subscripts) {
            (Some(block), Subscripts::C) => format!("{}:{}", block.lo()[d], block.hi()[d] - 1),
            (Some(block), Subscripts::Fortran) => format!("{}:{}", block.lo()[d] + 1, block.hi()[d]),
            (None, Subscripts::C) => "-1:-2".to_owned(),
            (None, Subscripts::Fortran) => "0:-1".to_owned(),
        });
        ordered(&bounds.collect::<Vec<_>>(), subscripts).join(",")
    }
}

/// What the legacy calls name a type.
fn legacy_name(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Int => "integer",
        ElementType::Long => "long",
        ElementType::Float => "float",
        ElementType::Double => "double precision",
        ElementType::SingleComplex => "float (single) complex",
        ElementType::DoubleComplex => "double complex",
    }
}

/// Values for each dimension in the order of a language.
fn ordered<T: Clone>(values: &[T], subscripts: Subscripts) -> Vec<T> {
    match subscripts {
        Subscripts::C => values.to_vec(),
        Subscripts::Fortran => values.iter().rev().cloned().collect(),
    }
}

/// The text of a section, as it grows.
struct Text<'a> {
    array: &'a Array,
    out: String,
}

impl Text<'_> {
    fn write(&mut self, section: &Section, style: TextStyle, handle: i64) -> Result<()> {
        let name = self.array.name().to_owned();
        self.line(format_args!("\n global array: {name}[{}],  handle: {handle} ", bounds(section).join(",")));
        if style == TextStyle::Elements {
            return self.each(section, |text, index, element| {
                let subscripts: Vec<String> =
                    index.iter().rev().map(|index| (index + 1).to_string()).collect();
                text.line(format_args!("{name}({}) = {}", subscripts.join(","), in_words(element)));
            });
        }
        if section.dims() == 1 {
            return self.each(section, |text, index, element| match style {
                TextStyle::Rows => text.line(format_args!("{}", in_column(element))),
                _ => text.line(format_args!("{:4}  {}", index[0] + 1, in_column(element))),
            });
        }
        for slice in slices(section) {
            if section.dims() > 2 {
                self.line(format_args!("\n -- patch: {name}[{}]", slice_bounds(&slice)));
            }
            match style {
                TextStyle::Rows => self.rows(&slice, false)?,
                _ => self.tables(&slice)?,
            }
        }
        Ok(())
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{line}").expect("a string takes everything");
    }

    /// The elements of a section that is small enough.
    fn read(&self, section: &Section) -> Result<Vec<Scalar>> {
        fn scalars<T: Element>(array: &Array, section: &Section) -> Result<Vec<Scalar>> {
            Ok(array.view::<T>()?.to_vec(section)?.into_iter().map(Into::into).collect())
        }
        with_element!(self.array.element_type(), T => scalars::<T>(self.array, section))
    }

    /// Calls `write` with the elements in row-major order, each with its index.
    fn each(&mut self, section: &Section, mut write: impl FnMut(&mut Self, &Shape, Scalar)) -> Result<()> {
        for start in (0..section.len()).step_by(ELEMENTS_MAX) {
            let end = section.len().min(start + ELEMENTS_MAX as u64);
            for part in section.boxes_of_range(start..end) {
                let elements = self.read(&part)?;
                part.indices().zip(elements).for_each(|(index, element)| write(self, &index, element));
            }
        }
        Ok(())
    }

    /// The matrix of a slice in tables, one below the other.
    fn tables(&mut self, slice: &Section) -> Result<()> {
        let along = slice.dims() - 2;
        let column = Column::of(self.array.element_type());
        let count = slice.counts()[along];
        for start in (0..count).step_by(COLUMNS_MAX) {
            let columns = some_of(slice, along, start..count.min(start + COLUMNS_MAX as u64));
            self.line(format_args!("\n{}", column.heads(indices_along(&columns, along))));
            self.rows(&columns, true)?;
        }
        Ok(())
    }

    /// The matrix of a slice line by line, with or without their numbers.
    fn rows(&mut self, slice: &Section, numbered: bool) -> Result<()> {
        let (down, across) = (slice.dims() - 1, slice.dims() - 2);
        let [height, width] = [down, across].map(|dim| section::size(slice.counts()[dim]));
        let at_once = (ELEMENTS_MAX / width.max(1)).max(1);
        for start in (0..height).step_by(at_once) {
            let part = some_of(slice, down, start as u64..height.min(start + at_once) as u64);
            let (elements, height) = (self.read(&part)?, section::size(part.counts()[down]));
            for (row, index) in indices_along(&part, down).enumerate() {
                let line: String =
                    (0..width).map(|column| in_column(elements[column * height + row])).collect();
                let number = if numbered { format!("{:4}  ", index + 1) } else { String::new() };
                self.line(format_args!("{number}{line}"));
            }
        }
        Ok(())
    }
}

/// How a column of a table is laid out.
struct Column {
    /// Characters of an element.
    width: usize,
    /// Where the number of the column ends, in a column with the space before it.
    number_end: usize,
}

impl Column {
    fn of(element_type: ElementType) -> Self {
        let (width, number_end) = match element_type {
            ElementType::Int | ElementType::Long => (8, 6),
            ElementType::Float | ElementType::Double => (11, 7),
            ElementType::SingleComplex | ElementType::DoubleComplex => (23, 16),
        };
        Self { width, number_end }
    }

    /// The numbers of columns and a line below them.
    fn heads(&self, columns: impl Iterator<Item = u64>) -> String {
        let (before, after) = (self.number_end, self.width + 1 - self.number_end);
        let numbers: Vec<String> =
            columns.map(|column| format!("{:>before$}{:after$}", column + 1, "")).collect();
        let line = format!(" {}", "-".repeat(self.width)).repeat(numbers.len());
        format!("      {}  \n      {line}", numbers.concat().trim_end())
    }
}

/// First and last subscript in each dimension, in the callers' order.
fn bounds(section: &Section) -> Vec<String> {
    let counts = section.counts();
    let last =
        |d: usize| section.lo()[d] + counts[d].saturating_sub(1) * section.step()[d] + counts[d].min(1);
    (0..section.dims()).rev().map(|d| format!("{}:{}", section.lo()[d] + 1, last(d))).collect()
}

/// The same for a slice, with one subscript for each dimension that does not belong to the matrix.
fn slice_bounds(slice: &Section) -> String {
    let others = (0..slice.dims() - 2).rev().map(|d| (slice.lo()[d] + 1).to_string());
    bounds(slice).into_iter().take(2).chain(others).collect::<Vec<_>>().join(",")
}

/// The matrices that a section of two or more dimensions consists of, none if it has no elements.
fn slices(section: &Section) -> Vec<Section> {
    let outer = section.dims() - 2;
    if section.is_empty() {
        return vec![];
    }
    let Ok(others) =
        Section::with_step(&section.lo()[..outer], &section.hi()[..outer], &section.step()[..outer])
    else {
        return vec![*section];
    };
    let slice = |index: Shape| {
        let lo: Vec<u64> = index.iter().chain(&section.lo()[outer..]).copied().collect();
        let hi: Vec<u64> =
            index.iter().map(|index| index + 1).chain(section.hi()[outer..].iter().copied()).collect();
        Section::with_step(&lo, &hi, section.step()).expect("a part of a section is one")
    };
    others.indices().map(slice).collect()
}

/// The elements number `range` along a dimension.
fn some_of(section: &Section, dim: usize, range: Range<u64>) -> Section {
    let (mut lo, mut hi, step) = (section.lo().to_vec(), section.hi().to_vec(), section.step()[dim]);
    hi[dim] = lo[dim] + (range.end - 1) * step + 1;
    lo[dim] += range.start * step;
    Section::with_step(&lo, &hi, section.step()).expect("a part of a section is one")
}

fn indices_along(section: &Section, dim: usize) -> impl Iterator<Item = u64> + use<> {
    let (lo, step) = (section.lo()[dim], section.step()[dim]);
    (0..section.counts()[dim]).map(move |i| lo + i * step)
}

/// An element in a table, with the space before it.
fn in_column(element: Scalar) -> String {
    match element {
        Scalar::Int(value) => format!(" {value:8}"),
        Scalar::Long(value) => format!(" {value:8}"),
        Scalar::Float(value) => format!(" {:>11}", real(value.into(), 5)),
        Scalar::Double(value) => format!(" {:>11}", real(value, 5)),
        Scalar::SingleComplex(z) => in_column(Complex::new(f64::from(z.re), f64::from(z.im)).into()),
        Scalar::DoubleComplex(z) => {
            let [re, im] = parts(z, 5);
            format!(" {re:>11},{im:>11}")
        }
    }
}

/// An element by itself.
fn in_words(element: Scalar) -> String {
    match element {
        Scalar::Int(value) => value.to_string(),
        Scalar::Long(value) => value.to_string(),
        Scalar::Float(value) => real(value.into(), 6),
        Scalar::Double(value) => real(value, 6),
        Scalar::SingleComplex(z) => in_words(Complex::new(f64::from(z.re), f64::from(z.im)).into()),
        Scalar::DoubleComplex(z) => {
            let [re, im] = parts(z, 6);
            format!("({re},{im})")
        }
    }
}

fn real(value: f64, digits: usize) -> String {
    if value < FIXED_MAX { fixed(value, digits) } else { with_exponent(value, digits) }
}

/// Both parts are written as the real one is.
fn parts(z: Complex<f64>, digits: usize) -> [String; 2] {
    let write = if z.re < FIXED_MAX { fixed } else { with_exponent };
    [write(z.re, digits), write(z.im, digits)]
}

/// As C's `%f`.
fn fixed(value: f64, digits: usize) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:.digits$}") }
}

/// As C's `%e`, whose exponents have a sign and at least two digits.
fn with_exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{mantissa}e-{exponent:0>2}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        },
        None => fixed(value, digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_numbers_are_written_as_c_writes_them() {
        let column = |value: f64| in_column(value.into());
        assert_eq!(column(-1.35), "    -1.35000");
        assert_eq!(column(123_456.789), " 1.23457e+05");
        assert_eq!(column(-123_456.789), " -123456.78900");
        assert_eq!(column(1e300), " 1.00000e+300");
        assert_eq!(column(-1e-300), "    -0.00000");
        assert_eq!(column(f64::NAN), "         nan");
        assert_eq!(column(f64::INFINITY), "         inf");
        assert_eq!(in_words(123_456.789f64.into()), "1.234568e+05");
        assert_eq!(in_words(2.5f32.into()), "2.500000");
    }

    #[test]
    fn both_parts_of_a_complex_number_have_an_exponent_or_none() {
        let z = Complex::new(123_456.789, -61_728.394_5);
        assert_eq!(in_column(z.into()), " 1.23457e+05,-6.17284e+04");
        assert_eq!(in_words(z.into()), "(1.234568e+05,-6.172839e+04)");
        assert_eq!(in_column(Complex::new(0.5f32, -1.0).into()), "     0.50000,   -1.00000");
    }

    #[test]
    fn integers_have_eight_places_and_more_if_they_need_them() {
        assert_eq!(in_column(Scalar::Int(-64)), "      -64");
        assert_eq!(in_column(Scalar::Long(12_345_678_901_234)), " 12345678901234");
    }

    #[test]
    fn the_numbers_of_columns_stand_over_them() {
        let heads = |element_type| Column::of(element_type).heads(1..3);
        assert_eq!(heads(ElementType::Double), "            2           3  \n       ----------- -----------");
        assert_eq!(heads(ElementType::Int), "           2        3  \n       -------- --------");
        let complex = "                     2                       3  \n       ----------------------- -----------------------";
        assert_eq!(heads(ElementType::DoubleComplex), complex);
    }

    #[test]
    fn slices_follow_each_other_as_a_fortran_program_counts() {
        let section = Section::new(&[1, 0, 2, 0], &[3, 2, 5, 4]).unwrap();
        let found: Vec<String> = slices(&section).iter().map(slice_bounds).collect();
        assert_eq!(found, ["1:4,3:5,1,2", "1:4,3:5,2,2", "1:4,3:5,1,3", "1:4,3:5,2,3"]);
        assert_eq!(slices(&Section::whole(&[3, 4]).unwrap()), [Section::whole(&[3, 4]).unwrap()]);
    }
}
