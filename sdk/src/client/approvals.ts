import { asDeclared } from '../json/asDeclared.ts';
import type { Approval } from '../records/approvals.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import { isApproval, isList } from './shapes.ts';

export interface ApprovalFilter {
  status?: Approval['status'] | undefined;
  runId?: string | undefined;
  /** `deadline`: only open ones, the next deadline first. Default: newest first. */
  sort?: 'newest' | 'deadline' | undefined;
  /** Approvals per call, 1 to 1000. Default: 100. */
  limit?: number | undefined;
}

/** `args` replaces the proposed arguments. `reason` tells the handler and later readers why. */
export type Verdict = ({ status: 'approved'; args?: unknown } | { status: 'denied' }) & {
  reason?: string | undefined;
};

/** Lists and decides the questions that runs ask people with `step.approval`. */
export class ApprovalsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists approvals, newest first unless `sort` says otherwise. */
  async list(filter: ApprovalFilter = {}): Promise<Approval[]> {
    const { limit = 100, ...query } = filter;
    const listed: Approval[] = [];
    for (let cursor: string | undefined; ; ) {
      // A page of large approvals may end before its limit.
      const page = await this.#api.get('/approvals', isList, {
        query: { ...query, limit: limit - listed.length, cursor },
      });
      listed.push(...asDeclared<Approval[]>(page.body));
      cursor = page.headers.get('x-next-cursor') ?? undefined;
      if (cursor === undefined || listed.length >= limit) return listed;
    }
  }

  async get(id: string): Promise<Approval> {
    return asDeclared((await this.#api.get(`/approvals/${encodeURIComponent(id)}`, isApproval)).body);
  }

  /**
   * Approves or denies, and returns the decided approval. `decidedBy` follows from the API key.
   * Throws a `HoldfastApiError` with status 409 if the approval is not open.
   */
  async decide(id: string, verdict: Verdict): Promise<Approval> {
    const { status, reason } = verdict;
    const args = verdict.status === 'approved' ? verdict.args : undefined;
    const answer = await this.#api.post(`/approvals/${encodeURIComponent(id)}/decision`, isApproval, {
      body: body('the arguments of the decision', { status, reason }, { args }),
    });
    return asDeclared(answer.body);
  }
}
