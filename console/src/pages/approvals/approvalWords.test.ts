import { describe, expect, it } from 'vitest';
import { effectOfDeadline, groupByRisk, riskTone } from './approvalWords.ts';

const approval = (risk: string, id: string) => ({ risk, id });

describe('approvals by risk', () => {
  it('begin with the highest, end with the undeclared, and keep unknown ones between', () => {
    const groups = groupByRisk([
      approval('unspecified', 'a'),
      approval('low', 'b'),
      approval('regulated', 'c'),
      approval('High', 'd'),
      approval('critical', 'e'),
      approval('medium', 'f'),
    ]);
    expect(groups.map(({ risk }) => risk)).toEqual(['critical', 'High', 'medium', 'low', 'regulated', 'unspecified']);
  });

  it('keep the order of the list within a risk', () => {
    const groups = groupByRisk([approval('low', 'first'), approval('high', 'x'), approval('low', 'second')]);
    expect(groups[1]?.approvals.map(({ id }) => id)).toEqual(['first', 'second']);
  });

  it('are not red unless they are high', () => {
    expect(['critical', 'high', 'medium', 'low', 'odd', 'unspecified'].map(riskTone)).toEqual([
      'bad',
      'bad',
      'hold',
      'idle',
      'idle',
      'idle',
    ]);
  });
});

describe('the deadline of an approval', () => {
  it('tells its effect, also that of a newer service', () => {
    expect(effectOfDeadline('REJECT', '')).toBe('it counts as denied');
    expect(effectOfDeadline('ESCALATE', 'treasury@shop.example')).toBe('it waits for treasury@shop.example');
    expect(effectOfDeadline('ESCALATE', '')).toBe('it stays open, without a deadline');
    expect(effectOfDeadline('POSTPONE' as never, '')).toBe('the service decides');
  });
});
