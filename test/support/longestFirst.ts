import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute and more on two cores, longest first. */
const longest = [
  'test/crash/failPoints.test.ts',
  'test/random/interleavings.test.ts',
  'test/faults/instances.test.ts',
  'test/e2e/start.test.ts',
];

/**
 * Starts the longest files before all others. Without that, a clean clone (which knows nothing of how long its files
 * took the last time) ends with one of them alone on one core.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
