//! The same bytes on every machine, in debug and release: the digests of a few hundred random runs are stored.
//!
//! A change of the model or of the draws changes them, and must raise [`MODEL_VERSION`], so that results of different models
//! are never compared as if they were of one: `BLESS=1 cargo test --test digests` stores the new ones then, and refuses
//! otherwise. (A change of the generator in `tests/random` alone is no change of the model: who makes one takes the stored
//! file away first.) `.ci/run` runs this test in debug and in release.

mod random;

use random::{EVERYTHING, Random};
use rehearsal::measure::Digest;
use rehearsal::model::{MODEL_VERSION, Plan};
use rehearsal::simulate::{Limits, Simulator};

const STORED: &str = "tests/digests.txt";

#[test]
fn digests_are_those_stored() {
    let digest = |scenario: u64| {
        let mut random = Random::new(scenario);
        let setting = random.setting(EVERYTHING);
        let plan = Plan::new(setting, random.policy());
        let mut digest = Digest::default();
        Simulator::new(&plan, Limits::default()).run(scenario, &mut digest).expect("within the limits");
        format!("{scenario} {}\n", digest.hex())
    };
    let version = format!("model {MODEL_VERSION}\n");
    let digests: String = std::iter::once(version.clone()).chain((0..200).map(digest)).collect();
    if std::env::var_os("BLESS").is_some() {
        let before = std::fs::read_to_string(STORED).unwrap_or_default();
        let same_model = before.starts_with(&version);
        assert!(!same_model || before == digests, "results differ from those of the same model: raise MODEL_VERSION");
        std::fs::write(STORED, &digests).expect("the stored digests can be written");
    }
    let stored = std::fs::read_to_string(STORED).expect("the stored digests can be read");
    let differs = stored.lines().zip(digests.lines()).find(|(stored, now)| stored != now);
    assert_eq!(
        differs, None,
        "the first scenario whose digest changed: stored, now. If it is meant to, raise MODEL_VERSION"
    );
    assert_eq!(stored.len(), digests.len());
}
