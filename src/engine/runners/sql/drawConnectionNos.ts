import { int, statement } from '../../db/index.ts';

/** Draws the next numbers of the order in which runners connect. */
export const drawConnectionNos = statement<{ connectionNo: number }>('drawConnectionNos').writes({
  params: { count: int },
  text: `
    select nextval('runner_connection_no_seq') as connection_no
    from generate_series(1, $count)`,
});
