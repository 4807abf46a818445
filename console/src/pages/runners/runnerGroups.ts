/** A runner as far as the groups need it. */
export interface RunnerLike {
  app: string;
  live: boolean;
  lastSeenAt: string;
  sdkName: string | null;
  version: string | null;
  workflows: readonly string[];
}

/** The live runners of an app, and how they differ. */
export interface AppSummary {
  app: string;
  live: number;
  gone: number;
  /** The SDKs of its live runners with their versions, the most frequent first. */
  sdks: { name: string; runners: number }[];
  /** Workflows that only some of its live runners serve: a deploy is under way, or one hangs. */
  partial: { workflow: string; runners: number }[];
  /** When the last runner of an app without live runners was seen. */
  goneSince: string | undefined;
}

/** Sums the runners of each app; apps without a live runner come first, as nothing serves them. */
export function summarizeApps(runners: readonly RunnerLike[]): AppSummary[] {
  return [...new Set(runners.map(({ app }) => app))]
    .map((app) =>
      summarize(
        app,
        runners.filter((runner) => runner.app === app),
      ),
    )
    .sort((a, b) => Number(a.live > 0) - Number(b.live > 0) || a.app.localeCompare(b.app));
}

function summarize(app: string, all: readonly RunnerLike[]): AppSummary {
  const live = all.filter((runner) => runner.live);
  const served = count(live.flatMap(({ workflows }) => [...new Set(workflows)]));
  return {
    app,
    live: live.length,
    gone: all.length - live.length,
    sdks: count(live.map(sdkOf)).map(([name, runners]) => ({ name, runners })),
    partial: served
      .filter(([, servedBy]) => servedBy < live.length)
      .map(([workflow, runnersOfIt]) => ({ workflow, runners: runnersOfIt })),
    goneSince: live.length > 0 ? undefined : latest(all),
  };
}

/** `@holdfast/sdk 1.2.0`, or as much of it as the runner reported. */
export const sdkOf = ({ sdkName, version }: Pick<RunnerLike, 'sdkName' | 'version'>): string =>
  [sdkName ?? 'unknown SDK', version].filter(Boolean).join(' ');

const latest = (runners: readonly RunnerLike[]): string | undefined =>
  runners
    .map(({ lastSeenAt }) => lastSeenAt)
    .sort()
    .at(-1);

function count(names: readonly string[]): [name: string, times: number][] {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** Live runners by app and id; gone ones by when they were seen, the latest first. */
export function splitRunners<Runner extends RunnerLike>(
  runners: readonly Runner[],
  workflow?: string,
): { live: Runner[]; gone: Runner[] } {
  const matching = workflow ? runners.filter(({ workflows }) => workflows.includes(workflow)) : runners;
  return {
    live: matching.filter(({ live }) => live),
    gone: matching.filter(({ live }) => !live).sort((a, b) => b.lastSeenAt.localeCompare(a.lastSeenAt)),
  };
}
