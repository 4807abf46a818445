import type { Config } from '../config.ts';
import { language, runtime, sdkName, sdkVersion } from '../identity.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkHeld, checkMaxInFlight } from '../maxInFlight.ts';
import {
  bodyLimitBytes,
  type Feature,
  features,
  type HelloFrame,
  protocolVersion,
  type WireWorkflow,
} from '../protocol.ts';
import { type RequestLimit, requestLimit } from '../requestLimit.ts';
import { Connection, type ConnectionListener } from './connection.ts';
import type { HeldLimits } from './heldHandlers.ts';
import { ReplayChecks } from './replayChecks.ts';
import type { Invoke } from './requestProcessor.ts';

export interface ConnectOptions extends RequestLimit {
  /**
   * A stable id, so that runs can be pinned to this runner. Default: the service assigns one per
   * connection.
   */
  runner?: string | undefined;
  /** Passes to execute at once, at most 100,000. Default: 100. */
  maxInFlight?: number | undefined;
  /**
   * Handlers to hold suspended between two passes of their runs, so that nothing is replayed. The
   * least recently used go first. 0 turns it off, as does `HOLDFAST_REPLAY=always`. Default:
   * `maxInFlight`.
   */
  maxHeld?: number | undefined;
  /** How long a suspended handler is held, in milliseconds. Default: 30,000. */
  heldMs?: number | undefined;
  /** The region of this runner, shown in views. */
  region?: string | undefined;
  /** Aborting it closes the connection, like `close()`. */
  signal?: AbortSignal | undefined;
  /** Called with every change of state, from the first one. */
  onChange?: ConnectionListener | undefined;
}

const optionFields: FieldsOf<ConnectOptions> = {
  runner: true,
  maxInFlight: true,
  maxHeld: true,
  heldMs: true,
  region: true,
  signal: true,
  onChange: true,
  maxRequestBytes: true,
};

export function connect(
  config: Config,
  workflows: WireWorkflow[],
  invoke: Invoke,
  options: ConnectOptions = {},
): Connection {
  config.warnOfUnknown('connect()', options, optionFields);
  const maxInFlight = checkMaxInFlight(options.maxInFlight ?? 100);
  const held = heldLimits(config, options, maxInFlight);
  return new Connection({
    url: `${config.baseUrl.replace(/^http/, 'ws')}/connect`,
    credentials: config.credentials,
    hello: { ...hello(config.app, workflows, maxInFlight, options), features: featuresOf(held) },
    maxInFlight,
    held,
    checks: new ReplayChecks(process.env),
    maxRequestBytes: requestLimit(options),
    invoke,
    logger: config.logger,
    signal: options.signal,
    onChange: options.onChange,
  });
}

function heldLimits(config: Config, { maxHeld, heldMs }: ConnectOptions, maxInFlight: number): HeldLimits {
  const limits = checkHeld({ maxHeld: maxHeld ?? maxInFlight, heldMs: heldMs ?? 30_000 });
  return config.alwaysReplays ? { ...limits, maxHeld: 0 } : limits;
}

/** A runner that holds no handlers does not offer to. */
const featuresOf = ({ maxHeld }: HeldLimits): Feature[] =>
  features.filter((feature) => feature !== 'continue' || maxHeld > 0);

function hello(app: string, workflows: WireWorkflow[], maxInFlight: number, options: ConnectOptions): HelloFrame {
  const frame: HelloFrame = {
    type: 'hello',
    protocolVersion,
    app,
    ...(options.runner !== undefined && { runner: options.runner }),
    ...(options.region !== undefined && { region: options.region }),
    runtime,
    language,
    framework: 'connect',
    sdkName,
    version: sdkVersion,
    maxInFlight,
    workflows,
  };
  const bytes = Buffer.byteLength(JSON.stringify(frame));
  if (bytes > bodyLimitBytes)
    throw new RangeError(`the workflow definitions have ${bytes} bytes; at most ${bodyLimitBytes} can be sent`);
  return frame;
}
