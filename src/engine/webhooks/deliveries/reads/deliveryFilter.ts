import { isId } from '../../../ids.ts';
import { Conditions } from '../../../paging/index.ts';
import {
  type DeliveryKind,
  type DeliveryStatus,
  deliveryKinds,
  type StoredStatus,
  storedStatuses,
} from '../delivery.ts';

/** The filters of lists (4.8). All that are given must hold. */
export interface DeliveryFilter {
  status?: DeliveryStatus | null | undefined;
  /** Any of these; an empty list counts as absent. */
  statuses?: readonly DeliveryStatus[] | null | undefined;
  /** Only these deliveries. */
  deliveryIds?: readonly string[] | null | undefined;
  app?: string | null | undefined;
  endpointId?: string | null | undefined;
  eventKind?: DeliveryKind | null | undefined;
  /** The run that caused the delivery. */
  runId?: string | null | undefined;
  /** The run of which the delivery tells. The send of a step tells of none. */
  sourceRunId?: string | null | undefined;
  /** Only deliveries created at or after it. */
  since?: Date | null | undefined;
  /** Only deliveries created before it. */
  until?: Date | null | undefined;
}

/** The statuses that a filter names, each once; undefined: any. */
export function statusesOf({ status, statuses }: DeliveryFilter): readonly DeliveryStatus[] | undefined {
  const several = statuses?.length ? [...new Set(statuses)] : undefined;
  if (!status) return several;
  return several ? several.filter((each) => each === status) : [status];
}

/** Conditions on deliveries `d` of a project, all but those on the status. */
export class DeliveryConditions extends Conditions {
  /** SQL: a table expression that the conditions use. May be empty. */
  readonly withSql: string;
  readonly project: string;

  constructor(projectId: string, filter: DeliveryFilter) {
    super();
    this.project = `${this.parameter(projectId)}::uuid`;
    this.add(`d.project_id = ${this.project}`);
    this.equal('d.app', filter.app);
    this.equal('d.event_kind', filter.eventKind);
    if (filter.deliveryIds) this.add(`d.id = any(${this.parameter(filter.deliveryIds.filter(isId))}::uuid[])`);
    if (filter.sourceRunId) this.add(`d.event_kind <> 'custom'`);
    const owners = [
      this.#ofId('endpoint_id', filter.endpointId, 'endpoint'),
      this.#ofId('run_id', filter.runId, 'run'),
      this.#ofId('run_id', filter.sourceRunId, 'source_run'),
    ].flatMap((each) => each ?? []);
    this.withSql = owners.length === 0 ? '' : `with ${owners.join(', ')}`;
    if (filter.since) this.add(`d.created_at >= ${this.parameter(filter.since)}::timestamptz`);
    if (filter.until) this.add(`d.created_at < ${this.parameter(filter.until)}::timestamptz`);
  }

  /**
   * Deliveries of an endpoint or a run. Their indexes have no project, so one look-up ensures that
   * the deliveries of another project's id are not read. A text that is no UUID matches none.
   */
  #ofId(column: 'endpoint_id' | 'run_id', id: string | null | undefined, name: string): string | undefined {
    if (id === null || id === undefined) return undefined;
    if (!isId(id)) {
      this.excludeAll();
      return undefined;
    }
    const value = `${this.parameter(id)}::uuid`;
    this.add(`d.${column} = ${value}`);
    this.add(`(select project_id from ${name}_owner) = ${this.project}`);
    return `${name}_owner as materialized (
      select o.project_id from webhook_delivery o where o.${column} = ${value} limit 1
    )`;
  }
}

/**
 * SQL: the newest `limit` deliveries, and some more, that meet the conditions and have one of the
 * stored statuses (undefined: any). Each part of the union rides one index in the order of the
 * list. So PostgreSQL merges the parts, and reads hardly more rows than `limit`.
 */
export function deliveriesSql(
  where: Conditions,
  { filter, statuses, limit }: { filter: DeliveryFilter; statuses: readonly StoredStatus[] | undefined; limit: string },
): string {
  const order = `order by d.created_at desc, d.id desc limit ${limit}`;
  return partsOf(filter, statuses)
    .map((part) => `(select d.* from webhook_delivery d where ${where.text}${part} ${order})`)
    .join('\n      union all\n      ');
}

function partsOf(filter: DeliveryFilter, statuses: readonly StoredStatus[] | undefined): string[] {
  // The index on the run has no status, as a run has few deliveries. Ids are few, too.
  if (filter.runId || filter.sourceRunId || filter.deliveryIds)
    return [statuses ? ` and d.status in (${quoted(statuses)})` : ''];
  const byStatus = (statuses ?? storedStatuses).map((each) => ` and d.status = '${each}'`);
  if (filter.endpointId || filter.app || filter.eventKind) return byStatus;
  if (!statuses) return [''];
  // The status comes second in its index, after the kind.
  return deliveryKinds.flatMap((kind) => byStatus.map((each) => ` and d.event_kind = '${kind}'${each}`));
}

export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
