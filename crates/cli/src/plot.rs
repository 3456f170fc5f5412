//! `chemio plot`: a picture of a slice.

pub(crate) fn run(_: &crate::options::Plot) -> crate::error::Result<()> {
    Ok(())
}
