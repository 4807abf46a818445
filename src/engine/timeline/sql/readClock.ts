import { statement } from '../../db/index.ts';

/** The time by which frames are dated. */
export const readClock = statement<{ now: Date | null }, { now: Date }>({
  name: 'readClock',
  writes: false,
  text: 'select coalesce($1::timestamptz, clock_timestamp()) as now',
  values: ({ now }) => [now],
});
