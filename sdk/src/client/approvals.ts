import { asDeclared } from '../json/asDeclared.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import type { Approval } from './records.ts';
import { isApproval, isList } from './shapes.ts';

export interface ApprovalFilter {
  status?: Approval['status'] | undefined;
  runId?: string | undefined;
  /** How many at most. Default: 100. */
  limit?: number | undefined;
}

/** `args` take the place of the proposed arguments. */
export type Verdict = { status: 'approved'; args?: unknown } | { status: 'denied' };

/** The questions that runs put to people with `step.approval`. */
export class ApprovalsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Newest first. */
  async list(filter: ApprovalFilter = {}): Promise<Approval[]> {
    const { limit = 100, ...query } = filter;
    const listed: Approval[] = [];
    for (let cursor: string | undefined; ; ) {
      // A page may end before its limit, where its approvals hold much.
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
   * Decides, and returns the decided approval; who decided is told from the API key. Throws a
   * `HoldfastApiError` of status 409 where it is not open any more.
   */
  async decide(id: string, verdict: Verdict): Promise<Approval> {
    const { status } = verdict;
    const args = verdict.status === 'approved' ? verdict.args : undefined;
    const answer = await this.#api.post(`/approvals/${encodeURIComponent(id)}/decision`, isApproval, {
      body: body('the arguments of the decision', { status }, { args }),
    });
    return asDeclared(answer.body);
  }
}
