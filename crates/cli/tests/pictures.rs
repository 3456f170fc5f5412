//! `plot`: the colours are where the elements are.

mod support;

use disk_array::{ArrayDirectory, DataType};
use section::Section;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use support::{arguments, done, spec};

/// The picture's width, height and points.
fn decode(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width, info.height, bytes.as_chunks::<3>().0.to_vec())
}

fn make(path: &Path, dims: &[u64], brick: &[u64], value: impl Fn(&[u64]) -> f64) {
    let array = ArrayDirectory::create(path, &spec(dims, brick, DataType::Float64)).unwrap();
    let whole = Section::whole(dims).unwrap();
    let elements: Vec<u8> = whole.indices().flat_map(|at| value(&at).to_le_bytes()).collect();
    array.write(&whole, &elements).unwrap();
}

/// Where the drawing begins, and the colours of two anchors.
const LEFT: u32 = 90;
const TOP: u32 = 40;
const RED: [u8; 3] = [134, 20, 38];
const BLUE: [u8; 3] = [23, 60, 130];
const WHITE: [u8; 3] = [247, 247, 247];
const GREY: [u8; 3] = [190, 190, 190];

#[test]
fn a_heat_map_has_the_elements_in_their_places() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, picture) = (scratch.path().join("array"), scratch.path().join("a.png"));
    // 300 x 400, one point each: a corner red, one blue, one without a number.
    make(&path, &[2, 300, 400], &[1, 70, 90], |at| match (at[0], at[1], at[2]) {
        (1, i, j) if i < 100 && j < 100 => 4.0,
        (1, i, j) if i >= 200 && j < 100 => -4.0,
        (1, i, j) if i < 100 && j >= 300 => f64::NAN,
        _ => 0.0,
    });
    done(arguments!["plot", &path, "-o", &picture, "--slice", "1,:,:"]);
    let (width, height, points) = decode(&picture);
    assert!(width > LEFT + 400 && height > TOP + 300);
    let at = |i: u32, j: u32| points[((TOP + i) * width + LEFT + j) as usize];
    for (i, j, colour) in [
        (0, 0, RED),
        (99, 99, RED),
        (100, 99, WHITE),
        (99, 100, WHITE),
        (200, 0, BLUE),
        (299, 99, BLUE),
        (50, 300, GREY),
        (99, 399, GREY),
        (299, 399, WHITE),
    ] {
        assert_eq!(at(i, j), colour, "at {i}, {j}");
    }
}

#[test]
fn what_is_larger_than_the_picture_is_averaged_or_shown_by_its_ends() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("array");
    // Four times as many as points, alternating within a point, but for the last column.
    make(&path, &[4, 4000], &[2, 300], |at| if at[1] >= 3996 || at[1] % 2 == 0 { 1.0 } else { -1.0 });
    let points = |more: &[&str], name: &str| {
        let picture = scratch.path().join(name);
        let mut plot = arguments!["plot", &path, "-o", &picture].to_vec();
        plot.extend(more.iter().map(std::ffi::OsString::from));
        done(&plot);
        let (width, _, points) = decode(&picture);
        [0, 500, 999].map(|j| points[((TOP + 5) * width + LEFT + j) as usize])
    };
    let mean = points(&[], "mean.png");
    assert!(mean[0] == mean[1] && mean[0] != mean[2], "{mean:?}");
    let max = points(&["--show", "max"], "max.png");
    assert!(max[0] == max[2], "{max:?}");
}

#[test]
fn a_line_is_drawn_through_its_elements_and_missing_ones_are_zero() {
    let scratch = tempfile::tempdir().unwrap();
    let (path, picture) = (scratch.path().join("array"), scratch.path().join("a.png"));
    let array = ArrayDirectory::create(&path, &spec(&[1000, 3], &[100, 3], DataType::Complex128)).unwrap();
    let one = [3f64.to_le_bytes(), (-4f64).to_le_bytes()].concat();
    array.write(&Section::new(&[500, 1], &[1000, 2]).unwrap(), &one.repeat(500)).unwrap();
    done(arguments!["plot", &path, "-o", &picture, "--slice", ":,1"]);
    let (width, height, points) = decode(&picture);
    let line = |x: u32| -> Vec<u32> {
        (TOP..height - 60).filter(|y| points[(y * width + LEFT + x) as usize] == BLUE).collect()
    };
    let (left, right) = (line(100), line(900));
    assert!(left.len() == 1 && right.len() == 1 && left[0] > right[0] + 300, "{left:?} {right:?}");
}

#[test]
fn logarithms_small_arrays_and_single_elements_make_pictures_too() {
    let scratch = tempfile::tempdir().unwrap();
    let (large, one) = (scratch.path().join("large"), scratch.path().join("one"));
    make(&large, &[30, 40], &[7, 9], |at| {
        10f64.powi(-i32::try_from(at[0]).unwrap()) * if at[1] % 2 == 0 { -1.0 } else { 0.0 }
    });
    make(&one, &[1], &[1], |_| f64::NAN);
    for (number, more) in
        [&["--log"][..], &["--log", "--slice", "3,:"], &["--slice", "0:1,5:6"], &["--slice", "29,:"]]
            .iter()
            .enumerate()
    {
        let picture = scratch.path().join(format!("{number}.png"));
        let mut plot = arguments!["plot", &large, "-o", &picture].to_vec();
        plot.extend(more.iter().map(std::ffi::OsString::from));
        done(&plot);
        decode(&picture);
    }
    done(arguments!["plot", &one, "-o", scratch.path().join("one.png")]);
    decode(&scratch.path().join("one.png"));
}
