//! On macOS, symbols that are found when a module is loaded need an option of the linker.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
