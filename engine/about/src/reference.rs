//! The Markdown reference of a program: a section per command, a table per heading of options.

use std::collections::HashMap;

use clap::{Arg, Command};

/// Option tables already written, with the first command that has them.
type Shown = HashMap<String, String>;

/// The reference page of a program.
pub(crate) fn markdown(program: Command) -> String {
    // Help and its subcommand are the same everywhere.
    let mut program = program.disable_help_subcommand(true).disable_help_flag(true).term_width(100);
    program.build();
    let mut text = format!("# {}\n\n", program.get_name());
    let mut shown = Shown::new();
    describe(&program, &mut shown, &mut text);
    for command in program.get_subcommands() {
        section(command, 2, &mut shown, &mut text);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn section(command: &Command, level: usize, shown: &mut Shown, text: &mut String) {
    if command.is_hide_set() {
        return;
    }
    let name = command.get_bin_name().unwrap_or(command.get_name());
    *text += &format!("{} {name}\n\n", "#".repeat(level));
    describe(command, shown, text);
    for command in command.get_subcommands() {
        section(command, level + 1, shown, text);
    }
}

/// Purpose, usage, options and examples of one command. A table shared with another command is written once.
fn describe(command: &Command, shown: &mut Shown, text: &mut String) {
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        *text += &format!("{about}\n\n");
    }
    let usage = command.clone().render_usage().to_string();
    *text += &format!("```text\n{}\n```\n\n", usage.trim_start_matches("Usage: "));
    let visible = || command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help");
    *text += &table("Arguments", visible().filter(|arg| arg.is_positional()));
    let mut headings = Vec::new();
    for arg in visible().filter(|arg| !arg.is_positional()) {
        if !headings.contains(&arg.get_help_heading()) {
            headings.push(arg.get_help_heading());
        }
    }
    let mut repeated: Vec<(String, Vec<&str>)> = Vec::new();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    for heading in headings {
        let options = visible().filter(|arg| !arg.is_positional() && arg.get_help_heading() == heading);
        let heading = heading.unwrap_or("Options");
        let table = table(heading, options);
        match shown.get(&table) {
            None => {
                *text += &table;
                shown.insert(table, name.to_owned());
            }
            Some(first) => match repeated.iter_mut().find(|(known, _)| known == first) {
                Some((_, headings)) => headings.push(heading),
                None => repeated.push((first.clone(), vec![heading])),
            },
        }
    }
    for (first, headings) in repeated {
        *text += &format!("**{}**: as for `{first}`\n\n", headings.join("**, **"));
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        *text += &after_help(after.to_string().trim_end());
    }
}

/// Commands and lists, which have indented lines, as code; paragraphs as they are.
fn after_help(text: &str) -> String {
    let is_code = |block: &&str| block.lines().any(|line| line.starts_with("  "));
    let blocks: Vec<&str> = text.split("\n\n").collect();
    let parts = blocks.chunk_by(|one, other| is_code(one) == is_code(other)).map(|part| {
        let text = part.join("\n\n");
        if is_code(&part[0]) { format!("```text\n{text}\n```\n\n") } else { format!("{text}\n\n") }
    });
    parts.collect()
}

fn table<'a>(heading: &str, arguments: impl Iterator<Item = &'a Arg>) -> String {
    let rows: Vec<String> = arguments.map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("**{heading}**\n\n| | | default |\n|---|---|---|\n{}\n\n", rows.join("\n"))
}

fn row(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    // Defaults that are not values are in the help text, in brackets.
    let (help, said) = match help.rsplit_once(" [default: ") {
        Some((help, default)) => (help.to_owned(), default.trim_end_matches(']').to_owned()),
        None => (help, String::new()),
    };
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| {
            arg.get_action().takes_values() && !value.is_hide_set() && !help.contains(value.get_name())
        })
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let default = if arg.get_action().takes_values() { defaults.join(" ") } else { String::new() };
    let default = if default.is_empty() { said } else { default };
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    format!("| `{}` | {}{} | {} |", cell(&flag(arg)), cell(&help), cell(&values), cell(&default))
}

/// `-e, --engine <E>`.
fn flag(arg: &Arg) -> String {
    let names: Vec<String> =
        [arg.get_short().map(|short| format!("-{short}")), arg.get_long().map(|long| format!("--{long}"))]
            .into_iter()
            .flatten()
            .collect();
    let value = || {
        let names = arg.get_value_names().unwrap_or_default().iter().map(|name| format!("<{name}>"));
        names.collect::<Vec<_>>().join(" ")
    };
    match (names.is_empty(), arg.get_action().takes_values()) {
        (true, _) => value(),
        (false, true) => format!("{} {}", names.join(", "), value()),
        (false, false) => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_code_and_prose_is_not() {
        let text = "Examples:\n  runner play\n\nMore:\n  runner\n\nIt plays.";
        let expected = "```text\nExamples:\n  runner play\n\nMore:\n  runner\n```\n\nIt plays.\n\n";
        assert_eq!(after_help(text), expected);
    }
}
