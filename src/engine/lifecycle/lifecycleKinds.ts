/** The changes of runs and steps of which endpoints can be told (6.2). */
export const lifecycleKinds = [
  'run.succeeded',
  'run.failed',
  'run.cancelled',
  'step.succeeded',
  'step.failed',
  'step.skipped',
] as const;
export type LifecycleKind = (typeof lifecycleKinds)[number];
