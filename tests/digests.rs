//! The same bytes on every machine, in debug and release: the digests of a few hundred random runs are stored.
//!
//! A change of the model, of the draws or of the generator in `tests/random` changes them, and must say so:
//! `BLESS=1 cargo test --test digests` stores the new ones. `.ci/run` runs this test in debug and in release.

mod random;

use random::{EVERYTHING, Random};
use rehearsal::measure::Digest;
use rehearsal::model::Plan;
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
    let digests: String = (0..200).map(digest).collect();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(STORED, &digests).expect("the stored digests can be written");
    }
    let stored = std::fs::read_to_string(STORED).expect("the stored digests can be read");
    let differs = stored.lines().zip(digests.lines()).find(|(stored, now)| stored != now);
    assert_eq!(differs, None, "the first scenario whose digest changed: stored, now");
    assert_eq!(stored.len(), digests.len());
}
