import type { ApprovalOnTimeout, DecidedVia } from '../../data/generated/graphql.ts';
import type { Tone } from '../../design/index.ts';

/** Risks from the highest to the lowest. Steps may declare others; those stand before the last. */
const ranks = ['critical', 'high', 'medium', 'low'];
const undeclared = 'unspecified';

function rankOf(risk: string): number {
  const word = risk.toLowerCase();
  if (word === undeclared) return ranks.length + 1;
  const at = ranks.indexOf(word);
  return at === -1 ? ranks.length : at;
}

export interface RiskGroup<Approval> {
  risk: string;
  approvals: Approval[];
}

/** Approvals by risk, the highest first. Within a risk they keep their order. */
export function groupByRisk<Approval extends { risk: string }>(approvals: readonly Approval[]): RiskGroup<Approval>[] {
  const groups = new Map<string, Approval[]>();
  for (const each of approvals) groups.set(each.risk, [...(groups.get(each.risk) ?? []), each]);
  return [...groups]
    .map(([risk, some]) => ({ risk, approvals: some }))
    .sort((a, b) => rankOf(a.risk) - rankOf(b.risk) || (a.risk < b.risk ? -1 : 1));
}

export function riskTone(risk: string): Tone {
  const rank = rankOf(risk);
  if (rank <= 1) return 'bad';
  return rank === 2 ? 'hold' : 'idle';
}

export const isOpen = (status: string): boolean => status === 'PENDING' || status === 'ESCALATED';

/** The effect of the deadline, after `then`. */
export function effectOfDeadline(onTimeout: ApprovalOnTimeout, escalatesTo: string): string {
  switch (onTimeout) {
    case 'APPROVE':
      return 'it counts as approved';
    case 'REJECT':
      return 'it counts as denied';
    case 'FAIL':
      return 'the step fails';
    case 'ESCALATE':
      return escalatesTo ? `it waits for ${escalatesTo}` : 'it stays open, without a deadline';
    default:
      return 'the service decides';
  }
}

/** The surface of a decision, after the name. */
export function surfaceOf(via: DecidedVia | null | undefined): string {
  switch (via) {
    case 'API':
      return 'by the API';
    case 'CONSOLE':
      return 'in a console';
    case 'MCP':
      return 'by an agent tool';
    case 'TIMEOUT':
      return 'by the deadline';
    default:
      return '';
  }
}
