import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import type { ControlAction, ControlActionKind } from '../records/control.ts';
import type { RegisteredApp, RegisteredRunner } from '../records/registry.ts';
import type { Session } from '../records/stats.ts';
import type { Api } from './api.ts';
import { instantOf, rowsOf } from './query.ts';
import { isList } from './shapes.ts';

export interface SessionFilter {
  /** Only runs of this app count. */
  app?: string | undefined;
  /** Only runs created at or after it count. */
  since?: Date | string | undefined;
  /** Sessions, 1 to 500. Default: 100. */
  limit?: number | undefined;
}

const sessionFields: FieldsOf<SessionFilter> = { app: true, since: true, limit: true };

export class SessionsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists conversations, the most recently active first. */
  async list(filter: SessionFilter = {}): Promise<Session[]> {
    this.#api.warnOfUnknown('sessions.list', filter, sessionFields);
    const query = { ...filter, since: instantOf(filter.since) };
    return asDeclared((await this.#api.get('/sessions', isList, { query })).body);
  }
}

export class AppsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists all apps, by name. */
  async list(): Promise<RegisteredApp[]> {
    return asDeclared((await this.#api.get('/apps', isList)).body);
  }
}

export interface RunnerFilter {
  app?: string | undefined;
}

export class RunnersClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists all runners, live or not, by app and id. */
  async list(filter: RunnerFilter = {}): Promise<RegisteredRunner[]> {
    this.#api.warnOfUnknown('runners.list', filter, { app: true });
    return asDeclared((await this.#api.get('/runners', isList, { query: { ...filter } })).body);
  }
}

export interface ControlActionFilter {
  action?: ControlActionKind | undefined;
  /** Only actions on this run, and the action that created it. */
  runId?: string | undefined;
  /** Actions per request, 1 to 1000. The iteration covers all pages. */
  pageSize?: number | undefined;
}

const actionFields: FieldsOf<ControlActionFilter> = { action: true, runId: true, pageSize: true };

export class ControlActionsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Iterates over the audit log, newest first, and fetches pages as the loop advances. */
  list(filter: ControlActionFilter = {}): AsyncGenerator<ControlAction, void, undefined> {
    this.#api.warnOfUnknown('controlActions.list', filter, actionFields);
    const { pageSize, ...query } = filter;
    return rowsOf(this.#api, '/control-actions', { ...query, limit: pageSize ?? 100 });
  }
}
