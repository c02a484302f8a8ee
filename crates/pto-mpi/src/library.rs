//! Finds the library, and which interface it has.

#![expect(unsafe_code, reason = "a library is loaded, and its functions are found by name")]

use crate::calls::{MpiCalls, MpiFunctions, MpichInterface, OpenMpiInterface};
use crate::constants::MpiConstants;
use crate::error::MpiError;
use crate::launch::Launcher;
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

/// A library that is loaded, and not initialised.
pub(crate) struct MpiLibrary {
    pub(crate) path: String,
    pub(crate) version: String,
    pub(crate) calls: Box<dyn MpiCalls>,
    pub(crate) constants: MpiConstants,
}

#[cfg(not(target_os = "macos"))]
const OPEN_MPI: &[&str] = &["libmpi.so.40", "libmpi.so"];
#[cfg(not(target_os = "macos"))]
const MPICH: &[&str] = &["libmpich.so.12", "libmpi.so.12", "libmpi.so"];
#[cfg(target_os = "macos")]
const OPEN_MPI: &[&str] = &["libmpi.40.dylib", "libmpi.dylib"];
#[cfg(target_os = "macos")]
const MPICH: &[&str] = &["libmpich.12.dylib", "libmpi.12.dylib", "libmpi.dylib", "libpmpi.12.dylib"];

/// The longest text that `MPI_Get_library_version` and `MPI_Error_string` write in any library.
pub(crate) const LONGEST_TEXT: usize = 8192;

/// Loads the library that `PTO_MPI` names, or the one of a launcher.
pub(crate) fn load(launcher: Option<Launcher>) -> Result<MpiLibrary, MpiError> {
    if let Some(path) = std::env::var("PTO_MPI").ok().filter(|path| !path.is_empty()) {
        let not_found = |why| MpiError::NotFound { launcher, tried: vec![(path.clone(), why)], from_variable: true };
        return with_interface(&path, &open(&path, None).map_err(not_found)?);
    }
    let mut tried = Vec::new();
    for path in candidates(launcher) {
        match open(&path, launcher) {
            Ok(symbols) => return with_interface(&path, &symbols),
            Err(why) => tried.push((path, why)),
        }
    }
    Err(MpiError::NotFound { launcher, tried, from_variable: false })
}

/// Names for the loader, then paths beside the launchers that are installed: many systems keep MPI off the loader's path.
fn candidates(launcher: Option<Launcher>) -> Vec<String> {
    let names: Vec<&str> = match launcher {
        Some(Launcher::OpenMpi) => OPEN_MPI.to_vec(),
        Some(Launcher::Mpich) => MPICH.to_vec(),
        Some(Launcher::Slurm) | None => [MPICH, OPEN_MPI].concat(),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let bins = std::env::split_paths(&path).filter(|dir| dir.join("mpiexec").exists());
    let libs = bins.filter_map(|dir| Some([dir.parent()?.join("lib"), dir.parent()?.join("lib64")]));
    let beside = libs.flatten().flat_map(|lib| names.iter().map(move |name| lib.join(name)).collect::<Vec<PathBuf>>());
    let beside = beside.filter(|path| path.exists()).map(|path| path.to_string_lossy().into_owned());
    let mut all: Vec<String> = names.iter().map(|name| (*name).to_string()).chain(beside).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|path| seen.insert(path.clone()));
    all
}

/// Decides the interface by what the library exports and says of itself.
fn with_interface(path: &str, symbols: &MpiSymbols) -> Result<MpiLibrary, MpiError> {
    let missing = |symbol: String| MpiError::MissingSymbol { path: path.to_string(), symbol };
    let version = symbols.version().ok_or_else(|| missing("MPI_Get_library_version".to_string()))?;
    let find = |name: &str| symbols.find(name);
    let (calls, constants): (Box<dyn MpiCalls>, MpiConstants) = if symbols.is_open_mpi() {
        let address = |name: &str| symbols.find(name).map(<*mut c_void>::expose_provenance);
        let constants = MpiConstants::open_mpi(&address).map_err(missing)?;
        // SAFETY: only Open MPI has its symbols. The library is never unloaded.
        let functions = unsafe { MpiFunctions::<OpenMpiInterface>::load(&find) };
        (Box::new(functions.map_err(|name| missing(name.to_string()))?), constants)
    } else if ["MPICH", "Intel(R) MPI", "MVAPICH"].iter().any(|name| version.contains(name)) {
        // SAFETY: the library says that it is one of those with this interface. It is never unloaded.
        let functions = unsafe { MpiFunctions::<MpichInterface>::load(&find) };
        (Box::new(functions.map_err(|name| missing(name.to_string()))?), MpiConstants::mpich())
    } else {
        return Err(MpiError::UnknownInterface { path: path.to_string(), version });
    };
    Ok(MpiLibrary { path: path.to_string(), version, calls, constants })
}

/// A loaded library, which stays loaded: its threads and exit handlers outlive what uses it.
struct MpiSymbols {
    #[cfg(unix)]
    library: std::mem::ManuallyDrop<libloading::os::unix::Library>,
}

/// Loads a library, unless it belongs to another launcher.
#[cfg(unix)]
fn open(path: &str, launcher: Option<Launcher>) -> Result<MpiSymbols, String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
    use std::mem::ManuallyDrop;
    let load = |flags| {
        // SAFETY: libraries of MPI do nothing but set themselves up when they are loaded.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | flags) };
        library.map(|library| MpiSymbols { library: ManuallyDrop::new(library) }).map_err(|error| why(&error))
    };
    let looked_at = load(RTLD_LOCAL)?;
    let belongs = match launcher {
        Some(Launcher::OpenMpi) => looked_at.is_open_mpi(),
        Some(Launcher::Mpich) => !looked_at.is_open_mpi(),
        Some(Launcher::Slurm) | None => true,
    };
    if !belongs {
        drop(ManuallyDrop::into_inner(looked_at.library));
        return Err("belongs to another launcher".to_string());
    }
    // Open MPI loads its components itself, and they look for its symbols: those must be global. Those of a library that is
    // not used must not be.
    load(RTLD_GLOBAL)
}

/// What the loader said, which `libloading` keeps as the source of its own words.
#[cfg(unix)]
fn why(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(not(unix))]
fn open(_path: &str, _launcher: Option<Launcher>) -> Result<MpiSymbols, String> {
    Err("no MPI is supported on this system".to_string())
}

impl MpiSymbols {
    #[cfg(unix)]
    fn find(&self, name: &str) -> Option<*mut c_void> {
        // SAFETY: the symbol is only used as an address.
        let symbol = unsafe { self.library.get::<*mut c_void>(name) };
        symbol.ok().map(|symbol| *symbol).filter(|address| !address.is_null())
    }

    #[cfg(not(unix))]
    fn find(&self, _name: &str) -> Option<*mut c_void> {
        None
    }

    fn is_open_mpi(&self) -> bool {
        self.find("ompi_mpi_comm_world").is_some()
    }

    /// What the library says it is, which it does before it is initialised too.
    fn version(&self) -> Option<String> {
        type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
        let address = self.find("MPI_Get_library_version")?;
        // SAFETY: the function has this type in every interface: no handle is passed.
        let version = unsafe { std::mem::transmute::<*mut c_void, Version>(address) };
        let mut text = vec![0_u8; LONGEST_TEXT];
        let mut length = 0;
        // SAFETY: no library writes a longer text.
        unsafe { version(text.as_mut_ptr().cast(), &raw mut length) };
        let text = text_of(&text, length);
        let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
        Some(words.join(" "))
    }
}

/// A text that MPI wrote.
pub(crate) fn text_of(bytes: &[u8], length: c_int) -> String {
    let length = usize::try_from(length).unwrap_or(0).min(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).trim_end_matches('\0').trim().to_string()
}
