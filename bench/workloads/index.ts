import { backlog } from './backlog.ts';
import { cold } from './cold.ts';
import { events } from './events.ts';
import { failover } from './failover.ts';
import { fairness } from './fairness.ts';
import { fanout } from './fanout.ts';
import { gates } from './gates.ts';
import { idle } from './idle.ts';
import { inference } from './inference.ts';
import { ingest } from './ingest.ts';
import { latency } from './latency.ts';
import { light } from './light.ts';
import { lists } from './lists.ts';
import { mcp } from './mcp.ts';
import { parallel } from './parallel.ts';
import { sequence } from './sequence.ts';
import { sleepers } from './sleepers.ts';
import { slots } from './slots.ts';
import { sockets } from './sockets.ts';
import { throughput } from './throughput.ts';
import { tree } from './tree.ts';
import { waiters } from './waiters.ts';
import { waits } from './waits.ts';
import { webhooks } from './webhooks.ts';
import type { Workload } from './workload.ts';

export type { Sizes, Workload } from './workload.ts';

export const workloads: readonly Workload[] = [
  throughput,
  latency,
  cold,
  fanout,
  ingest,
  events,
  gates,
  slots,
  waits,
  lists,
  backlog,
  idle,
  light,
  failover,
  parallel,
  sequence,
  tree,
  waiters,
  sleepers,
  sockets,
  fairness,
  webhooks,
  inference,
  mcp,
];
