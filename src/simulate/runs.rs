//! Many runs in parallel, with the same result for any number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::simulator::{Limits, Overrun, Simulator};
use crate::measure::{Measures, Observer, Waits};
use crate::model::{Plan, Time};

/// A run of consecutive seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// The runs of all plans under one seed.
pub struct Round<'a, 'p, O = ()> {
    /// The seed.
    pub seed: u64,
    /// What each run comes to, in the order of the plans.
    pub measures: &'a [Measures],
    /// Who heard the runs, in the order of the plans: the same hear the next seed's.
    pub observers: &'a mut [O],
    simulators: &'a [Simulator<'p>],
}

impl<O> Round<'_, '_, O> {
    /// How long the updates of each run waited, in the order of the plans.
    pub fn waits(&self) -> impl Iterator<Item = Waits<'_>> {
        self.simulators.iter().map(Simulator::waits)
    }
}

/// Seeds are cut into chunks of this many, whatever the number of threads.
const CHUNK: u64 = 8;
/// So many chunks are folded before their results are merged, which bounds what is kept at a time.
const WINDOW: u64 = 128;

/// Plans to run under the same seeds (common random numbers).
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The plans.
    pub plans: &'a [Plan],
    /// The seeds.
    pub seeds: Seeds,
    /// How many threads; 0: one per core.
    pub jobs: usize,
    /// What each run may cost.
    pub limits: Limits,
    /// What is before is left out of the measures.
    pub measured_from: Time,
}

impl Batch<'_> {
    /// Runs every plan under every seed.
    ///
    /// Seeds are cut into fixed chunks; each chunk is folded in order into what `new` gives, and chunks are merged in
    /// order: the result does not depend on `jobs`, and memory does not grow with the number of seeds. `fold` gets the
    /// runs of all plans under one seed. `progress` is told how many seeds are done, from any thread.
    ///
    /// # Errors
    ///
    /// The first seed, in order, of which a run exceeds its limits.
    pub fn run<A: Send>(
        self,
        new: impl Fn() -> A + Sync,
        fold: impl Fn(&mut A, Round<'_, '_>) + Sync,
        merge: impl FnMut(A) + Send,
        progress: impl Fn(u64) + Sync,
    ) -> Result<(), Overrun> {
        self.run_heard(|_| (), new, fold, merge, progress)
    }

    /// As [`Batch::run`], with an observer for each plan, who hears all of its runs.
    ///
    /// # Errors
    ///
    /// As [`Batch::run`].
    pub fn run_heard<A: Send, O: Observer>(
        self,
        observer: impl Fn(&Plan) -> O + Sync,
        new: impl Fn() -> A + Sync,
        fold: impl Fn(&mut A, Round<'_, '_, O>) + Sync,
        mut merge: impl FnMut(A) + Send,
        progress: impl Fn(u64) + Sync,
    ) -> Result<(), Overrun> {
        let Batch { plans, seeds, jobs, limits, measured_from } = self;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().expect("threads can be started");
        let done = AtomicU64::new(0);
        let chunks = seeds.count.div_ceil(CHUNK);
        let simulators = || {
            let simulators: Vec<_> =
                plans.iter().map(|plan| Simulator::new(plan, limits).measured_from(measured_from)).collect();
            let observers: Vec<O> = plans.iter().map(&observer).collect();
            (simulators, observers, Vec::with_capacity(plans.len()))
        };
        type State<'p, O> = (Vec<Simulator<'p>>, Vec<O>, Vec<Measures>);
        let run_chunk = |(simulators, observers, measures): &mut State<'_, O>, chunk: u64| {
            let mut folded = new();
            for offset in chunk * CHUNK..((chunk + 1) * CHUNK).min(seeds.count) {
                let seed = seeds.first.wrapping_add(offset);
                measures.clear();
                for (simulator, observer) in simulators.iter_mut().zip(observers.iter_mut()) {
                    measures.push(simulator.run(seed, observer)?);
                }
                fold(&mut folded, Round { seed, measures, observers, simulators });
                progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            Ok(folded)
        };
        pool.install(|| {
            for window in 0..chunks.div_ceil(WINDOW) {
                let range = window * WINDOW..((window + 1) * WINDOW).min(chunks);
                let folded: Vec<Result<A, Overrun>> =
                    range.into_par_iter().map_init(simulators, |state, chunk| run_chunk(state, chunk)).collect();
                for chunk in folded {
                    merge(chunk?);
                }
            }
            Ok(())
        })
    }
}
