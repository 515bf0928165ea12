//! Time controls in the testers' notation.

use smalt_protocol::TimeControl;

fn check(text: &str, printed: &str) {
    match TimeControl::parse(text) {
        Ok(control) => assert_eq!(control.to_string(), printed, "{text:?}"),
        Err(error) => assert_eq!(error.to_string(), printed, "{text:?}"),
    }
}

#[test]
fn time_controls_are_read() {
    check("40/60+0.6", "40/60+0.6");
    check("10+0.1", "10+0.1");
    check("60", "60");
    check("0/20+0.2", "20+0.2");
    check("40/2:30+0.05", "40/150+0.05");
    check("1:30.5", "90.5");
    check("0+0.1", "0+0.1");
    check(".5", "0.5");
    check(" inf ", "inf");
    check("40/7200,20/3600,900+30", "40/7200,20/3600,900+30");
    check("40/60+0.6:20/30:10+0.1", "40/60+0.6,20/30,10+0.1");
    check("40/7200:20/3600:900+30", "40/7200,20/3600,900+30");
    check("40/60+1:30", "40/60+1,30");
    check("40/1:30,1:15", "40/90,75");
}

#[test]
fn other_texts_are_refused_with_the_bad_part() {
    let time = |part: &str| {
        format!(
            "bad time {part:?}: expected seconds like 60 or 0.5, or minutes and seconds like 1:30, up to a year"
        )
    };
    check("", &time(""));
    check("40/", &time(""));
    check("10+", &time(""));
    check("10s", &time("10s"));
    check("-5", &time("-5"));
    check("1e3", &time("1e3"));
    check("99999999999", &time("99999999999"));
    check("x/60", "bad number of moves \"x\": expected a whole number, as in 40/60");
    check("0", "neither time nor increment is above zero in \"0\"");
    check("60,30", "\"60\" is for the rest of the game, so no period can follow it");
}

#[test]
fn periods_follow_each_other_and_the_last_repeats() {
    let control = TimeControl::parse("40/100,20/50").unwrap();
    let at = |moves: u32| {
        let (period, left) = control.period_after(moves).unwrap();
        (period.to_string(), left.unwrap().get())
    };
    assert_eq!(at(0), ("40/100".to_owned(), 40));
    assert_eq!(at(39), ("40/100".to_owned(), 1));
    assert_eq!(at(40), ("20/50".to_owned(), 20));
    assert_eq!(at(59), ("20/50".to_owned(), 1));
    assert_eq!(at(60), ("20/50".to_owned(), 20));
    assert_eq!(TimeControl::parse("10+0.1").unwrap().period_after(100).unwrap().1, None);
    assert_eq!(TimeControl::UNLIMITED.period_after(0), None);
}
