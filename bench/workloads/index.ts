import { backlog } from './backlog.ts';
import { failover } from './failover.ts';
import { fanout } from './fanout.ts';
import { idle } from './idle.ts';
import { ingest } from './ingest.ts';
import { latency } from './latency.ts';
import { throughput } from './throughput.ts';
import type { Workload } from './workload.ts';

export type { Sizes, Workload } from './workload.ts';

export const workloads: readonly Workload[] = [throughput, latency, fanout, ingest, backlog, idle, failover];
