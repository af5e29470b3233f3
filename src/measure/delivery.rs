//! Which updates are delivered, and what is wanted (contract §7).
//!
//! Updates that set the same fields are delivered in order, so each such group keeps a queue, and per sink how far its
//! answers have come.

use std::collections::VecDeque;

use super::Observer;
use crate::model::{Fact, FieldId, FieldSet, Lineage, OracleId, Plan, Time, UpdateNumber};

/// A valid update that is not yet delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Which update.
    pub update: UpdateNumber,
    /// When it was made.
    pub made: Time,
}

/// A sink that a group's fields reach, and how far its answers have come.
#[derive(Clone, Debug)]
struct Reached {
    sink: OracleId,
    fields: Vec<FieldId>,
    up_to: UpdateNumber,
}

/// The updates that set the same fields.
#[derive(Clone, Debug)]
struct Group {
    fields: Vec<FieldId>,
    sinks: Vec<Reached>,
    /// Up to here every sink has come.
    delivered: UpdateNumber,
    pending: VecDeque<Pending>,
}

/// The value that a field has now.
#[derive(Clone, Copy, Debug, Default)]
struct Present {
    update: UpdateNumber,
    group: usize,
    valid: bool,
}

/// What is delivered and what is wanted.
#[derive(Clone, Debug)]
pub struct Delivery {
    groups: Vec<Group>,
    group_of_item: Vec<usize>,
    present: Vec<Present>,
    newest_delivered: Option<Pending>,
    just_delivered: Vec<Pending>,
    wanted: bool,
}

impl Delivery {
    /// Nothing yet.
    pub fn new(plan: &Plan) -> Delivery {
        let mut delivery = Delivery {
            groups: Vec::new(),
            group_of_item: Vec::new(),
            present: vec![Present::default(); plan.setting().fields.len()],
            newest_delivered: None,
            just_delivered: Vec::new(),
            wanted: false,
        };
        for update in &plan.setting().updates {
            let group = delivery.group(plan, &update.set);
            delivery.group_of_item.push(group);
        }
        // The fresh update of a probe sets every field.
        let every: Vec<_> = (0..plan.setting().fields.len() as u16).map(FieldId).collect();
        delivery.group(plan, &every);
        delivery
    }

    fn group(&mut self, plan: &Plan, set: &[FieldId]) -> usize {
        let mut fields = set.to_vec();
        fields.sort_unstable();
        if let Some(known) = self.groups.iter().position(|group| group.fields == fields) {
            return known;
        }
        let reached = |&sink: &OracleId| {
            let fields: Vec<_> = fields.iter().copied().filter(|&field| plan.reaches(field, sink)).collect();
            (!fields.is_empty()).then_some(Reached { sink, fields, up_to: UpdateNumber(0) })
        };
        let sinks = plan.sinks().iter().filter_map(reached).collect();
        self.groups.push(Group { fields, sinks, delivered: UpdateNumber(0), pending: VecDeque::new() });
        self.groups.len() - 1
    }

    /// Back to nothing, without freeing.
    pub fn clear(&mut self) {
        for group in &mut self.groups {
            group.delivered = UpdateNumber(0);
            group.pending.clear();
            group.sinks.iter_mut().for_each(|reached| reached.up_to = UpdateNumber(0));
        }
        self.present.fill(Present::default());
        self.newest_delivered = None;
        self.just_delivered.clear();
        self.wanted = false;
    }

    /// Whether the workload's present values are all valid and not all delivered.
    #[inline]
    pub fn wanted(&self) -> bool {
        self.wanted
    }

    /// The newest valid update that is delivered.
    pub fn newest_delivered(&self) -> Option<Pending> {
        self.newest_delivered
    }

    /// The oldest valid undelivered update newer than the newest delivered one.
    pub fn oldest_that_matters(&self) -> Option<Pending> {
        let newest = self.newest_delivered.map_or(UpdateNumber(0), |newest| newest.update);
        let first = |group: &Group| {
            let at = group.pending.partition_point(|pending| pending.update <= newest);
            group.pending.get(at).copied()
        };
        self.groups.iter().filter_map(first).min_by_key(|pending| pending.update)
    }

    /// The valid updates that are not delivered.
    pub fn undelivered(&self) -> impl Iterator<Item = Pending> {
        self.groups.iter().flat_map(|group| group.pending.iter().copied())
    }

    /// Whether the fresh update of a probe, which set every field, is delivered.
    pub fn fresh_is_delivered(&self, fresh: UpdateNumber) -> bool {
        self.groups.iter().find(|group| group.fields.len() == self.present.len()).expect("made at the start").delivered
            >= fresh
    }

    /// An update was made.
    pub fn updated(&mut self, at: Time, update: UpdateNumber, item: u16, set: &[FieldSet], valid: bool) {
        let every = || self.groups.iter().position(|group| group.fields.len() == self.present.len());
        let group = self.group_of_item.get(item as usize).copied().or_else(every).expect("made at the start");
        for set in set {
            self.present[set.field.index()] = Present { update, group, valid };
        }
        if valid {
            self.groups[group].pending.push_back(Pending { update, made: at });
        }
        self.weigh();
    }

    /// An answer appeared at a sink; what it delivers is returned.
    pub fn answered(&mut self, sink: OracleId, lineage: &Lineage<'_>) -> &[Pending] {
        self.just_delivered.clear();
        for group in &mut self.groups {
            let Some(reached) = group.sinks.iter_mut().find(|reached| reached.sink == sink) else { continue };
            let oldest = |&field: &FieldId| lineage.oldest(field).unwrap_or_default();
            let holds = reached.fields.iter().map(oldest).min().expect("a sink is reached by a field");
            if holds <= reached.up_to {
                continue;
            }
            reached.up_to = holds;
            let delivered = group.sinks.iter().map(|reached| reached.up_to).min().expect("one was reached");
            group.delivered = delivered;
            while let Some(&first) = group.pending.front().filter(|pending| pending.update <= delivered) {
                group.pending.pop_front();
                self.just_delivered.push(first);
                if self.newest_delivered.is_none_or(|newest| newest.update < first.update) {
                    self.newest_delivered = Some(first);
                }
            }
        }
        if !self.just_delivered.is_empty() {
            self.weigh();
        }
        &self.just_delivered
    }

    fn weigh(&mut self) {
        let set = || self.present.iter().filter(|present| present.update != UpdateNumber(0));
        let delivered = |present: &Present| self.groups[present.group].delivered >= present.update;
        self.wanted = set().all(|present| present.valid) && !set().all(delivered);
    }
}

/// Follows deliveries alone: what a probe needs.
impl Observer for Delivery {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        match *fact {
            Fact::Updated { update, item, set, valid } => self.updated(at, update, item, set, valid),
            Fact::Answered { named, answer } => {
                self.answered(named.oracle, &answer.lineage());
            }
            _ => {}
        }
    }
}
