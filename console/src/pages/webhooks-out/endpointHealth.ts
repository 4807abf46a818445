import type { Tone } from '../../design/index.ts';

interface Figures {
  attempts: number;
  failedAttempts: number;
  succeeded: number;
}

export interface HealthBucket extends Figures {
  bucket: string;
}

export interface EndpointStats extends Figures {
  endpointId: string;
  buckets: readonly HealthBucket[];
}

interface Endpoint {
  id: string;
  enabled: boolean;
  disabledAt?: string | null | undefined;
}

export type HealthKind = 'stopped' | 'failing' | 'troubled' | 'healthy' | 'idle' | 'off';

export interface Health {
  kind: HealthKind;
  label: string;
  tone: Tone;
  /** Failed attempts of all, from 0 to 1. Absent without attempts. */
  failureRate: number | undefined;
  /** The start of the hours without one success; absent if the last hours had some. */
  failingSince: string | undefined;
}

const looks: Record<HealthKind, { label: string; tone: Tone }> = {
  stopped: { label: 'Disabled by the service', tone: 'bad' },
  failing: { label: 'Failing', tone: 'bad' },
  troubled: { label: 'Some attempts fail', tone: 'hold' },
  healthy: { label: 'Healthy', tone: 'good' },
  idle: { label: 'No attempts', tone: 'idle' },
  off: { label: 'Disabled', tone: 'idle' },
};

/** The worst first. */
const order: readonly HealthKind[] = ['stopped', 'failing', 'troubled', 'healthy', 'idle', 'off'];

/** How an endpoint does, by its deliveries of a window. */
export function healthOf(endpoint: Endpoint, stats: EndpointStats | undefined): Health {
  const attempts = stats?.attempts ?? 0;
  const failingSince = stats && sinceOf(stats.buckets);
  const failureRate = stats && attempts > 0 ? stats.failedAttempts / attempts : undefined;
  const kind = kindOf(endpoint, failureRate, failingSince);
  return { kind, ...looks[kind], failureRate, failingSince };
}

function kindOf(
  { enabled, disabledAt }: Endpoint,
  failureRate: number | undefined,
  failingSince: string | undefined,
): HealthKind {
  if (!enabled) return disabledAt ? 'stopped' : 'off';
  if (failureRate === undefined) return 'idle';
  if (failingSince) return 'failing';
  return failureRate > 0 ? 'troubled' : 'healthy';
}

/** The first bucket of those at the end in which attempts failed and none succeeded. */
function sinceOf(buckets: readonly HealthBucket[]): string | undefined {
  let since: string | undefined;
  for (const { bucket, attempts, failedAttempts, succeeded } of [...buckets].reverse()) {
    if (attempts === 0) continue;
    if (succeeded > 0 || failedAttempts === 0) break;
    since = bucket;
  }
  return since;
}

export interface RankedEndpoint<E, S> {
  endpoint: E;
  stats: S | undefined;
  health: Health;
}

/** Endpoints with their health, the worst first; of equal ones the one that fails more often. */
export function rankEndpoints<E extends Endpoint, S extends EndpointStats>(
  endpoints: readonly E[],
  stats: readonly S[],
): RankedEndpoint<E, S>[] {
  const byId = new Map(stats.map((each) => [each.endpointId, each]));
  return endpoints
    .map((endpoint) => {
      const own = byId.get(endpoint.id);
      return { endpoint, stats: own, health: healthOf(endpoint, own) };
    })
    .sort(
      (a, b) =>
        order.indexOf(a.health.kind) - order.indexOf(b.health.kind) ||
        (b.health.failureRate ?? 0) - (a.health.failureRate ?? 0) ||
        (b.stats?.failedAttempts ?? 0) - (a.stats?.failedAttempts ?? 0),
    );
}

/** A rate as `0.4 %`; a small one is never shown as none. */
export function rateText(rate: number | undefined): string {
  if (rate === undefined) return '–';
  const percent = rate * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}
