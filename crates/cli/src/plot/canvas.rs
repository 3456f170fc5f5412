//! Points of three colours, and the file they become.

use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// A picture, white at first.
#[derive(Debug)]
pub(super) struct Canvas {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let points = section::size(u64::from(width) * u64::from(height));
        Self { width, height, bytes: vec![255; 3 * points] }
    }

    /// Writes it as a PNG.
    pub(super) fn write_png(&self, file: File) -> io::Result<()> {
        let mut out = BufWriter::new(file);
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.bytes)?;
        writer.finish()?;
        out.flush()
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.width, self.height)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    /// Points outside are left out.
    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(point, colour) in pixels {
            let (Ok(x), Ok(y)) = (u32::try_from(point.x), u32::try_from(point.y)) else { continue };
            if x < self.width && y < self.height {
                let at = 3 * section::size(u64::from(y) * u64::from(self.width) + u64::from(x));
                self.bytes[at..at + 3].copy_from_slice(&[colour.r(), colour.g(), colour.b()]);
            }
        }
        Ok(())
    }
}
