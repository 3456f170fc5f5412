//! A device as users write it down: `read=2100,write=1500,operations=61000,alone=5,memory=1000`.

use super::DeviceModel;
use crate::error::Error;
use std::str::FromStr;

/// Rates are in megabytes a second.
const MEGABYTE: u64 = 1_000_000;
/// So that no rate in bytes overflows.
const MEGABYTES_MAX: u64 = 1 << 30;
const PERCENT_MAX: u64 = 1000;

/// One number of a device.
struct Number {
    name: &'static str,
    /// In one unit of what is written down, and where it is in the model.
    unit: u64,
    least: u64,
    most: u64,
    of: fn(&mut DeviceModel) -> &mut u64,
}

const NUMBERS: [Number; 5] = [
    Number {
        name: "read",
        unit: MEGABYTE,
        least: 1,
        most: MEGABYTES_MAX,
        of: |device| &mut device.read_bytes_per_second,
    },
    Number {
        name: "write",
        unit: MEGABYTE,
        least: 1,
        most: MEGABYTES_MAX,
        of: |device| &mut device.write_bytes_per_second,
    },
    Number {
        name: "operations",
        unit: 1,
        least: 1,
        most: u64::MAX,
        of: |device| &mut device.operations_per_second,
    },
    Number { name: "alone", unit: 1, least: 0, most: PERCENT_MAX, of: |device| &mut device.alone_percent },
    Number {
        name: "memory",
        unit: MEGABYTE,
        least: 1,
        most: MEGABYTES_MAX,
        of: |device| &mut device.memory_bytes_per_second,
    },
];

impl FromStr for DeviceModel {
    type Err = Error;

    /// Numbers by their names, with commas between them: `read`, `write` and `memory` in megabytes a second, from 1 to 2^30, or `bandwidth` for
    /// the first two; `operations` in a second, at least 1; `alone` in hundredths, up to 1000. Those that are not named, and what has no name, are those of
    /// [`default`](Self::default). None is named twice, but for `bandwidth` with one of its two: of these what is said last counts.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut device = Self::default();
        let mut said: Vec<(&str, &str)> = vec![];
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let problem = || Error::Device { text: part.to_owned() };
            let (name, value) = part.split_once('=').ok_or_else(problem)?;
            let (name, value) = (name.trim(), value.trim().parse::<u64>().map_err(|_| problem())?);
            if let Some((_, before)) = said.iter().find(|(other, _)| *other == name) {
                return Err(Error::Device { text: format!("{before},{part}") });
            }
            said.push((name, part));
            let mut found = 0;
            for number in NUMBERS.iter().filter(|number| number.is_called(name)) {
                if !(number.least..=number.most).contains(&value) {
                    return Err(problem());
                }
                *(number.of)(&mut device) = value.saturating_mul(number.unit);
                found += 1;
            }
            if found == 0 {
                return Err(problem());
            }
        }
        Ok(device)
    }
}

impl Number {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || (name == "bandwidth" && ["read", "write"].contains(&self.name))
    }
}

impl DeviceModel {
    /// The device as it is [parsed](str::parse); rates are rounded down to whole megabytes, and to one at least.
    pub fn setting(mut self) -> String {
        let number = |number: &Number| {
            let value = *(number.of)(&mut self) / number.unit;
            format!("{}={}", number.name, value.clamp(number.least, number.most))
        };
        NUMBERS.iter().map(number).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_what_its_setting_says_and_otherwise_the_default() {
        let default = DeviceModel::default();
        assert_eq!("".parse::<DeviceModel>(), Ok(default));
        assert_eq!(default.setting(), "read=2000,write=2000,operations=61035,alone=5,memory=1000");
        let of_disk: DeviceModel =
            " write = 90,read=120 , operations=150,alone=0,memory=4000,".parse().unwrap();
        let expected = DeviceModel {
            read_bytes_per_second: 120_000_000,
            write_bytes_per_second: 90_000_000,
            operations_per_second: 150,
            alone_percent: 0,
            memory_bytes_per_second: 4_000_000_000,
            ..default
        };
        assert_eq!(of_disk, expected);
        assert_eq!(of_disk.setting().parse(), Ok(expected), "there and back");
        let both: DeviceModel = "bandwidth=7,write=8".parse().unwrap();
        assert_eq!((both.read_bytes_per_second, both.write_bytes_per_second), (7_000_000, 8_000_000));
        assert_eq!(
            DeviceModel::volume_only().setting().parse::<DeviceModel>().unwrap().operations_per_second,
            u64::MAX
        );
    }

    #[test]
    fn what_makes_no_sense_is_named_with_what_is_expected() {
        for text in [
            "fast",
            "read",
            "read=",
            "read=fast",
            "read=0",
            "read=-1",
            "read=1.5",
            "speed=5",
            "alone=1001",
            "memory=1073741825",
            "read=1,read=2000",
            "bandwidth=7,bandwidth=7",
        ] {
            let error = format!("operations=5,{text}").parse::<DeviceModel>().unwrap_err();
            assert_eq!(error, Error::Device { text: text.to_owned() });
            assert!(error.to_string().contains("expected"), "{error}");
        }
    }
}
