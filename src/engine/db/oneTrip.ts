import { failPoint } from './failPoints.ts';
import type { Queryable, TripPart } from './statement.ts';

type Answers<Rows extends readonly object[]> = { [K in keyof Rows]: Rows[K][] };

/**
 * Sends statements in one round trip, as one transaction. Each sees what those before it wrote and
 * what others committed before it began, as in any transaction. No statement waits for the answer
 * of a former one, so each decides by rows alone whether it writes. If one fails, nothing is
 * written.
 *
 * All fail-points before come first, and all after come last: nothing can stop in between.
 */
export async function oneTrip<Rows extends readonly object[]>(
  db: Queryable,
  ...parts: { [K in keyof Rows]: TripPart<Rows[K]> }
): Promise<Answers<Rows>> {
  const written = parts.flatMap(({ name, writes }) => (writes ? [name] : []));
  for (const name of written) await failPoint(`${name}:before`);
  const trip = { text: '', parts };
  const [answered] = (await db.query<{ answers: Answers<Rows> }>(trip)).rows;
  if (!answered) throw new Error('a trip was not answered');
  for (const name of written) await failPoint(`${name}:after`);
  return answered.answers;
}
