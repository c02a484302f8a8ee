//! Editors that are installed here, attached to `pto lsp`.

use libtest_mimic::{Failed, Trial};
use std::path::Path;
use std::process::Command;

pub(crate) fn trials() -> Vec<Trial> {
    let version = Command::new("nvim").arg("--version").output();
    let no_neovim = !version.is_ok_and(|out| out.status.success());
    vec![Trial::test("editors/neovim", neovim).with_ignored_flag(no_neovim)]
}

fn neovim() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/neovim.lua");
    let out = Command::new("nvim")
        .args(["--headless", "--clean", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(dir.path())
        .env("PTO", env!("CARGO_BIN_EXE_pto"))
        .output()?;
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if out.status.success() && said.contains("all well") { Ok(()) } else { Err(said.into()) }
}
