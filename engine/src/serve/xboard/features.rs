//! The `feature` commands.

use std::fmt;

use smalt_protocol::xboard::declare_option;

use crate::serve::settings::{CHESS960, HASH, PONDER, SHOW_WDL, SYZYGY_PATH, Settings, THREADS};

/// Options that xboard sets by other commands, or never.
const OTHERWISE_SET: [&str; 6] = [HASH, THREADS, PONDER, CHESS960, SHOW_WDL, SYZYGY_PATH];

/// Constant features. No `sigint`, since input is always read.
const FEATURES: &str = "\
feature ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=1 reuse=1 analyze=1
feature colors=0 sigint=0 sigterm=0 ics=1 name=1 pause=0 nps=1 debug=1 exclude=1
feature memory=1 smp=1 egt=\"syzygy\" variants=\"normal,fischerandom\"";

pub(super) fn send(send: &mut dyn FnMut(&dyn fmt::Display)) {
    send(&"feature done=0");
    send(&format_args!("feature myname=\"Smalt {}\"", smalt_about::VERSION));
    send(&FEATURES);
    let settings = Settings::new();
    let declared = settings.declarations().iter();
    for option in declared.filter(|option| !OTHERWISE_SET.contains(&option.name.as_str())) {
        send(&format_args!("feature option=\"{}\"", declare_option(option)));
    }
    send(&"feature done=1");
}
