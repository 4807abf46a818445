import { ManualClock } from '../../../../src/engine/clock.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import { newId } from '../../../../src/engine/ids.ts';
import type { ClaimQuestion } from '../../../../src/engine/webhooks/queue/claimDeliveries.ts';
import {
  type Claim,
  claimDeliveries,
  type EndedAttempt,
  firstLane,
  type LeasedDelivery,
  settleDeliveries,
} from '../../../../src/engine/webhooks/queue/index.ts';
import { createTestProject } from '../../../support/engine.ts';

/** The clock of a scene, which stands unless a test moves it. */
export const sceneClock = (): ManualClock => new ManualClock(new Date('2026-05-01T10:00:00.000Z'));

/** A project with endpoints, whose deliveries are inserted as they are. */
export class QueueScene {
  readonly engine: EngineContext;
  readonly projectId: string;

  constructor(engine: EngineContext, projectId: string) {
    this.engine = engine;
    this.projectId = projectId;
  }

  static async open(engine: EngineContext): Promise<QueueScene> {
    return new QueueScene(engine, await createTestProject(engine));
  }

  async endpoint(fields: { enabled?: boolean; url?: string; id?: string } = {}): Promise<string> {
    const { id = newId(), url = `https://${id}.example.com/hook`, enabled = true } = fields;
    await this.#query(
      `insert into webhook_endpoint (id, project_id, url, event_kinds, scheme, enabled)
       values ($1, $2, $3, '{run.succeeded}', 'service', $4)`,
      [id, this.projectId, url, enabled],
    );
    return id;
  }

  /** Deliveries that are due, the first one first. Without an endpoint: custom sends. */
  async deliveries(
    count: number,
    { endpointId, lane = endpointId ?? newId(), inMs = 0 }: { endpointId?: string; lane?: string; inMs?: number },
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    const at = new Date(this.engine.clock.now().getTime() + inMs);
    await this.#query(
      `insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, payload, status, created_at, updated_at)
       select id, $2, 'default', $3, coalesce((select url from webhook_endpoint where id = $3), 'https://custom.example.com/'),
         case when $3::uuid is null then 'custom' else 'run.succeeded' end, '{"n":1}', 'pending', $4, $4
       from unnest($1::uuid[]) as d(id)`,
      [ids, this.projectId, endpointId ?? null, at],
    );
    await this.#query(
      `insert into webhook_work (delivery_id, project_id, lane, due_at)
       select id, $2, $3, $4::timestamptz + (n - 1) * interval '1 us' from unnest($1::uuid[]) with ordinality as d(id, n)`,
      [ids, this.projectId, lane, at],
    );
    return ids;
  }

  async delivery(id: string) {
    const { status, attemptCount, lastStatusCode, nextAttemptAt, url } =
      await this.engine.db.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
    return { status, attemptCount, lastStatusCode, nextAttemptAt, url };
  }

  work(deliveryId: string) {
    return this.engine.db.prisma.webhookWork.findUnique({ where: { deliveryId } });
  }

  lane(id: string) {
    return this.engine.db.prisma.webhookLane.findUnique({ where: { id } });
  }

  async attempts(deliveryId: string) {
    const rows = await this.engine.db.prisma.webhookAttempt.findMany({
      where: { deliveryId },
      orderBy: { attempt: 'asc' },
    });
    return rows.map(({ attempt, outcome, statusCode, error }) => ({ attempt, outcome, statusCode, error }));
  }

  async #query(text: string, values: unknown[]): Promise<void> {
    await this.engine.db.query(text, values);
  }
}

/** A claim with usual values. */
export const claim = (ctx: EngineContext, question: Partial<ClaimQuestion> & { senderId: string }): Promise<Claim> =>
  claimDeliveries(ctx, { registers: true, room: 100, after: firstLane, except: [], ahead: 0, ...question });

export const leased = ({ lanes }: Pick<Claim, 'lanes'>): LeasedDelivery[] => lanes.flatMap((lane) => lane.deliveries);

/** The ids of claimed deliveries. */
export const idsOf = (claimed: Pick<Claim, 'lanes'>): string[] => leased(claimed).map(({ deliveryId }) => deliveryId);

/** An attempt that ended by a status code, or otherwise by an outcome. */
export function ended(
  delivery: LeasedDelivery,
  how: number | 'timeout' | 'connection_error' | 'skipped',
  more: Partial<EndedAttempt> = {},
): EndedAttempt {
  const usual = { delivery, durationMs: 5, requestHeaders: '{}' };
  if (typeof how === 'string') return { ...usual, outcome: how, error: `${how} of a test`, ...more };
  const outcome = how >= 200 && how < 300 ? 'succeeded' : 'http_error';
  return { ...usual, outcome, statusCode: how, responseHeaders: '{}', ...more };
}

/** Settles attempts, and claims nothing again. */
export const settle = (ctx: EngineContext, senderId: string, attempts: readonly EndedAttempt[]) =>
  settleDeliveries(ctx, { senderId, attempts, hungry: new Set(), room: 0, ahead: 0 });
