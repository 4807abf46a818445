import type { EngineContext } from '../../engine/context.ts';
import { newId } from '../../engine/ids.ts';
import { authenticate, keyBounds, watchKey } from '../../engine/keys/index.ts';
import { logHidden } from '../../engine/outages.ts';
import type { EngineSeams } from './engineSeams.ts';
import { Gateway } from './gateway/gateway.ts';
import { Upgrades } from './gateway/upgrades.ts';
import { HttpClient } from './http/httpClient.ts';
import { HttpRunners } from './http/httpRunners.ts';
import type { DispatcherOptions } from './options.ts';
import { Switchboard } from './switchboard.ts';

export interface PartsSetup {
  engine: EngineContext;
  seams: EngineSeams;
  options: DispatcherOptions;
  dispatcherId: () => string;
  /** D2. Whether it is certain that no other dispatcher has taken over the leases of this one. */
  holdsLeases: () => boolean;
}

/**
 * The parts of a dispatcher. The gateway and the HTTP runners report connects and disconnects to
 * the board. They report answers of runners to its passes.
 */
export interface Parts {
  board: Switchboard;
  gateway: Gateway;
  upgrades: Upgrades;
  http: HttpRunners;
  clients: readonly HttpClient[];
}

export function createParts({ engine, seams, options, dispatcherId, holdsLeases }: PartsSetup): Parts {
  const { clock, log, settings } = engine;
  const { invokeTimeoutMs, limits, runnerHeartbeatMs: heartbeatMs, runnerLivenessMs: livenessMs } = settings;
  const board = new Switchboard({ ...seams, log, dispatcherId, holdsLeases, options, invokeTimeoutMs });
  const shared = { registry: seams.registry, host: board, invokes: board.passes, livenessMs, log };
  const gateway = new Gateway({
    ...shared,
    dispatcherId,
    newId,
    watchKey: (principal, onEnded) => watchKey(engine, principal, onEnded),
    heartbeatMs,
    helloTimeoutMs: options.helloTimeoutMs,
    congestedBytes: options.congestedBytes,
    jsonDepth: limits.jsonDepth,
  });
  const upgrades = new Upgrades({
    gateway,
    authenticate: (credentials, isGone) => authenticate(engine, credentials, isGone),
    nextConnectionNo: () => seams.registry.nextConnectionNo(),
    onHidden: (error) => logHidden(engine, error, 'runner upgrade failed'),
    takeSeat: (principal) => keyBounds(engine).permits.take(principal),
    seatRefusal: keyBounds(engine).permits.refusal,
    timeoutMs: options.upgradeTimeoutMs,
  });
  const rules = { allowPrivate: settings.allowPrivateTargets };
  const { httpSockets: sockets, httpSocketsPerOrigin: socketsPerOrigin } = options;
  const client = new HttpClient({ rules, pool: { sockets, socketsPerOrigin } });
  const prober = new HttpClient({ rules });
  const nowSeconds = (): number => clock.now().getTime() / 1000;
  const http = new HttpRunners({ ...shared, client, prober, probeMs: options.probeMs, nowSeconds });
  return { board, gateway, upgrades, http, clients: [client, prober] };
}
