import fc from 'fast-check';

const seedOf = (spec: string): { seed: number; path: string | undefined } => {
  const [seed, ...path] = spec.split(':');
  return { seed: Number(seed), path: path.length > 0 ? path.join(':') : undefined };
};

/** Whether a single case of a former failure is tried. */
export const isReplay = (): boolean => process.env['RANDOM_SEED']?.includes(':') ?? false;

/**
 * Tests a property with many cases. A failure names the seed of its case:
 * `RANDOM_SEED=<seed>:<path> npm test -- test/random`. With RANDOM_SHRINK=1 that is the smallest
 * failing case.
 */
export async function checkProperty<Ts>(
  name: string,
  property: fc.IAsyncPropertyWithHooks<Ts>,
  count: number,
): Promise<void> {
  const given = process.env['RANDOM_SEED'];
  const { seed, path } = seedOf(given ?? '20261121');
  const details = await fc.check(property, {
    seed,
    numRuns: path === undefined ? count : 1,
    ...(path !== undefined && { path }),
    endOnFailure: process.env['RANDOM_SHRINK'] !== '1',
  });
  if (!details.failed) return;
  const replay = `RANDOM_SEED=${details.seed}:${details.counterexamplePath} npm test -- test/random/${name}.test.ts`;
  const cause = details.errorInstance;
  const reason = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  throw new Error(
    `${name}: case ${details.numRuns} of ${count} failed after ${details.numShrinks} reductions.\n${replay}\n${reason}\n` +
      JSON.stringify(details.counterexample),
  );
}
