//! How long sinks run on what was made in an older world than the newest good one (contract §7).

use crate::model::{Lineage, OracleId, Plan, Span, Time, WorldVersion};

/// A sink, its last answer, and whether that is exposed.
#[derive(Clone, Debug)]
struct Sink {
    id: OracleId,
    /// The oracles before it and itself, each with the world that its last answer was made in, if it was.
    worlds: Vec<(OracleId, Option<WorldVersion>)>,
    exposed_since: Option<Time>,
}

#[derive(Clone, Debug)]
pub(super) struct Exposure {
    newest_good: Vec<WorldVersion>,
    sinks: Vec<Sink>,
    total: Span,
}

impl Exposure {
    pub fn new(plan: &Plan) -> Exposure {
        let sink = |&id: &OracleId| {
            let before = plan.oracles().filter(|&r| plan.ancestors(id).has(r));
            Sink { id, worlds: before.map(|r| (r, None)).collect(), exposed_since: None }
        };
        Exposure {
            newest_good: plan.oracles().map(|_| WorldVersion(1)).collect(),
            sinks: plan.sinks().iter().map(sink).collect(),
            total: Span::ZERO,
        }
    }

    pub fn clear(&mut self) {
        self.newest_good.fill(WorldVersion(1));
        for sink in &mut self.sinks {
            sink.worlds.iter_mut().for_each(|(_, world)| *world = None);
            sink.exposed_since = None;
        }
        self.total = Span::ZERO;
    }

    pub fn answered(&mut self, at: Time, sink: OracleId, lineage: &Lineage<'_>) {
        let sink = self.sinks.iter_mut().find(|known| known.id == sink).expect("only sinks are asked about");
        for (r, world) in &mut sink.worlds {
            *world = lineage.world(*r);
        }
        sink.weigh(at, &self.newest_good, &mut self.total);
    }

    pub fn renewed(&mut self, at: Time, oracle: OracleId, version: WorldVersion) {
        self.newest_good[oracle.index()] = version;
        for sink in &mut self.sinks {
            sink.weigh(at, &self.newest_good, &mut self.total);
        }
    }

    /// Forgets what was before `from`, which is now.
    pub fn measure_from(&mut self, from: Time) {
        self.total = Span::ZERO;
        self.sinks.iter_mut().filter_map(|sink| sink.exposed_since.as_mut()).for_each(|since| *since = from);
    }

    pub fn end(&mut self, horizon: Time) -> Span {
        let open = self.sinks.iter().filter_map(|sink| sink.exposed_since).map(|since| horizon - since);
        open.fold(self.total, |total, span| total + span)
    }
}

impl Sink {
    #[inline]
    fn weigh(&mut self, at: Time, newest_good: &[WorldVersion], total: &mut Span) {
        let exposed = self.worlds.iter().any(|(r, world)| world.is_some_and(|world| world < newest_good[r.index()]));
        match (exposed, self.exposed_since) {
            (true, None) => self.exposed_since = Some(at),
            (false, Some(since)) => {
                *total = *total + (at - since);
                self.exposed_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
}
