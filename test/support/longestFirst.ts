import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projectRoot } from './build.ts';

/**
 * The files that take longest, by the last run of `.ci/run` (`npm run test:costs`). A new clone
 * knows no times of its own: vitest would start the largest files first, and these are short texts.
 */
export const longest: readonly string[] = [
  'test/crash/failPoints.test.ts',
  'test/random/interleavings.test.ts',
  'test/console/browser/states.test.ts',
  'test/faults/instances.test.ts',
  'test/console/browser/webhooks.test.ts',
  'test/crash/modelCaller.test.ts',
  'test/console/browser/pages.test.ts',
  'test/console/browser/strangers.test.ts',
  'test/console/browser/workPages.test.ts',
  'test/sdk/package/compilers.test.ts',
  'test/console/browser/weather.test.ts',
  'test/random/testKit.test.ts',
  'test/faults/agents.test.ts',
  'test/random/programs.test.ts',
  'test/crash/service.test.ts',
];

/**
 * Starts the longest files first, then the other trials, the tests of whole services and the short
 * tests. Otherwise a long file could run alone on one core at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(projectRoot, moduleId));
      if (place >= 0) return place;
      if (project.name === 'trials') return longest.length;
      return longest.length + (moduleId.includes('/test/e2e/') ? 1 : 2);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
