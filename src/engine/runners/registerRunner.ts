import { protocolVersion, type RegistrationAnswer } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import { assertAllowedUrl } from '../net/index.ts';
import { type ParsedRegistration, parseRegistration } from '../registry/index.ts';
import { ensureInvokeSecret } from '../secrets/index.ts';
import { enterRunner, type RunnerConnection } from './registrationBatch.ts';
import type { RunnerEntry } from './sql/putRunners.ts';

export interface HttpRegistration {
  projectId: string;
  /** The parsed body of `POST /register`. */
  registration: unknown;
  connection?: undefined;
  isReturn?: undefined;
  isGivenUp?: undefined;
}

export interface ConnectRegistration {
  projectId: string;
  /** The parsed `hello` frame. */
  registration: unknown;
  connection: RunnerConnection;
  /**
   * Whether the runner is entered anew without having said anything: its `hello` is of before, and
   * its definitions may have been replaced since. Only those come into force whose workflow is not
   * registered at all; and a runner that has connected elsewhere since, or registered a URL, is
   * left there. Default: false.
   */
  isReturn?: boolean;
  /**
   * Asked when it is its turn: one whose socket has ended by then is not entered. Default: never.
   */
  isGivenUp?: () => boolean;
}

export interface ConnectedRunner {
  runnerId: string;
  app: string;
  workflows: string[];
  protocolVersion: number;
  /**
   * Whether the connection stands for the runner now: false where another has taken the place since
   * (`isReturn`), and where it was given up.
   */
  isEntered: boolean;
  /**
   * The open connection that this one took the place of: its passes are to be sent again (rulings
   * 3).
   */
  replaced: RunnerConnection | undefined;
}

/**
 * Registers a runner with the workflows that it serves, all in one transaction (4.10). Definitions
 * that changed replace those in force, with their schedules, at once; others stay as they are, also
 * those that no runner serves any more. A runner of the same app and id is replaced. An HTTP runner
 * gets the secret that invokes are signed with.
 *
 * Throws `invalid`, naming workflow and field, when anything is malformed: nothing is registered
 * then.
 */
export function registerRunner(ctx: EngineContext, input: HttpRegistration): Promise<RegistrationAnswer>;
export function registerRunner(ctx: EngineContext, input: ConnectRegistration): Promise<ConnectedRunner>;
export async function registerRunner(
  ctx: EngineContext,
  { projectId, registration, connection, isReturn = false, isGivenUp = never }: HttpRegistration | ConnectRegistration,
): Promise<RegistrationAnswer | ConnectedRunner> {
  const parsed = parseRegistration(registration, ctx.settings.limits);
  const { app, definitions } = parsed;
  const runner = connection ? connectEntry(parsed, connection) : httpEntry(ctx, parsed);
  const entered = await enterRunner(ctx, { projectId, definitions, runner, isReturn, isGivenUp });
  const answer = { runnerId: runner.runnerId, app, workflows: definitions.map((each) => each.name), protocolVersion };
  if (connection) return { ...answer, ...entered };
  return { ...answer, invokeSecret: await ensureInvokeSecret(ctx, { projectId, app }) };
}

const never = (): boolean => false;

function connectEntry(parsed: ParsedRegistration, { dispatcherId, connectionId }: RunnerConnection): RunnerEntry {
  const url = `conn://${connectionId}`;
  const metadata = { ...parsed.metadata, framework: 'connect' };
  return { ...commonEntry(parsed, url), transport: 'connect', metadata, dispatcherId, connectionId };
}

function httpEntry({ settings }: EngineContext, parsed: ParsedRegistration): RunnerEntry {
  const url = parsed.url ?? '';
  assertAllowedUrl(url, { allowPrivate: settings.allowPrivateTargets });
  return { ...commonEntry(parsed, url), transport: 'http', dispatcherId: undefined, connectionId: newId() };
}

/** Without an id of its own a runner is known by its URL (4.10). */
function commonEntry({ app, runner, metadata, maxInFlight, definitions }: ParsedRegistration, url: string) {
  const workflows = definitions.map((each) => each.name).sort();
  return { id: newId(), app, runnerId: runner ?? url, url, metadata, workflows, maxInFlight };
}
