//! What the command line asks for.

use super::peer::KINDS;

/// Which programs to compare, with whom, and how.
pub struct Request {
    /// The names of programs contain it.
    pub name: String,
    pub threads: Vec<u32>,
    /// Those to start a process for; none: the one that the environment asks for.
    pub levels: Vec<String>,
    /// By their names in Python.
    pub peers: Vec<&'static str>,
    pub by_hand: bool,
    pub rounds: u32,
    arguments: Vec<String>,
}

const LEVELS: [&str; 5] = ["baseline", "v3", "v4", "vnni", "amx"];

impl Request {
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut request = Self {
            name: String::new(),
            threads: vec![1, 2],
            levels: Vec::new(),
            peers: KINDS.iter().map(|kind| kind.package).collect(),
            by_hand: true,
            rounds: 8,
            arguments: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // What Cargo says to every bench.
                "--bench" => continue,
                option if option.starts_with("--") => {
                    let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
                    request.set(option, &value)?;
                    request.arguments.extend([argument, value]);
                }
                name => {
                    request.name = name.to_string();
                    request.arguments.push(argument);
                }
            }
        }
        Ok(request)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), String> {
        let count =
            |text: &str| text.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("{option} {text}: no count"));
        let list = || value.split(',').map(str::trim);
        match option {
            "--threads" => self.threads = list().map(count).collect::<Result<_, _>>()?,
            "--rounds" => self.rounds = count(value)?,
            "--level" => self.levels = list().map(level).collect::<Result<_, _>>()?,
            "--peers" => {
                self.by_hand = list().any(|name| name == "hand");
                self.peers = list().filter(|name| *name != "hand").map(peer).collect::<Result<_, _>>()?;
            }
            _ => return Err(format!("no option {option}; there are --threads, --level, --peers and --rounds")),
        }
        Ok(())
    }

    /// The same command line for a process whose level is set.
    pub fn without_levels(&self) -> Vec<String> {
        let options = self.arguments.chunk_by(|option, _| option.starts_with("--"));
        options.filter(|option| option[0] != "--level").flatten().cloned().collect()
    }
}

fn level(name: &str) -> Result<String, String> {
    let known = LEVELS.iter().find(|level| level.eq_ignore_ascii_case(name));
    known.map(ToString::to_string).ok_or_else(|| format!("no level {name}; there are {}", LEVELS.join(", ")))
}

fn peer(name: &str) -> Result<&'static str, String> {
    let packages: Vec<&str> = KINDS.iter().map(|kind| kind.package).collect();
    let known = packages.iter().find(|package| **package == name);
    known.copied().ok_or_else(|| format!("no peer {name}; there are {}, hand", packages.join(", ")))
}
