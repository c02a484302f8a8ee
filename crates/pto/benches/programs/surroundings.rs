//! The processor, and the environment in which peers use as much of it as the engine.

/// The name of the processor.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    let name = field("model name").unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let model = field("model").map_or(String::new(), |model| format!(", model {model}"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}{model}, {cores} cores")
}

/// The level that the environment asks for.
pub fn level() -> Option<String> {
    std::env::var("PTO_CPU_LEVEL").ok().filter(|level| !level.is_empty()).map(|level| level.to_lowercase())
}

/// Variables that limit the threads of peers. ONNX Runtime and PyTorch are told also by their own functions.
pub fn of_threads(threads: u32) -> Vec<(&'static str, String)> {
    let names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PJRT_NPROC", "NPROC"];
    names.iter().map(|name| (*name, threads.to_string())).collect()
}

/// The features that NumPy chooses its loops by, in the names of its versions. It ignores those that it does not know.
const NUMPY_V4: &str = "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX";
const NUMPY_MORE: &str = "AVX512_CNL AVX512_ICL AVX512_SPR";

/// Variables that limit the instructions of peers to a level: of OpenBLAS, NumPy, oneDNN, PyTorch, MKL and XLA.
pub fn of_level(level: Option<&str>) -> Vec<(&'static str, String)> {
    let named = |[blas, numpy, onednn, torch, mkl, xla]: [&str; 6]| {
        vec![
            ("OPENBLAS_CORETYPE", blas.to_string()),
            ("NPY_DISABLE_CPU_FEATURES", numpy.to_string()),
            ("ONEDNN_MAX_CPU_ISA", onednn.to_string()),
            ("ATEN_CPU_CAPABILITY", torch.to_string()),
            ("MKL_ENABLE_INSTRUCTIONS", mkl.to_string()),
            ("XLA_FLAGS", format!("--xla_cpu_max_isa={xla}")),
        ]
    };
    let all = format!("X86_V3 AVX2 FMA3 {NUMPY_V4} {NUMPY_MORE}");
    let beyond_v3 = format!("{NUMPY_V4} {NUMPY_MORE}");
    match level {
        Some("baseline") => named(["Nehalem", &all, "SSE41", "default", "SSE4_2", "SSE4_2"]),
        Some("v3") => named(["Haswell", &beyond_v3, "AVX2", "avx2", "AVX2", "AVX2"]),
        Some("v4") => named(["SkylakeX", NUMPY_MORE, "AVX512_CORE", "avx512", "AVX512", "AVX512"]),
        Some("vnni") => named(["SkylakeX", NUMPY_MORE, "AVX512_CORE_VNNI", "avx512", "AVX512_E1", "AVX512_VNNI"]),
        _ => Vec::new(),
    }
}
