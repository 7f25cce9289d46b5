/// A day of the Gregorian calendar.
///
/// Foundation's `Calendar` is Julian before October 1582, and RFC 3339 is not. Years begin in March here, so that a leap
/// day is the last day of its year (E. G. Richards, *Mapping Time*, 1998).
package struct CalendarDay {
    /// The year, from 0 to 9999.
    let year: Int
    /// The month, from 1.
    let month: Int
    /// The day of the month, from 1.
    let day: Int

    /// The days from the beginning of March of the year 0 to the beginning of 2001.
    private static let reference = 730_791

    /// Creates a day; nil if it does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard 0...9999 ~= year, 1...12 ~= month, day >= 1, day <= Self.count(of: month, in: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the day that begins a number of days after the beginning of 2001.
    ///
    /// - Precondition: The day is in the years 0 to 9999.
    init(daysSinceReference: Int) {
        // An era is 400 years from March on, or 146 097 days; then the calendar repeats. March of the year 0 begins era
        // 0. January and February of that year are in era −1.
        let days = daysSinceReference + Self.reference
        let era = days >= 0 ? days / 146_097 : -1
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days from the beginning of 2001 to the beginning of the day.
    var daysSinceReference: Int {
        let shiftedYear = month > 2 ? year : year - 1
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let era = shiftedYear < 0 ? -1 : shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.reference
    }

    /// Returns the number of days of a month.
    private static func count(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
