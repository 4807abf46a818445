import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from '../../bench/options.ts';

const sizes = (...args: string[]) => {
  const { chosen, sizesOf } = readOptions(args);
  return Object.fromEntries(chosen.map((workload) => [workload.name, sizesOf(workload)]));
};

describe('the command line of the bench', () => {
  it('takes every size of a workload as a flag, and leaves other workloads alone', () => {
    expect(sizes('throughput', 'failover', '--concurrency', '8', '--runs', '10')).toEqual({
      throughput: { runs: 10, concurrency: 8 },
      failover: { runs: 10 },
    });
  });

  it('takes several numbers where a workload measures several', () => {
    expect(sizes('backlog', '--backlog', '10,200')).toEqual({ backlog: { backlog: [10, 200] } });
  });

  it('takes one number where another workload measures several under the same name', () => {
    expect(sizes('webhooks', '--backlog', '10')).toEqual({ webhooks: { backlog: 10 } });
    expect(() => sizes('webhooks', '--backlog', '10,200')).toThrow(UsageError);
  });

  it('lets flags win over --params, and --params over --smoke', () => {
    const params = '{"ingest":{"runs":7,"concurrency":3}}';
    expect(sizes('ingest', '--smoke', '--params', params, '--runs', '9')).toEqual({
      ingest: { runs: 9, concurrency: 3, warmUp: 10 },
    });
  });

  it.each([
    [[], /name a workload/],
    [['speed'], /no workload "speed"/],
    [['ingest', '--runs', 'many'], /--runs needs a number/],
    [['ingest', '--params', '{'], /--params is no JSON/],
    [['ingest', '--fast'], /--fast/],
  ])('says of %j what is wrong, and what there is', (args, reason) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(reason);
    expect(() => readOptions(args)).toThrow(/throughput .*\n\s+--runs 2000/);
  });
});
