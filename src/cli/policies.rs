//! `policies`: the catalogue.

use std::io::Write;

use clap::Args;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::no_policy;
use super::{Global, Verdict};
use crate::catalogue::{self, AXES, PolicyAxis, Preset};
use crate::model::Policy;
use crate::report::{Form, Table, in_lines};
use crate::scenario::NamedPolicy;

/// List the policies that come with Rehearsal, or show one as TOML
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Policies {
    /// The policy to show
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal policies
  rehearsal policies read-after-success";

/// An axis has a column if so many presets leave its default; the others share one.
const OWN_COLUMN_FROM: usize = 4;
/// Names are broken into lines of this width.
const NAME_WIDTH: usize = 24;
/// Values are broken into lines of this width.
const VALUE_WIDTH: usize = 11;

impl Policies {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        match &self.name {
            None => list(global, output)?,
            Some(name) => {
                let all = || catalogue::presets().iter().chain(catalogue::systems());
                let names = || all().map(|preset| preset.name.as_str()).collect::<Vec<_>>();
                let preset = catalogue::preset(name).ok_or_else(|| no_policy(name, &names()))?;
                show(preset, output)?;
            }
        }
        Ok(Verdict::Well)
    }
}

fn list(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let groups = [
        (catalogue::presets(), "The presets of RFC 20's debate, `rfc-20`, tried where no policy is named:"),
        (catalogue::systems(), "Named after what real systems do, tried as `--policy systems` or by name:"),
    ];
    for (presets, heading) in groups {
        writeln!(output, "{heading}\n")?;
        let defaults = table(presets, output)?;
        writeln!(output, "\n· stands for {defaults}.\n")?;
    }
    if global.quiet {
        return Ok(());
    }
    writeln!(output, "`rehearsal policies NAME` shows one in full, with where it comes from.")?;
    if global.verbose {
        writeln!(output)?;
        for preset in groups.iter().flat_map(|(presets, _)| presets.iter()) {
            writeln!(output, "{}\n  {}\n  {}", preset.name, preset.about, preset.source)?;
        }
    }
    Ok(())
}

/// A table of presets; tells the defaults of its columns.
fn table(presets: &[Preset], output: &mut Output) -> Result<String, Failure> {
    let leaves_default = |axis: &PolicyAxis| {
        let leaving = presets.iter().filter(|preset| differs(axis, &preset.policy));
        leaving.count() >= OWN_COLUMN_FROM
    };
    let (own, others): (Vec<&PolicyAxis>, Vec<&PolicyAxis>) = AXES.iter().partition(|axis| leaves_default(axis));
    let headings = ["policy"].into_iter().chain(own.iter().map(|axis| axis.name)).chain(["else"]);
    let mut table = Table::new(0..own.len() + 2, headings);
    for Preset { name, policy, .. } in presets {
        let shown = |axis: &PolicyAxis| if differs(axis, policy) { value(axis, policy) } else { "·".to_owned() };
        let values = own.iter().map(|axis| in_lines(&shown(axis), VALUE_WIDTH));
        let rest = others.iter().filter(|axis| differs(axis, policy));
        let rest: Vec<_> = rest.map(|axis| format!("{} {}", axis.name, value(axis, policy))).collect();
        table.row(std::iter::once(in_lines(name, NAME_WIDTH)).chain(values).chain([rest.join("\n")]));
    }
    output.write_all(table.render(Form::Terminal).as_bytes())?;
    let defaults: Vec<_> =
        own.iter().map(|axis| format!("{} {}", axis.name, value(axis, &Policy::default()))).collect();
    Ok(defaults.join(", "))
}

fn show(preset: &Preset, output: &mut Output) -> Result<(), Failure> {
    let named = NamedPolicy { name: preset.name.clone(), policy: preset.policy.clone() };
    writeln!(output, "# {}\n# {}", preset.about, preset.source)?;
    write!(output, "{}", catalogue::policy_as_toml(&named))?;
    Ok(())
}

fn differs(axis: &PolicyAxis, policy: &Policy) -> bool {
    (axis.show)(policy) != axis.default()
}

/// A value as a word, without the quotes of TOML.
fn value(axis: &PolicyAxis, policy: &Policy) -> String {
    (axis.show)(policy).trim_matches('"').to_owned()
}
