import type { Definition, ProjectSnapshot } from '../model/index.ts';
import { capableRunners } from '../runners/index.ts';
import type { ParsedEvent } from './eventInput.ts';

/** Why an event is refused that names an app or a runner where nobody is there to receive it. */
export const unregistered = 'event names an unregistered workflow';

type Address = Pick<ParsedEvent, 'targetApp' | 'runner'>;

/**
 * Whether an event has somebody to go to: one that names an app or a runner must, a broadcast need
 * not.
 */
export function hasAddressee(snapshot: ProjectSnapshot, { name, ...address }: Address & { name: string }): boolean {
  if (address.targetApp === undefined && address.runner === undefined) return true;
  for (const definition of snapshot.listeners(name)) if (isAddressed(snapshot, address, definition)) return true;
  return false;
}

/**
 * Whether a workflow is of the app that an event names, and was registered by the runner that it
 * names.
 */
export const isAddressed = (
  snapshot: ProjectSnapshot,
  { targetApp, runner }: Address,
  { app, name }: Definition,
): boolean =>
  (targetApp === undefined || app === targetApp) &&
  (runner === undefined || capableRunners(snapshot, app, name, runner).length > 0);
