//! `poll(2)` over the pipes of two engines, the end of one, and the interrupt.

use std::io;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use super::super::{Source, SourceSet, Watch};
use super::child::Child;
use super::event::WakeEvent;

/// Waits from one instant to another until a watched source is ready; none is ready at the deadline.
#[inline]
pub(in crate::process) fn poll(watch: &Watch<'_>, now: Instant, deadline: Instant) -> io::Result<SourceSet> {
    let mut ready = SourceSet::default();
    let (mut fds, sources, count) = watched(watch);
    if poll_until(&mut fds[..count], now, deadline)? > 0 {
        for (fd, source) in fds[..count].iter().zip(sources) {
            ready = ready.with(source, !fd.revents().is_empty());
        }
    }
    Ok(ready)
}

/// Polls until something is ready or the deadline passes; returns how many are ready.
fn poll_until(fds: &mut [PollFd<'_>], mut now: Instant, deadline: Instant) -> io::Result<usize> {
    loop {
        let timeout = Timespec::try_from(deadline.saturating_duration_since(now)).ok();
        match rustix::event::poll(fds, timeout.as_ref()) {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => now = Instant::now(),
            Err(error) => return Err(error.into()),
        }
    }
}

type Watched<'a> = ([PollFd<'a>; Source::ALL.len()], [Source; Source::ALL.len()], usize);

/// The watched descriptors, the most likely ones first, and their number.
#[inline]
fn watched<'a>(watch: &Watch<'a>) -> Watched<'a> {
    let read = PollFlags::IN;
    let engine = watch.engine;
    let filler = PollFd::from_borrowed_fd(engine.exit_fd(), read);
    let mut fds = std::array::from_fn(|_| filler.clone());
    let mut sources = Source::ALL;
    let mut count = 0;
    for (source, fd, flags) in [
        (Source::Output, engine.stdout_fd(), read),
        (Source::End, Some(engine.exit_fd()), read),
        (Source::Errors, engine.stderr_fd(), read),
        (Source::Room, engine.stdin_fd(), PollFlags::OUT),
        (Source::OtherOutput, watch.other.and_then(Child::stdout_fd), read),
        (Source::OtherErrors, watch.other.and_then(Child::stderr_fd), read),
        (Source::Interrupt, watch.interrupt.map(WakeEvent::fd), read),
    ] {
        if let Some(fd) = fd
            && watch.sources.contains(source)
        {
            fds[count] = PollFd::from_borrowed_fd(fd, flags);
            sources[count] = source;
            count += 1;
        }
    }
    (fds, sources, count)
}
