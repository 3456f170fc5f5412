//! The Laplace equation on a square, by Jacobi's iteration on a distributed array.
//!
//!     mpirun -n 4 target/release/examples/jacobi [POINTS]
//!
//! The potential is given on the edge of a grid of POINTS x POINTS points (66 if nothing is said); inside, each point takes
//! the mean of its four neighbours, again and again, until nothing changes. Each rank computes the points that it holds; what
//! it needs of its neighbours' (its *halo*) it reads from the array, without their help.

#![allow(clippy::cast_precision_loss, reason = "indices and counts are small")]

use ga::{Array, Context, ElementType, Reduction};
use section::{Layout, Section};
use std::process::ExitCode;

/// The iteration ends when no point changes by more than this.
const CHANGE_MAX: f64 = 1e-10;

/// A potential that fulfils the equation, also the one for differences of neighbours; so the result is known.
fn potential(row: u64, col: u64, points: u64) -> f64 {
    let at = |index: u64| index as f64 / (points - 1) as f64;
    at(row) * at(row) - at(col) * at(col) + 0.5 * at(row) * at(col)
}

/// The points inside the edge that this rank computes: those that it holds.
fn own_points(array: &Array) -> Option<Section> {
    let end = array.shape()[0] - 1;
    let inside = Section::new(&[1, 1], &[end, end]).expect("an inside");
    inside.clipped_to(&array.local_section()?)
}

/// Sets the points on the edge to the potential; those inside stay zero. Every rank does it for the points it holds.
fn set_edge(array: &mut Array) -> ga::Result<()> {
    let points = array.shape()[0];
    if let Some(mut block) = array.local::<f64>()? {
        let section = *block.section();
        for (element, index) in block.iter_mut().zip(section.indices()) {
            if index.iter().any(|&i| i == 0 || i == points - 1) {
                *element = potential(index[0], index[1], points);
            }
        }
    }
    array.release()
}

/// One step: `new` gets the means of the neighbours in `old`. Returns the largest change of the points of this rank.
fn step(old: &Array, new: &mut Array) -> ga::Result<f64> {
    let Some(own) = own_points(new) else { return Ok(0.0) };
    // This rank's points with one row or column more on each side, from wherever they are.
    let [lo, hi] = [own.lo(), own.hi()];
    let with_halo = Section::new(&[lo[0] - 1, lo[1] - 1], &[hi[0] + 1, hi[1] + 1])?;
    let before = old.view::<f64>()?.to_vec(&with_halo)?;

    let (cols, width) = (section::size(own.counts()[1]), section::size(with_halo.counts()[1]));
    let rows_before: Vec<&[f64]> = before.chunks_exact(width).collect();

    let mut change = 0.0f64;
    if let Some(mut block) = new.local::<f64>()? {
        // The block is dense; in it, this rank's points begin after what is edge.
        let in_block = own.relative_to(block.section().lo());
        let layout = Layout::dense(&block.section().counts());
        for (row, rows) in (in_block.lo()[0]..).zip(rows_before.windows(3)) {
            let first = layout.offset(&[row, in_block.lo()[1]]);
            for (col, point) in (1..).zip(&mut block[first..first + cols]) {
                *point = (rows[0][col] + rows[2][col] + rows[1][col - 1] + rows[1][col + 1]) / 4.0;
                change = change.max((*point - rows[1][col]).abs());
            }
        }
    }
    new.release()?;
    Ok(change)
}

/// The largest difference from the known solution, over all ranks.
fn error(array: &mut Array, ga: &Context) -> ga::Result<f64> {
    let points = array.shape()[0];
    let mut largest = [0.0f64];
    if let Some(block) = array.local::<f64>()? {
        for (element, index) in block.iter().zip(block.section().indices()) {
            largest[0] = largest[0].max((element - potential(index[0], index[1], points)).abs());
        }
    }
    ga.world().reduce(&mut largest, Reduction::Max)?;
    Ok(largest[0])
}

fn solve(points: u64) -> ga::Result<bool> {
    // Joins the other ranks; MPI is started if the program has not done so, and ends with the last array.
    let ga = Context::new()?;
    // Two arrays, distributed in blocks over all ranks: the last step and the next one.
    let mut old = ga.array(ElementType::Double, &[points, points]).name("potential").create()?;
    let mut new = old.duplicate("next potential")?;
    set_edge(&mut old)?;
    set_edge(&mut new)?;

    let mut steps = 0;
    loop {
        // What all ranks have written is seen by all ranks.
        ga.sync()?;
        let mut change = [step(&old, &mut new)?];
        std::mem::swap(&mut old, &mut new);
        steps += 1;
        ga.world().reduce(&mut change, Reduction::Max)?;
        if change[0] <= CHANGE_MAX {
            break;
        }
    }
    let error = error(&mut old, &ga)?;
    if ga.rank() == 0 {
        println!("{points} x {points} points on {} ranks: {steps} steps, error {error:.1e}", ga.ranks());
    }
    // Arrays are removed by all ranks together.
    old.destroy()?;
    new.destroy()?;
    // Each step takes away at least one part in POINTS^2 of what is left.
    Ok(error <= CHANGE_MAX * (points * points) as f64)
}

fn main() -> ExitCode {
    let points = std::env::args().nth(1).map_or(Ok(66), |argument| argument.parse());
    let Some(points) = points.ok().filter(|points| (3..=10_000).contains(points)) else {
        eprintln!("usage: jacobi [POINTS], from 3 to 10000");
        return ExitCode::from(2);
    };
    match solve(points) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("jacobi: the result is not the known solution");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("jacobi: {error}");
            ExitCode::FAILURE
        }
    }
}
