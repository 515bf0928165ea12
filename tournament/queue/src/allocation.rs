//! Allocation of a machine's slots to jobs. Pure.

/// Slot request of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Jobs with a higher priority come first.
    pub priority: i64,
    /// Maximum number of slots it can use; `None`: no limit.
    pub most: Option<usize>,
    /// Slots it runs on and keeps, since it cannot resume on others.
    pub kept: Option<usize>,
}

/// Slots of each job. Jobs first keep the slots they must. The remaining slots go by priority; jobs of equal priority
/// share evenly, with the remainder to the earlier ones. Unused slots go to the next lower priority.
pub fn allocate(slots: usize, jobs: &[Request]) -> Vec<usize> {
    let mut given: Vec<usize> = jobs.iter().map(|job| job.kept.unwrap_or(0)).collect();
    let mut order: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].kept.is_none()).collect();
    order.sort_by_key(|&job| std::cmp::Reverse(jobs[job].priority));
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
        let request = |&(priority, most): &(i64, Option<usize>)| Request { priority, most, kept: None };
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
        let score = Request { priority: -1, most: None, kept: Some(3) };
        let other = Request { priority: 5, most: None, kept: None };
        assert_eq!(allocate(4, &[other, score, other]), [1, 3, 0]);
        assert_eq!(allocate(2, &[other, score]), [0, 3]);
    }
}
