//! Tables and pages as HTML. A page is one self-contained file without scripts, locked by a content security policy.

use std::fmt::Write;

use crate::sanitize::is_hidden;
use crate::table::{Align, Cell, Table, one_line, show};

/// Content security policy: no scripts, no requests.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Styles of pages and charts: readable on a phone, light and dark.
const STYLE: &str = include_str!("page.css");

impl Table {
    /// A table element in a box that scrolls horizontally.
    pub fn to_html(&self) -> String {
        let mut text = String::from("<div class=\"wide\"><table>\n<thead><tr>");
        for column in &self.columns {
            let class = class(column.align);
            write!(text, "<th{class}>{}</th>", escaped(&one_line(&column.header)))
                .expect("a string takes any text");
        }
        text.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            text.push_str("<tr>");
            for (column, cell) in self.columns.iter().zip(row) {
                let (class, shown) = (class(column.align), escaped(&show(column.kind, cell).joined()));
                let shown = match cell {
                    Cell::Reference(_, id) => reference(id, &shown),
                    _ => shown,
                };
                write!(text, "<td{class}>{shown}</td>").expect("a string takes any text");
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody>\n</table></div>\n");
        text
    }
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"number\"",
    }
}

/// A link to an id of the same page; `content` is HTML.
pub fn reference(id: &str, content: &str) -> String {
    format!("<a href=\"#{}\">{content}</a>", escaped(id))
}

/// A text escaped for an element or a quoted attribute. Hidden characters are replaced: HTML forbids some, others change
/// the text around them.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            letter if is_hidden(letter) => escaped.push(char::REPLACEMENT_CHARACTER),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A complete page around an HTML body.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(&one_line(title)),
    )
}
