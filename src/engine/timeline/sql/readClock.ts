import { instant, statement } from '../../db/index.ts';

/** The time by which frames are dated. */
export const readClock = statement<{ now: Date }>('readClock').reads({
  params: { now: instant },
  text: 'select $clock as now',
});
