//! What a run has come to so far: how far each sink's answers have come, and which successes were never taken (contract
//! §7, `delivered`, `wanted`, `hidden`).

use crate::model::{Fact, FieldId, Lineage, Notes, OracleId, Plan, UpdateNumber, World};

/// The updates that set the same fields, and the sinks that those fields reach.
#[derive(Clone, Debug)]
struct Group {
    fields: Vec<FieldId>,
    sinks: Vec<Reached>,
}

#[derive(Clone, Debug)]
struct Reached {
    sink: OracleId,
    fields: Vec<FieldId>,
    /// The place of how far it has come, in [`Notes::updates`].
    up_to: usize,
}

/// What is followed of a run, as data that does not move.
#[derive(Clone, Debug)]
pub(super) struct Aims {
    groups: Vec<Group>,
    group_of_item: Vec<u8>,
    fields: usize,
    follows_hidden: bool,
    sinks: Vec<bool>,
}

/// What moves of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// How far each sink's answers have come for each group; and per oracle the newest success, if it was not yet taken.
    pub notes: Notes,
    /// For each field, the group of the update that made its present value.
    pub groups: Vec<u8>,
}

impl Aims {
    pub fn new(plan: &Plan, follows_delivery: bool, follows_hidden: bool) -> Aims {
        let setting = plan.setting();
        let mut aims = Aims {
            groups: Vec::new(),
            group_of_item: Vec::new(),
            fields: if follows_delivery { setting.fields.len() } else { 0 },
            follows_hidden,
            sinks: plan.oracles().map(|r| plan.is_sink(r)).collect(),
        };
        if follows_delivery {
            // The fresh update of all fields comes first.
            let every: Vec<_> = (0..setting.fields.len() as u16).map(FieldId).collect();
            aims.group(plan, &every);
            for update in &setting.updates {
                let group = aims.group(plan, &update.set);
                aims.group_of_item.push(group);
            }
        }
        aims
    }

    fn group(&mut self, plan: &Plan, set: &[FieldId]) -> u8 {
        let mut fields = set.to_vec();
        fields.sort_unstable();
        if let Some(known) = self.groups.iter().position(|group| group.fields == fields) {
            return known as u8;
        }
        let mut up_to = self.groups.iter().map(|group| group.sinks.len()).sum();
        let mut sinks = Vec::new();
        for &sink in plan.sinks() {
            let fields: Vec<_> = fields.iter().copied().filter(|&field| plan.reaches(field, sink)).collect();
            if !fields.is_empty() {
                sinks.push(Reached { sink, fields, up_to });
                up_to += 1;
            }
        }
        self.groups.push(Group { fields, sinks });
        self.groups.len() as u8 - 1
    }

    pub fn nothing_yet(&self) -> Tally {
        let up_to = self.groups.iter().map(|group| group.sinks.len()).sum();
        let makings = if self.follows_hidden { vec![None; self.sinks.len()] } else { Vec::new() };
        Tally { notes: Notes { updates: vec![UpdateNumber(0); up_to], makings }, groups: vec![0; self.fields] }
    }

    /// Follows a fact; tells whether it delivers something.
    pub fn hear(&self, tally: &mut Tally, fact: &Fact<'_>) -> bool {
        match *fact {
            Fact::Updated { item, set, .. } if self.fields > 0 => {
                let group = self.group_of_item.get(usize::from(item)).copied().unwrap_or(0);
                set.iter().for_each(|set| tally.groups[set.field.index()] = group);
            }
            Fact::Answered { named, answer } if self.fields > 0 => {
                return self.answered(tally, named.oracle, &answer.lineage());
            }
            Fact::Made { named, answer } if self.follows_hidden && !self.sinks[named.oracle.index()] => {
                tally.notes.makings[named.oracle.index()] = Some(answer.making());
            }
            Fact::Took { named, answer, .. } if self.follows_hidden => {
                let newest = &mut tally.notes.makings[named.oracle.index()];
                if newest.is_some_and(|newest| answer.making() >= newest) {
                    *newest = None;
                }
            }
            _ => {}
        }
        false
    }

    fn answered(&self, tally: &mut Tally, sink: OracleId, lineage: &Lineage<'_>) -> bool {
        let mut delivers = false;
        for group in &self.groups {
            let Some(reached) = group.sinks.iter().find(|reached| reached.sink == sink) else { continue };
            let oldest = |&field: &FieldId| lineage.oldest(field).unwrap_or_default();
            let holds = reached.fields.iter().map(oldest).min().expect("a sink is reached by a field");
            let before = delivered(group, tally);
            let up_to = &mut tally.notes.updates[reached.up_to];
            *up_to = holds.max(*up_to);
            delivers |= delivered(group, tally) > before;
        }
        delivers
    }

    /// Whether the workload's present values are all valid and not all delivered.
    pub fn wanted(&self, tally: &Tally, world: &World<'_>) -> bool {
        let mut all_delivered = true;
        for (field, &group) in tally.groups.iter().enumerate() {
            if let Some((update, valid)) = world.present(FieldId(field as u16)) {
                if !valid {
                    return false;
                }
                all_delivered &= delivered(&self.groups[usize::from(group)], tally) >= update;
            }
        }
        !all_delivered
    }

    /// Whether a success was never taken, and nothing newer of that oracle either.
    pub fn hides(&self, tally: &Tally) -> Option<OracleId> {
        let at = tally.notes.makings.iter().position(Option::is_some)?;
        Some(OracleId(at as u16))
    }
}

/// Up to which update a group is delivered.
fn delivered(group: &Group, tally: &Tally) -> UpdateNumber {
    group.sinks.iter().map(|reached| tally.notes.updates[reached.up_to]).min().unwrap_or_default()
}
