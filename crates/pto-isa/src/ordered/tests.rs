//! Maps and sets against those of the standard library.

use super::{OrdMap, OrdSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// Numbers that repeat within `below`.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn same(map: &OrdMap<u64, u64>, model: &BTreeMap<u64, u64>) {
    assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
    assert!(map.iter().eq(model.iter()) && map.iter().rev().eq(model.iter().rev()));
    assert_eq!(map.iter().len(), model.len());
    assert_eq!(map.first_key_value(), model.first_key_value());
    assert_eq!(map.last_key_value(), model.last_key_value());
}

fn random_steps(steps: u64, keys: u64, seed: u64) {
    let (mut map, mut model, mut numbers) = (OrdMap::new(), BTreeMap::new(), Numbers(seed));
    for step in 0..steps {
        let key = numbers.next(keys);
        match numbers.next(10) {
            0..5 => assert_eq!(map.insert(key, step), model.insert(key, step)),
            5 => {
                let own = *map.entry(key).and_modify(|v| *v += 1).or_insert(7);
                assert_eq!(own, *model.entry(key).and_modify(|v| *v += 1).or_insert(7));
            }
            6 | 7 => assert_eq!(map.remove(&key), model.remove(&key)),
            8 if step % 3 == 0 => assert_eq!(map.pop_first(), model.pop_first()),
            8 => assert_eq!(map.pop_last(), model.pop_last()),
            _ => assert_eq!(map.get(&key), model.get(&key)),
        }
        if step % 97 == 0 {
            same(&map, &model);
            ranges(&mut map, &mut model, &mut numbers, keys);
        }
    }
    let kept = numbers.next(5) + 2;
    map.retain(|key, value| (*key + *value) % kept == 0);
    model.retain(|key, value| (*key + *value) % kept == 0);
    same(&map, &model);
    assert!(map.clone().into_iter().eq(model.clone()) && map.into_iter().rev().eq(model.into_iter().rev()));
}

fn ranges(map: &mut OrdMap<u64, u64>, model: &mut BTreeMap<u64, u64>, numbers: &mut Numbers, keys: u64) {
    let (a, b) = (numbers.next(keys), numbers.next(keys));
    let (a, b) = (a.min(b), a.max(b));
    assert!(map.range(a..b).eq(model.range(a..b)) && map.range(a..=b).rev().eq(model.range(a..=b).rev()));
    assert!(map.range(..b).eq(model.range(..b)) && map.range(a..).eq(model.range(a..)));
    if a < b {
        let open = (Bound::Excluded(a), Bound::Excluded(b));
        assert!(map.range(open).eq(model.range(open)));
    }
    map.range_mut(a..b).for_each(|(_, value)| *value += 1);
    model.range_mut(a..b).for_each(|(_, value)| *value += 1);
    map.values_mut().rev().for_each(|value| *value ^= 1);
    model.values_mut().rev().for_each(|value| *value ^= 1);
    same(map, model);
}

#[test]
fn a_map_does_what_that_of_the_standard_library_does() {
    for seed in 0..6 {
        random_steps(3_000, 40 * (seed + 1), seed);
    }
    random_steps(30_000, 100_000, 11);
}

#[test]
fn keys_in_order_fill_whole_lists() {
    let up: OrdMap<u32, ()> = (0..1000).map(|key| (key, ())).collect();
    assert_eq!((up.first.len(), up.more.len()), (128, 7));
    let down: OrdMap<u32, ()> = (0..1000).rev().map(|key| (key, ())).collect();
    assert_eq!(up, down);
    assert_eq!(up.cmp(&down), std::cmp::Ordering::Equal);
}

#[test]
fn a_range_that_ends_before_it_begins_is_empty() {
    let map: OrdMap<u32, u32> = (0..500).map(|key| (key, key)).collect();
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = map.range(300..20).count();
    assert_eq!(backwards, 0);
}

#[test]
fn sets_are_compared_and_combined() {
    let mut numbers = Numbers(3);
    for below in [5, 60, 700] {
        let mut make = || -> Vec<u64> { (0..below).map(|_| numbers.next(below)).collect() };
        let (a, b) = (make(), make());
        let [set, other]: [OrdSet<u64>; 2] = [a.iter().copied().collect(), b.iter().copied().collect()];
        let [model, other_model]: [BTreeSet<u64>; 2] = [a.into_iter().collect(), b.into_iter().collect()];
        assert!((&set | &other).iter().eq((&model | &other_model).iter()));
        assert!((&set & &other).iter().eq((&model & &other_model).iter()));
        assert!((&set - &other).iter().eq((&model - &other_model).iter()));
        assert_eq!(set.is_disjoint(&other), model.is_disjoint(&other_model));
        assert_eq!(set.cmp(&other), model.cmp(&other_model));
        assert!((&set & &other).is_subset(&other) && other.is_superset(&(&set & &other)));
        assert_eq!(format!("{set:?}"), format!("{model:?}"));
        assert_eq!((set.first(), set.last()), (model.first(), model.last()));
    }
}
