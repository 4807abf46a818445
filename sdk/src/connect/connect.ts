import type { Config } from '../config.ts';
import { language, runtime, sdkName, sdkVersion } from '../identity.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkMaxInFlight } from '../maxInFlight.ts';
import { bodyLimitBytes, features, type HelloFrame, protocolVersion, type WireWorkflow } from '../protocol.ts';
import { type RequestLimit, requestLimit } from '../requestLimit.ts';
import { Connection, type ConnectionListener } from './connection.ts';
import type { Invoke } from './requestProcessor.ts';

export interface ConnectOptions extends RequestLimit {
  /**
   * A stable id, so that runs can be pinned to this runner. Default: the service assigns one per
   * connection.
   */
  runner?: string | undefined;
  /** Passes to execute at once, at most 100,000. Default: 100. */
  maxInFlight?: number | undefined;
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
    features: [...features],
    workflows,
  };
  const bytes = Buffer.byteLength(JSON.stringify(frame));
  if (bytes > bodyLimitBytes)
    throw new RangeError(`the workflow definitions have ${bytes} bytes; at most ${bodyLimitBytes} can be sent`);
  return frame;
}
