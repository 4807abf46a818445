import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the trials first, then the tests of whole services, then the short tests. Otherwise a long
 * file could run alone on one core at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.name === 'trials') return 0;
      return moduleId.includes('/test/e2e/') ? 1 : 2;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
