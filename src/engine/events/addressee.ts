import type { ProjectSnapshot } from '../registry/registry.ts';
import type { ParsedEvent } from './eventInput.ts';

/** Why an event is refused that names an app or a runner where nobody is there to receive it. */
export const unregistered = 'event names an unregistered workflow';

/** Whether an event has somebody to go to: one that names an app or a runner must, a broadcast need not. */
export function hasAddressee(snapshot: ProjectSnapshot, { name, targetApp, runner }: ParsedEvent): boolean {
  if (runner === undefined) return targetApp === undefined || snapshot.knowsEvent(name, targetApp);
  const apps = [...appsOfRunner(snapshot, runner)].filter((app) => targetApp === undefined || app === targetApp);
  return apps.some((app) => snapshot.knowsEvent(name, app));
}

/** The apps for which a runner of that id ever registered. */
export const appsOfRunner = (snapshot: ProjectSnapshot, runnerId: string): Set<string> =>
  new Set(snapshot.runners.filter((each) => each.runnerId === runnerId).map((each) => each.app));
