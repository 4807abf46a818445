import type { Config } from '../config.ts';
import { language, runtime, sdkName, sdkVersion } from '../identity.ts';
import { checkMaxInFlight } from '../maxInFlight.ts';
import { bodyLimitBytes, type HelloFrame, protocolVersion, type WireWorkflow } from '../protocol.ts';
import { type RequestLimit, requestLimit } from '../requestLimit.ts';
import { Connection, type ConnectionListener } from './connection.ts';
import type { Invoke } from './requestProcessor.ts';

export interface ConnectOptions extends RequestLimit {
  /**
   * A stable id, so that runs can be pinned to this runner. Default: none; the service names it by
   * its connection.
   */
  runner?: string | undefined;
  /** Passes at once. Default 100; 100,000 are the most. */
  maxInFlight?: number | undefined;
  /** Where this runner runs, for views. */
  region?: string | undefined;
  /** Aborting it closes the connection as `close()` does. */
  signal?: AbortSignal | undefined;
  /** Called with every change of state, from the first. */
  onChange?: ConnectionListener | undefined;
}

export function connect(
  config: Config,
  workflows: WireWorkflow[],
  invoke: Invoke,
  options: ConnectOptions = {},
): Connection {
  const maxInFlight = checkMaxInFlight(options.maxInFlight ?? 100);
  return new Connection({
    url: `${config.baseUrl.replace(/^http/, 'ws')}/connect`,
    credentials: config.credentials,
    hello: hello(config.app, workflows, maxInFlight, options),
    maxInFlight,
    maxRequestBytes: requestLimit(options),
    invoke,
    logger: config.logger,
    signal: options.signal,
    onChange: options.onChange,
  });
}

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
    throw new RangeError(`the workflow definitions come to ${bytes} bytes; at most ${bodyLimitBytes} can be sent`);
  return frame;
}
