//! Allocation of slots and of other machines to jobs. Pure.

use std::collections::HashSet;

/// Slot request of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Jobs with a higher priority come first.
    pub priority: i64,
    /// Maximum number of slots it can use; `None`: no limit.
    pub most: Option<usize>,
    /// Slots it runs on and keeps, since it cannot resume on others.
    pub kept: Option<usize>,
    /// NATS servers and ssh hosts that play for it. Each plays for one job at a time.
    pub machines: Vec<String>,
}

/// Slots of each job. Jobs first keep the slots they must. The remaining slots go by priority; jobs of equal priority
/// share evenly, with the remainder to the earlier ones. Unused slots go to the next lower priority. Of the jobs on one other
/// machine the first by priority gets slots, and the others none.
pub fn allocate(slots: usize, jobs: &[Request]) -> Vec<usize> {
    let mut given: Vec<usize> = jobs.iter().map(|job| job.kept.unwrap_or(0)).collect();
    let mut order: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].kept.is_none()).collect();
    order.sort_by_key(|&job| std::cmp::Reverse(jobs[job].priority));
    let mut taken = HashSet::new();
    order.retain(|&job| {
        let is_free = !jobs[job].machines.iter().any(|machine| taken.contains(machine));
        taken.extend(jobs[job].machines.iter().filter(|_| is_free));
        is_free
    });
    let mut left = slots.saturating_sub(given.iter().sum());
    for group in order.chunk_by(|&a, &b| jobs[a].priority == jobs[b].priority) {
        let mut hungry = group.to_vec();
        while left > 0 && !hungry.is_empty() {
            hungry.retain(|&job| jobs[job].most.is_none_or(|most| given[job] < most));
            for &job in hungry.iter().take(left) {
                given[job] += 1;
            }
            left -= left.min(hungry.len());
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(slots: usize, jobs: &[(i64, Option<usize>)], expected: &[usize]) {
        let request =
            |&(priority, most): &(i64, Option<usize>)| Request { priority, most, ..Request::default() };
        let jobs: Vec<Request> = jobs.iter().map(request).collect();
        assert_eq!(allocate(slots, &jobs), expected, "{slots} {jobs:?}");
    }

    #[test]
    fn slots_go_by_priority_and_are_shared_evenly_within_one() {
        check(7, &[(0, None)], &[7]);
        check(7, &[(0, None), (0, None)], &[4, 3]);
        check(7, &[(0, None), (1, None), (0, None)], &[0, 7, 0]);
        check(7, &[(0, None), (1, Some(3)), (0, None)], &[2, 3, 2]);
        check(8, &[(0, Some(1)), (0, None), (0, Some(2))], &[1, 5, 2]);
        check(2, &[(0, None), (0, None), (0, None)], &[1, 1, 0]);
        check(4, &[(0, Some(1)), (-1, Some(1))], &[1, 1]);
        check(0, &[(0, None)], &[0]);
        check(3, &[], &[]);
    }

    #[test]
    fn a_job_that_would_begin_anew_keeps_its_slots() {
        let score = Request { priority: -1, kept: Some(3), ..Request::default() };
        let other = Request { priority: 5, ..Request::default() };
        assert_eq!(allocate(4, &[other.clone(), score.clone(), other.clone()]), [1, 3, 0]);
        assert_eq!(allocate(2, &[other, score]), [0, 3]);
    }

    #[test]
    fn another_machine_plays_for_the_first_job_by_priority() {
        let on = |priority: i64, machines: &[&str]| Request {
            priority,
            most: Some(1),
            kept: None,
            machines: machines.iter().map(|&machine| machine.to_owned()).collect(),
        };
        assert_eq!(allocate(4, &[on(0, &["a"]), on(1, &["a"]), on(0, &["b"])]), [0, 1, 1]);
        assert_eq!(allocate(4, &[on(0, &["a"]), on(0, &["a"])]), [1, 0]);
        // A job that waits for one of its machines holds none of the others.
        assert_eq!(allocate(4, &[on(2, &["a"]), on(1, &["a", "b"]), on(0, &["b"])]), [1, 0, 1]);
        let local = Request { priority: 1, ..Request::default() };
        assert_eq!(allocate(3, &[on(2, &["a"]), on(1, &["a"]), local]), [1, 0, 2]);
    }
}
