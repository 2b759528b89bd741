//! Instants: milliseconds since 1970-01-01T00:00:00Z, and their text forms.
//!
//! Nothing in here reads a clock: whoever needs "now" is given a [`Time`]. Calendar arithmetic is the
//! proleptic Gregorian one; leap seconds do not exist (`:60` is refused), as in XML Schema and POSIX.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use crate::error::Error;

const DAY_MILLIS: i64 = 86_400_000;

/// An instant in UTC with a resolution of one millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(i64);

impl Time {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Time = Time(0);

    /// From milliseconds since the epoch (negative before 1970).
    #[must_use]
    pub const fn from_millis(millis: i64) -> Time {
        Time(millis)
    }

    /// From whole seconds since the epoch; saturates far outside the calendar.
    #[must_use]
    pub const fn from_unix(seconds: i64) -> Time {
        Time(seconds.saturating_mul(1000))
    }

    /// From calendar fields in UTC.
    ///
    /// # Errors
    /// [`Error::BadTime`] if a field is out of range (month, day of that month, hour ≤ 23, minute and
    /// second ≤ 59) or the year is not within 1–9999.
    pub fn from_civil(
        (year, month, day): (i64, u32, u32),
        (hour, minute, second): (u32, u32, u32),
    ) -> Result<Time, Error> {
        let sound = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && day >= 1
            && day <= days_in_month(year, month)
            && hour <= 23
            && minute <= 59
            && second <= 59;
        if !sound {
            return Err(Error::BadTime);
        }
        let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
        Ok(Time(days_from_civil(year, month, day) * DAY_MILLIS + seconds * 1000))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down.
    #[must_use]
    pub const fn unix(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Reads an RFC 3339 date-time: four-digit year, any offset, any number of fraction digits up to
    /// nine (what is below a millisecond is cut off). For options and configuration files.
    ///
    /// # Errors
    /// [`Error::BadTime`].
    pub fn parse_rfc3339(text: &str) -> Result<Time, Error> {
        let (local, rest) = parse_local(text.as_bytes())?;
        let offset_minutes = match rest {
            b"Z" | b"z" => 0,
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
                let (hours, minutes) = (two_digits(*h1, *h2)?, two_digits(*m1, *m2)?);
                if hours > 23 || minutes > 59 {
                    return Err(Error::BadTime);
                }
                let minutes = i64::from(hours * 60 + minutes);
                if *sign == b'-' { -minutes } else { minutes }
            }
            _ => return Err(Error::BadTime),
        };
        Ok(Time(local.0 - offset_minutes * 60_000))
    }

    /// Reads the `xsd:dateTime` of a `wsu:Created` or `wsu:Expires`: UTC written with a capital `Z`, at
    /// most nine fraction digits, a year of four digits, no white space, no `24:00:00`, no second 60.
    /// Anything else is refused, although XML Schema would allow more.
    ///
    /// # Errors
    /// [`Error::BadTime`].
    pub fn parse_xsd(text: &str) -> Result<Time, Error> {
        match (parse_local(text.as_bytes())?, text.as_bytes().get(10)) {
            ((time, b"Z"), Some(b'T')) => Ok(time),
            _ => Err(Error::BadTime),
        }
    }

    /// As [`parse_xsd`](Self::parse_xsd), and `+00:00` for the `Z`, which means the same and is not the form that the Basic Security Profile
    /// asks for. For peers that write it so.
    ///
    /// # Errors
    /// [`Error::BadTime`], for every other offset as well: a clock that is set to another zone is a mistake to be found.
    pub fn parse_xsd_lenient(text: &str) -> Result<Time, Error> {
        match text.strip_suffix("+00:00") {
            Some(local) => Time::parse_xsd(&[local, "Z"].concat()),
            None => Time::parse_xsd(text),
        }
    }

    /// `2026-11-30T13:56:32.207Z`: always three fraction digits.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        let mut text = self.date_and_seconds();
        text.push_str(&format!(".{:03}Z", self.0.rem_euclid(1000)));
        text
    }

    /// `2026-11-30T13:56:32Z`: the fraction is cut off.
    #[must_use]
    pub fn to_seconds_z(self) -> String {
        let mut text = self.date_and_seconds();
        text.push('Z');
        text
    }

    /// Calendar fields in UTC: (year, month, day), (hour, minute, second).
    #[must_use]
    pub fn civil(self) -> ((i64, u32, u32), (u32, u32, u32)) {
        let seconds = self.0.rem_euclid(DAY_MILLIS) / 1000;
        let part = |value: i64| u32::try_from(value).unwrap_or(0);
        let clock = (part(seconds / 3600), part(seconds / 60 % 60), part(seconds % 60));
        (civil_from_days(self.0.div_euclid(DAY_MILLIS)), clock)
    }

    /// How long `earlier` lies back; `None` if it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Time) -> Option<Duration> {
        let millis = self.0.checked_sub(earlier.0)?;
        u64::try_from(millis).ok().map(Duration::from_millis)
    }

    fn date_and_seconds(self) -> String {
        let ((year, month, day), (hour, minute, second)) = self.civil();
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

/// Saturating: far beyond the calendar it stays at the end of the range.
impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, length: Duration) -> Time {
        Time(self.0.saturating_add(duration_millis(length)))
    }
}

/// Saturating, like addition.
impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, length: Duration) -> Time {
        Time(self.0.saturating_sub(duration_millis(length)))
    }
}

fn duration_millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// `YYYY-MM-DDThh:mm:ss[.f{1,9}]` and what follows it.
fn parse_local(text: &[u8]) -> Result<(Time, &[u8]), Error> {
    let (head, mut rest) = text.split_at_checked(19).ok_or(Error::BadTime)?;
    let [y1, y2, y3, y4, b'-', mo1, mo2, b'-', d1, d2, b'T' | b't', h1, h2, b':', mi1, mi2, b':', s1, s2] =
        head
    else {
        return Err(Error::BadTime);
    };
    // The small `t` is RFC 3339's; `parse_xsd` refuses it.
    let year = i64::from(two_digits(*y1, *y2)?) * 100 + i64::from(two_digits(*y3, *y4)?);
    let date = (year, two_digits(*mo1, *mo2)?, two_digits(*d1, *d2)?);
    let clock = (two_digits(*h1, *h2)?, two_digits(*mi1, *mi2)?, two_digits(*s1, *s2)?);
    let whole = Time::from_civil(date, clock)?;

    let mut millis = 0;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = fraction.iter().take_while(|octet| octet.is_ascii_digit()).count();
        if !(1..=9).contains(&count) {
            return Err(Error::BadTime);
        }
        let (digits, after) = fraction.split_at_checked(count).ok_or(Error::BadTime)?;
        for place in 0..3 {
            millis = millis * 10 + digits.get(place).map_or(0, |digit| i64::from(digit - b'0'));
        }
        rest = after;
    }
    Ok((Time(whole.0 + millis), rest))
}

fn two_digits(tens: u8, ones: u8) -> Result<u32, Error> {
    if tens.is_ascii_digit() && ones.is_ascii_digit() {
        Ok(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
    } else {
        Err(Error::BadTime)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day is a year's last day and
/// the months before it always have the same lengths.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let month = i64::from(month);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let small = |value: i64| u32::try_from(value).unwrap_or(0);
    (year_of_era + era * 400 + carry, small(month), small(day))
}

#[cfg(test)]
mod tests;
