export const activeStatuses = ['queued', 'running', 'waiting'] as const;
export const openStatuses = [...activeStatuses, 'paused', 'needs_attention'] as const;
export const terminalStatuses = ['succeeded', 'failed', 'cancelled'] as const;
export const runStatuses = [...openStatuses, ...terminalStatuses] as const;

/** 3.1 */
export type RunStatus = (typeof runStatuses)[number];
export type TerminalStatus = (typeof terminalStatuses)[number];

/** Statuses and their aliases, as filters name them. */
export const runStatusFilters = [...runStatuses, 'active', 'all'] as const;
export type RunStatusFilter = (typeof runStatusFilters)[number];

export const isTerminal = (status: RunStatus): status is TerminalStatus =>
  (terminalStatuses as readonly string[]).includes(status);

export const triggerKinds = ['event', 'cron', 'manual'] as const;
export type TriggerKind = (typeof triggerKinds)[number];

export const stepStatuses = ['running', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;

/** 3.4 */
export type StepStatus = (typeof stepStatuses)[number];

export const noRuns = Object.fromEntries(runStatuses.map((status) => [status, 0])) as Readonly<
  Record<RunStatus, number>
>;

export type StatusCounts = Readonly<Record<RunStatus, number>>;

/** SQL: how many of the rows in a group have each status, as JSON. */
export const statusCountsSql = `json_build_object(${runStatuses
  .map((status) => `'${status}', count(*) filter (where status = '${status}')`)
  .join(', ')})`;
