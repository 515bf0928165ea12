//! The webhook: one POST of the results when a run ends.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use rustls::crypto::ring;
use serde::Serialize;
use smalt_match::run::RunOutcome;
use smalt_match::standings::{Standings, json::ResultsJson};
use smalt_workbench::json::Versioned;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::output::print_info;

/// Time for connecting, sending and the answer.
const TIMEOUT: Duration = Duration::from_secs(15);

/// How a run ended, with its results.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunEndJson {
    /// `complete`, `decided`, `incomplete` or `stopped`.
    outcome: &'static str,
    /// Reason of a stop.
    reason: Option<String>,
    results: ResultsJson,
}

/// Posts the end of a run; warns on failure.
pub(super) fn post_end(url: &str, conclusion: &RunOutcome, standings: &Standings) {
    let (outcome, reason) = match conclusion {
        RunOutcome::Complete => ("complete", None),
        RunOutcome::Decided => ("decided", None),
        RunOutcome::Incomplete { .. } | RunOutcome::Walkovers { .. } => ("incomplete", None),
        RunOutcome::Stopped(words) => ("stopped", Some(words.clone())),
        // The user stopped it.
        RunOutcome::Interrupted => return,
    };
    let end = RunEndJson { outcome, reason, results: ResultsJson::of(standings) };
    if let Err(error) = post(url, &Versioned::of(end)) {
        print_info(&format!("Warning: failed to post the results to the webhook: {error:#}"));
    }
}

fn post(url: &str, body: &impl Serialize) -> anyhow::Result<()> {
    let body = serde_json::to_vec(body).context("write JSON")?;
    let mut config = Agent::config_builder().timeout_global(Some(TIMEOUT)).max_redirects(0);
    if url.starts_with("https:") {
        let found = rustls_native_certs::load_native_certs();
        let certificates = found.certs.iter().map(|known| Certificate::from_der(known).to_owned()).collect();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(certificates)))
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()));
        config = config.tls_config(tls.build());
    }
    let agent: Agent = config.build().into();
    let status = agent.post(url).content_type("application/json").send(&body[..])?.status();
    ensure!(status.is_success(), "the server answered {status}");
    Ok(())
}
