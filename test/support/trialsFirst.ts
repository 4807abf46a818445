import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the trials before the short tests, so that no long file runs alone on one core at the end.
 */
export class TrialsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number => (project.name === 'trials' ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
