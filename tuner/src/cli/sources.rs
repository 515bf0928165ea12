//! Data sources on the command line: a file with options after commas.

use std::path::PathBuf;
use std::str::FromStr;

use crate::labels::{PointOfView, SourceOptions};

/// A file of positions with its options, as in `games.bin,weight=2,lambda=0.5,view=mover`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceArgument {
    pub(super) path: PathBuf,
    pub(super) options: SourceOptions,
}

impl FromStr for SourceArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<SourceArgument, String> {
        let mut options = SourceOptions::default();
        let mut path = text;
        while let Some((before, option)) = path.rsplit_once(',')
            && set(&mut options, option)?
        {
            path = before;
        }
        if path.is_empty() {
            return Err("expected a file".to_owned());
        }
        Ok(SourceArgument { path: path.into(), options })
    }
}

/// Sets an option; `false` if the text belongs to the file name.
fn set(options: &mut SourceOptions, text: &str) -> Result<bool, String> {
    let Some((key, value)) = text.split_once('=') else { return Ok(false) };
    let number = || value.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let share = || {
        let share = number().filter(|&share| share <= 1.0);
        share.ok_or_else(|| format!("{text}: expected a share from 0 to 1"))
    };
    match key {
        "weight" => {
            let weight = number().map(|weight| weight as f32).filter(|weight| weight.is_normal());
            options.weight = weight.ok_or(format!("{text}: expected a weight above 0"))?;
        }
        "lambda" => options.result_share = Some(share()?),
        "validation" => options.validation = Some(share()?),
        "view" => {
            options.view = match value {
                "white" => PointOfView::White,
                "mover" => PointOfView::SideToMove,
                _ => return Err(format!("{text}: expected white or mover")),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_name_after_commas() {
        let parse = |text: &str| text.parse::<SourceArgument>();
        let plain = parse("a,b=c.epd").unwrap();
        assert_eq!((plain.path, plain.options), ("a,b=c.epd".into(), SourceOptions::default()));
        let source = parse("x.bin,weight=2,lambda=0.25,validation=0,view=mover").unwrap();
        assert_eq!(source.path, PathBuf::from("x.bin"));
        let options = SourceOptions {
            weight: 2.0,
            result_share: Some(0.25),
            validation: Some(0.0),
            view: PointOfView::SideToMove,
        };
        assert_eq!(source.options, options);
        for bad in [
            "x,weight=0", "x,weight=1e200", "x,weight=1e-300", "x,weight=nan", "x,lambda=1.5",
            "x,validation=2", "x,view=black", ",weight=1",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
