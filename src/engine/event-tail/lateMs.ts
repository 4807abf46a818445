/**
 * How long after its id was made, by processes whose clocks differ, an event may still come to the log, in ms. Looks between two wide
 * ones, and tails that are taken up again, reckon with the `usual`; none is later than `most`.
 */
export const lateMs = { usual: 10_000, most: 60_000 };
