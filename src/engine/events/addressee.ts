import type { Definition, ProjectSnapshot } from '../model/index.ts';
import { capableRunners } from '../runners/index.ts';
import type { ParsedEvent } from './eventInput.ts';

/** Why an event is refused if no app or runner can receive it. */
export const unregistered = 'event names an unregistered workflow';

type Address = Pick<ParsedEvent, 'targetApp' | 'runner'>;

/**
 * Whether an event has a receiver: a workflow that it starts, or one whose runs it cancels. An
 * event to an app or a runner needs one; a broadcast does not.
 */
export function hasAddressee(snapshot: ProjectSnapshot, { name, ...address }: Address & { name: string }): boolean {
  if (address.targetApp === undefined && address.runner === undefined) return true;
  for (const { definition } of snapshot.listeners(name)) if (isAddressed(snapshot, address, definition)) return true;
  return address.runner === undefined && snapshot.cancelRules(name).some(({ app }) => app === address.targetApp);
}

/** Whether a workflow matches the app and the runner of an event. */
export const isAddressed = (
  snapshot: ProjectSnapshot,
  { targetApp, runner }: Address,
  { app, name }: Definition,
): boolean =>
  (targetApp === undefined || app === targetApp) &&
  (runner === undefined || capableRunners(snapshot, app, name, runner).length > 0);
