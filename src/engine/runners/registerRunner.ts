import { protocolVersion, type RegistrationAnswer } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import { assertAllowedUrl } from '../net/index.ts';
import { nextFiresOf, type ParsedRegistration, parseRegistration } from '../registry/index.ts';
import { ensureInvokeSecret } from '../secrets/index.ts';
import { enterRunner, type RunnerConnection } from './registrationBatch.ts';
import type { RunnerEntry } from './sql/putRunners.ts';

export interface HttpRegistration {
  projectId: string;
  /** The parsed body of `POST /register`. */
  registration: unknown;
  connection?: undefined;
  keepsDefinitions?: undefined;
  isGivenUp?: undefined;
}

export interface ConnectRegistration {
  projectId: string;
  /** The parsed `hello` frame. */
  registration: unknown;
  connection: RunnerConnection;
  /**
   * Whether definitions in force stay, because the runner is registered again by its earlier
   * `hello`. Others may have replaced its definitions since. Only workflows that are not registered
   * at all are added. Default: false.
   */
  keepsDefinitions?: boolean;
  /**
   * Called within the transaction: whether the connection has ended, and must not be entered.
   * Default: never.
   */
  isGivenUp?: () => boolean;
}

export interface ConnectedRunner {
  runnerId: string;
  app: string;
  workflows: string[];
  protocolVersion: number;
  /**
   * Whether the connection represents the runner now. False if a newer connection or a URL does, or
   * if this connection has ended.
   */
  isEntered: boolean;
}

/**
 * Registers a runner with the workflows that it serves, all in one transaction (4.10). Definitions
 * that changed replace those in force, with their schedules, at once. Workflows that the runner
 * dropped, and that no live runner serves, are retired. A runner of the same app and id is
 * replaced, unless its connection is newer. An HTTP runner gets the secret that invokes are signed
 * with.
 *
 * Throws `invalid`, naming workflow and field, if anything is malformed; nothing is registered
 * then.
 */
export function registerRunner(ctx: EngineContext, input: HttpRegistration): Promise<RegistrationAnswer>;
export function registerRunner(ctx: EngineContext, input: ConnectRegistration): Promise<ConnectedRunner>;
export async function registerRunner(
  ctx: EngineContext,
  {
    projectId,
    registration,
    connection,
    keepsDefinitions = false,
    isGivenUp = never,
  }: HttpRegistration | ConnectRegistration,
): Promise<RegistrationAnswer | ConnectedRunner> {
  const parsed = await ctx.slices.run(projectId, parseRegistration(registration, ctx.settings.limits));
  const { app, definitions } = parsed;
  const runner = connection ? connectEntry(parsed, connection) : httpEntry(ctx, parsed);
  const nextFires = await nextFiresOf(ctx, { projectId, definitions });
  const isEntered = await enterRunner(ctx, {
    ...{ projectId, definitions, nextFires, runner },
    ...{ keepsDefinitions, isGivenUp },
  });
  const answer = { runnerId: runner.runnerId, app, workflows: definitions.map((each) => each.name), protocolVersion };
  if (connection) return { ...answer, isEntered };
  return { ...answer, invokeSecret: await ensureInvokeSecret(ctx, { projectId, app }) };
}

const never = (): boolean => false;

function connectEntry(parsed: ParsedRegistration, connection: RunnerConnection): RunnerEntry {
  const url = `conn://${connection.connectionId}`;
  const metadata = { ...parsed.metadata, framework: 'connect' };
  return { ...commonEntry(parsed, url), transport: 'connect', metadata, ...connection };
}

function httpEntry({ settings }: EngineContext, parsed: ParsedRegistration): RunnerEntry {
  const url = parsed.url ?? '';
  assertAllowedUrl(url, { allowPrivate: settings.allowPrivateTargets });
  const noConnection = { dispatcherId: undefined, connectionId: newId(), connectionNo: undefined };
  return { ...commonEntry(parsed, url), transport: 'http', ...noConnection };
}

/** A runner without an id of its own is known by its URL (4.10). */
function commonEntry({ app, runner, metadata, maxInFlight, definitions }: ParsedRegistration, url: string) {
  const workflows = definitions.map((each) => each.name).sort();
  return { id: newId(), app, runnerId: runner ?? url, url, metadata, workflows, maxInFlight };
}
