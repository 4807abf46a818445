import { describe, expect, it } from 'vitest';
import { Distribution } from '../../../src/engine/tally/distribution.ts';
import { maxWorkflows, WorkflowTallies } from '../../../src/engine/tally/workflowTally.ts';

const names = (tallies: WorkflowTallies, projectId?: string): string[] =>
  tallies.shownTo(projectId).map(({ app, workflow, tally }) => `${app}/${workflow} ${tally.started}`);

describe('the tallies of workflows', () => {
  it('name 500 pairs of app and workflow, and count all further ones as other', () => {
    const tallies = new WorkflowTallies();
    for (let n = 0; n < maxWorkflows + 10; n += 1)
      tallies.of({ projectId: 'p', app: 'a', workflow: `w${n}` }).started += 1;
    tallies.of({ projectId: 'p', app: 'a', workflow: 'w0' }).started += 1;
    const shown = names(tallies);
    expect(shown).toHaveLength(maxWorkflows + 1);
    expect(shown[0]).toBe('a/w0 2');
    expect(shown.at(-1)).toBe('other/other 10');
  });

  it('sum the projects for the operator, and show a project its own names only', () => {
    const tallies = new WorkflowTallies();
    tallies.of({ projectId: 'p', app: 'a', workflow: 'w' }).started += 1;
    tallies.of({ projectId: 'q', app: 'a', workflow: 'w' }).started += 2;
    tallies.of({ projectId: 'q', app: 'secret', workflow: 'plan' }).started += 4;
    expect(names(tallies)).toEqual(['a/w 3', 'secret/plan 4', 'other/other 0']);
    expect(names(tallies, 'p')).toEqual(['a/w 1', 'other/other 6']);
    expect(names(tallies, 'stranger')).toEqual(['other/other 7']);
  });

  it('keep names apart that only differ in where the app ends', () => {
    const tallies = new WorkflowTallies();
    tallies.of({ projectId: 'p', app: 'a/b', workflow: 'c' }).started += 1;
    tallies.of({ projectId: 'p', app: 'a', workflow: 'b/c' }).started += 2;
    expect(names(tallies)).toEqual(['a/b/c 1', 'a/b/c 2', 'other/other 0']);
  });
});

describe('a distribution', () => {
  it('counts values by the bound that they do not exceed', () => {
    const distribution = new Distribution([1, 2]);
    for (const value of [0, 1, 1.5, 2, 3, -1]) distribution.observe(value);
    expect(distribution.counts).toEqual([3, 2, 1]);
    expect(distribution.sum).toBe(7.5);
  });

  it('adds up with another one', () => {
    const [one, other] = [new Distribution([1]), new Distribution([1])];
    one.observe(0.5);
    other.observe(2);
    one.add(other);
    expect([one.counts, one.sum]).toEqual([[1, 1], 2.5]);
  });
});
