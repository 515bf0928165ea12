//! Tables and plots from numbers, as text, Markdown, CSV and SVG.
