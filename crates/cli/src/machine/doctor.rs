pub(crate) fn run(_: &crate::options::Doctor) -> crate::error::Result<()> {
    Ok(())
}
