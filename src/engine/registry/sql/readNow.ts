import { instant, statement } from '../../db/index.ts';

/** The database's time. */
export const readNow = statement<{ now: Date }>('readNow').reads({
  params: { now: instant },
  text: 'select $clock as now',
});
