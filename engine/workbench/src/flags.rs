//! Command-line flags that several programs have.

use std::path::PathBuf;

use clap::Args;

/// Where engines are named.
#[derive(Args, Clone, Debug, Default)]
pub struct RegistryFlag {
    /// Registry of named engines [default: smalt/engines.toml in your configuration folder, and Debian's engines]
    #[arg(id = "registry", long = "engines", value_name = "FILE")]
    pub path: Option<PathBuf>,
}

/// The result of a command as JSON, and whether its files may be replaced.
#[derive(Args, Clone, Debug, Default)]
pub struct ResultFlags {
    /// JSON file of the result (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Overwrite existing output files
    #[arg(long)]
    pub force: bool,
}
