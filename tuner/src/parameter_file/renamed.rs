//! Renamed search parameters of Smalt: files with the old names stay readable.

/// Old and new names.
const RENAMED: &[(&str, &str)] = &[
    ("exchange_pawn", "see_pawn"),
    ("exchange_knight", "see_knight"),
    ("exchange_bishop", "see_bishop"),
    ("exchange_rook", "see_rook"),
    ("exchange_queen", "see_queen"),
    ("aspiration_most", "aspiration_max"),
    ("aspiration_less_deep_most", "aspiration_less_deep_max"),
    ("null_move_score_most", "null_move_score_max"),
    ("iterative_reduction_depth", "iir_depth"),
    ("late_move_pruning_depth", "lmp_depth"),
    ("late_move_pruning_base", "lmp_base"),
    ("exchange_pruning_depth", "see_pruning_depth"),
    ("exchange_pruning_capture", "see_pruning_capture"),
    ("exchange_pruning_quiet", "see_pruning_quiet"),
    ("singular_table_margin", "singular_tt_depth_margin"),
    ("singular_double_most", "singular_double_max"),
    ("reduction_base", "lmr_base"),
    ("reduction_factor", "lmr_factor"),
    ("reduction_capture_base", "lmr_capture_base"),
    ("reduction_capture_factor", "lmr_capture_factor"),
    ("reduction_not_improving", "lmr_not_improving"),
    ("reduction_not_pv", "lmr_not_pv"),
    ("reduction_cut_node", "lmr_cut_node"),
    ("reduction_killer", "lmr_killer"),
    ("reduction_check", "lmr_check"),
    ("reduction_table_capture", "lmr_tt_capture"),
    ("reduction_cutoffs", "lmr_cutoffs"),
    ("reduction_cutoffs_least", "lmr_cutoffs_min"),
    ("reduction_history_divisor", "lmr_history_divisor"),
    ("reconsider_deeper_reduction", "hindsight_deeper_reduction"),
    ("reconsider_shallower_margin", "hindsight_shallower_margin"),
    ("history_bonus_most", "history_bonus_max"),
    ("history_malus_most", "history_malus_max"),
    ("history_structure_weight", "pawn_history_weight"),
    ("history_unanswered_share", "history_prior_quiet_share"),
    ("correction_pieces", "correction_non_pawn"),
    ("time_moves_most", "time_moves_max"),
    ("time_stability_most", "time_stability_max"),
    ("time_effort_least", "time_effort_min"),
    ("time_effort_most", "time_effort_max"),
    ("time_drop_least", "time_drop_min"),
    ("time_drop_most", "time_drop_max"),
];

/// The current name of a parameter.
pub(super) fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// The text of a parameter file (TOML) with the current names; all else stays.
pub(super) fn with_current_names(text: &str) -> String {
    let line = |line: &str| {
        let key = line.split_once('=').map_or("", |(key, _)| key.trim());
        line.replacen(key, current_name(key), usize::from(!key.is_empty()))
    };
    text.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use smalt::search::params::SearchParameters;

    use super::*;

    #[test]
    fn every_new_name_is_one_of_the_engine_and_no_old_one_is() {
        let is_known = |name: &str| SearchParameters::ALL.iter().any(|parameter| parameter.name == name);
        for (old, new) in RENAMED {
            assert!(!is_known(old) && is_known(new), "{old} {new}");
        }
    }

    #[test]
    fn only_the_names_before_the_equals_sign_change() {
        let old = "# reduction_base = 1\nreduction_base = 300 # reduction_base\n\n  deeper_margin = 5\n";
        let new = "# reduction_base = 1\nlmr_base = 300 # reduction_base\n\n  deeper_margin = 5\n";
        assert_eq!(with_current_names(old), new);
    }
}
