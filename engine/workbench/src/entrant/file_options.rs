//! Options that name files, by their names and values: UCI and xboard do not tell which ones an engine reads.

/// Name parts of file options, whatever their value.
const FILE_OPTION_WORDS: [&str; 4] = ["file", "path", "dir", "folder"];

/// Name parts of options whose file an engine reads, unless their value is a number (`Book Depth`, `Eval Weight`).
const INPUT_OPTION_WORDS: [&str; 6] = ["eval", "net", "nnue", "weight", "book", "bitbase"];

/// Name parts of options whose file an engine writes, or may write, unless their value is a number (`Log Level`).
const OUTPUT_OPTION_WORDS: [&str; 6] = ["log", "debug", "learn", "experience", "output", "save"];

/// Whether an option names a file: its value has a slash or backslash, or its name says so (`EvalFile`, `SyzygyPath`,
/// `Debug Log File`). A worker takes the values of these from its own registry alone, since an engine would read or write
/// any file.
pub fn is_file_option(option: &str, value: &str) -> bool {
    let option = option.to_ascii_lowercase();
    let is_plain =
        ["", "<empty>", "true", "false", "on", "off", "none"].contains(&&*value.to_ascii_lowercase());
    let number = value.strip_prefix('-').unwrap_or(value);
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let has = |words: &[&str]| words.iter().any(|word| option.contains(word));
    value.contains(['/', '\\'])
        || (!is_plain
            && (has(&FILE_OPTION_WORDS)
                || (!is_number && (has(&INPUT_OPTION_WORDS) || has(&OUTPUT_OPTION_WORDS)))))
}

/// Whether a file option names a file that the engine reads and never writes, by the words of its name.
pub fn is_input_option(option: &str) -> bool {
    let option = option.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| option.contains(word));
    has(&INPUT_OPTION_WORDS) && !has(&OUTPUT_OPTION_WORDS)
}
