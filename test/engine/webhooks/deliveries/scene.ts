import type { EngineContext } from '../../../../src/engine/context.ts';
import { newId } from '../../../../src/engine/ids.ts';

type WithDatabase = Pick<EngineContext, 'db'>;

export interface EndpointFixture {
  id?: string;
  name?: string | null;
  app?: string | null;
  url?: string;
  eventKinds?: readonly string[];
  enabled?: boolean;
}

/** Writes an endpoint without its secret. Returns its id. */
export async function insertEndpoint(
  { db }: WithDatabase,
  projectId: string,
  endpoint: EndpointFixture = {},
): Promise<string> {
  const { id = newId(), eventKinds = ['run.succeeded'] } = endpoint;
  await db.query({
    text: `insert into webhook_endpoint (id, project_id, name, app, url, event_kinds, scheme, enabled)
           values ($1, $2, $3, $4, $5, $6, 'service', $7)`,
    values: [
      id,
      projectId,
      endpoint.name ?? null,
      endpoint.app ?? null,
      endpoint.url ?? `https://receiver.test/${id}`,
      eventKinds,
      endpoint.enabled ?? true,
    ],
  });
  return id;
}

export interface DeliveryFixture {
  id?: string;
  app?: string;
  endpointId?: string | null;
  url?: string;
  eventKind?: string;
  runId?: string | null;
  runStatus?: string | null;
  stepIndex?: number | null;
  stepAttempt?: number | null;
  payload?: string | null;
  status?: string;
  isTest?: boolean;
  attemptCount?: number;
  lastStatusCode?: number | null;
  nextAttemptAt?: Date | null;
  createdAt?: Date;
}

/** Writes a delivery without its work. Returns its id. */
export async function insertDelivery(
  { db }: WithDatabase,
  projectId: string,
  delivery: DeliveryFixture = {},
): Promise<string> {
  const { id = newId(), createdAt = new Date() } = delivery;
  await db.query({
    text: `insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, run_id, run_status, step_index,
             step_attempt, payload, status, is_test, attempt_count, last_status_code, next_attempt_at, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::json, $12, $13, $14, $15, $16, $17, $17)`,
    values: [
      id,
      projectId,
      delivery.app ?? 'shop',
      delivery.endpointId ?? null,
      delivery.url ?? 'https://receiver.test/hook',
      delivery.eventKind ?? 'run.succeeded',
      delivery.runId ?? null,
      delivery.runStatus ?? null,
      delivery.stepIndex ?? null,
      delivery.stepAttempt ?? null,
      delivery.payload ?? null,
      delivery.status ?? 'pending',
      delivery.isTest ?? false,
      delivery.attemptCount ?? 0,
      delivery.lastStatusCode ?? null,
      delivery.nextAttemptAt ?? null,
      createdAt,
    ],
  });
  return id;
}

export interface WorkFixture {
  lane?: string;
  dueAt?: Date;
  attempts?: number;
  leaseId?: string | null;
  claimNo?: number;
}

/** Writes the work of a delivery; with a lease, the delivery is in flight. */
export async function insertWork(
  { db }: WithDatabase,
  projectId: string,
  deliveryId: string,
  work: WorkFixture = {},
): Promise<void> {
  await db.query({
    text: `insert into webhook_work (delivery_id, project_id, lane, due_at, attempts, lease_id, claim_no)
           values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      deliveryId,
      projectId,
      work.lane ?? newId(),
      work.dueAt ?? new Date(),
      work.attempts ?? 0,
      work.leaseId ?? null,
      work.claimNo ?? 0,
    ],
  });
}

export interface AttemptFixture {
  attempt: number;
  outcome?: string;
  statusCode?: number | null;
  responseSnippet?: string | null;
  error?: string | null;
  durationMs?: number;
  requestHeaders?: Record<string, string>;
  responseHeaders?: Record<string, string> | null;
  createdAt?: Date;
}

/** Writes an entry of a delivery's log. Returns its id. */
export async function insertAttempt(
  { db }: WithDatabase,
  deliveryId: string,
  attempt: AttemptFixture,
): Promise<string> {
  const id = newId();
  await db.query({
    text: `insert into webhook_attempt (id, delivery_id, attempt, outcome, status_code, response_snippet, error, duration_ms,
             request_headers, response_headers, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      id,
      deliveryId,
      attempt.attempt,
      attempt.outcome ?? 'succeeded',
      attempt.statusCode ?? null,
      attempt.responseSnippet ?? null,
      attempt.error ?? null,
      attempt.durationMs ?? 12,
      JSON.stringify(attempt.requestHeaders ?? {}),
      attempt.responseHeaders ? JSON.stringify(attempt.responseHeaders) : null,
      attempt.createdAt ?? new Date(),
    ],
  });
  return id;
}
