import { type RunStatus, runStatuses, terminalStatuses } from '../src/engine/runs/status.ts';
import { runTransitions, type Transition } from '../src/engine/runs/transitions.ts';
import { table } from './table.ts';

const transitions: readonly Transition[] = runTransitions;

const meanings: Readonly<Record<RunStatus, string>> = {
  queued: 'is ready to continue; waits for its turn and for a runner with a free slot',
  running: 'has a pass that a runner executes now',
  waiting:
    'cannot continue yet: it waits for a time, an event, a child run, the next attempt, or for a runner to appear',
  paused: 'was paused by a person or a spent budget; it uses no runner, and continues when it is resumed',
  needs_attention: 'waits for a person to decide an approval',
  succeeded: 'has ended: its handler returned',
  failed: 'has ended: its handler failed for good, or no runner could execute it',
  cancelled: 'has ended: a person, its parent run or a newer run of its `singleton` cancelled it',
};

/** Turns `resumedToWait` into "resumed to wait". */
const label = ({ name }: Transition): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const code = (status: RunStatus): string => `\`${status}\``;

function diagram(): string {
  const edges = transitions.flatMap((each) =>
    (each.from.length === 0 ? ['[*]'] : each.from).map((from) => `  ${from} --> ${each.to}: ${label(each)}`),
  );
  const ends = terminalStatuses.map((status) => `  ${status} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', ...edges, ...ends, '```'].join('\n');
}

/** The reference page on the statuses of runs and their transitions, from the engine's table. */
export function runStatesText(): string {
  const rows = transitions.map((each) => [
    label(each),
    each.from.length === 0 ? '–' : each.from.map(code).join(', '),
    each.trigger,
    each.condition,
    code(each.to),
  ]);
  return `# The states of a run

This page is generated (\`npm run codegen\`) from the table that the service checks its journals against
(\`src/engine/runs/transitions.ts\`). [How a run lives](../guides/how-a-run-lives.md) explains the changes.

${table(
  ['Status', 'The run'],
  runStatuses.map((status) => [code(status), meanings[status]]),
)}

${diagram()}

${table(['Change', 'From', 'Trigger', 'Condition', 'To'], rows)}

A run that has ended never changes again: a replay, or a retry from a step, makes a new run. Each change is one \`run_status\`
frame in the run's stream.
`;
}
