//! What must be said of the machine beside every figure: processor, its instructions, kernel, and how fast it signs.
//!
//! Read from `/proc`, so on other systems than Linux the facts are empty. Not here: any judgement. Called by every report.

use std::fmt;
use std::time::Instant;

use bartizan_crypto::{PrivateKey, SignatureAlg};

use crate::{Error, sample};

/// Instructions that move the figures of cryptography or of scanning text, in the words of `/proc/cpuinfo`.
const TELLING: &[&str] =
    &["sha_ni", "aes", "vaes", "vpclmulqdq", "avx2", "bmi2", "adx", "avx512f", "avx512bw", "avx512ifma"];

/// Facts of the machine that a run was made on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The processor as it names itself.
    pub cpu: String,
    /// Family, model and stepping: names repeat over generations.
    pub model: String,
    /// Which of the telling instructions it has: SHA-NI, AES, AVX-512 IFMA and so on.
    pub flags: Vec<&'static str>,
    /// Logical processors online.
    pub cores: usize,
    /// Kernel release.
    pub kernel: String,
}

impl Machine {
    /// Reads the facts; what cannot be read is left empty.
    #[must_use]
    pub fn read() -> Machine {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Machine::from_text(&cpuinfo, &kernel)
    }

    /// The facts in the two texts of `/proc`.
    fn from_text(cpuinfo: &str, kernel: &str) -> Machine {
        let value = |wanted: &str| {
            let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(key, _)| key.trim() == wanted).map_or("", |(_, value)| value.trim())
        };
        let has: Vec<&str> = value("flags").split_ascii_whitespace().collect();
        let model = format!("{}/{}/{}", value("cpu family"), value("model"), value("stepping"));
        Machine {
            cpu: value("model name").to_owned(),
            model: if model == "//" { String::new() } else { model },
            flags: TELLING.iter().copied().filter(|flag| has.contains(flag)).collect(),
            cores: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
            kernel: kernel.trim().to_owned(),
        }
    }

    /// Whether RSA runs on AVX-512 IFMA here: then a 2048-bit signature costs about a third of what it does elsewhere.
    #[must_use]
    pub fn has_ifma(&self) -> bool {
        self.flags.contains(&"avx512ifma")
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}), {} cores, Linux {}", self.cpu, self.model, self.cores, self.kernel)?;
        write!(f, ", {}", self.flags.join(" "))
    }
}

/// Wall µs of one RSA-SHA256 signature with this key: the figure that tells which sort of machine it is. Takes about 0.1 s.
///
/// # Errors
/// [`Error::Crypto`] if the key is not RSA.
pub fn signing_micros(key: &PrivateKey) -> Result<f64, Error> {
    let mut rounds = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..20 {
            std::hint::black_box(key.sign(SignatureAlg::RsaSha256, b"a message of the lab")?);
        }
        rounds.push(start.elapsed().as_secs_f64() * 1e6 / 20.0);
    }
    Ok(sample::best(&rounds).unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests;
